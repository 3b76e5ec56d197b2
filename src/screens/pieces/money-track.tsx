import { useWords } from '../../i18n/words.ts'
import { Coin } from '../../ui/mark.tsx'
import type { Funds } from '../../wire/funds.ts'
import { useMerchant } from './page-context.ts'

const stops = ['you', 'till', 'shop'] as const

interface MoneyTrackProps {
  readonly at: (typeof stops)[number]
  readonly of?: Funds
  /** It waits here for the payer. */
  readonly isHeld?: boolean
  /** It does not go on to the shop, so the shop is not drawn, unless it has something else. */
  readonly isLeftOver?: boolean
  /** The shop has this already. */
  readonly paid?: Funds | undefined
}

/** Draws where the payer's money is. The title of the screen says it too, so this is hidden from screen readers. */
export const MoneyTrack = ({ at, of, isHeld, isLeftOver, paid }: MoneyTrackProps) => {
  const words = useWords()
  const names = { you: words.t('you'), till: isHeld ? words.t('heldForYou') : 'Till', shop: useMerchant() }
  const here = stops.indexOf(at)
  return (
    <ol class="track" aria-hidden="true">
      {(isLeftOver && !paid ? stops.slice(0, 2) : stops).map((stop, i) => (
        <li class={i < here || (stop === 'shop' && paid) ? 'gone' : i === here ? 'here' : undefined}>
          <span class="stop">{i === here && of && <Coin of={of.currency} />}</span>
          <span class="name">{names[stop]}</span>
          {i === here && of && <span class="num">{words.token(of.raw, of.currency)}</span>}
          {stop === 'shop' && paid && <span class="num">{words.token(paid.raw, paid.currency)}</span>}
        </li>
      ))}
    </ol>
  )
}
