import { useLayoutEffect, useMemo } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { methods, type MethodEntry } from '../../methods/methods.ts'
import type { RestPart } from '../../methods/part.ts'
import { createLazyModule } from '../../model/lazy-module.ts'
import { currencyFamily } from '../../order/currency-family.ts'
import type { Funds } from '../../wire/funds.ts'
import { Fetched } from './fetched.tsx'
import { usePage } from './page-context.ts'
import { useOwnState } from '../../ui/own-state.ts'

export interface RestProps {
  readonly to: string
  readonly due: Funds
}

/** Offers each method that can send the rest to the deposit address. Its code is fetched when the payer taps the button. */
export const PayTheRest = (rest: RestProps) => {
  const family = currencyFamily(rest.due.currency)
  return (
    <>{methods.map((entry) => entry.rest?.families.includes(family) && <RestMethod key={entry.slug} method={entry.rest} rest={rest} />)}</>
  )
}

const RestMethod = ({ method: { title, load }, rest }: { method: NonNullable<MethodEntry['rest']>; rest: RestProps }) => {
  const words = useWords()
  const isWanted = useOwnState(false)
  const piece = useMemo(() => createLazyModule(async () => (await Promise.all([load(), words.rest()]))[0]), [load])
  const button = (
    <button class="btn two js" aria-disabled={isWanted.value ? 'true' : undefined} onClick={() => void (isWanted.value = true)}>
      {isWanted.value && <span class="spin" />}
      {words.t(title)}
    </button>
  )
  if (!isWanted.value) return button
  return (
    <Fetched piece={piece} placeholder={button}>
      {({ restPart }) => <RestScreen part={restPart} rest={rest} />}
    </Fetched>
  )
}

const RestScreen = ({ part, rest }: { part: RestPart; rest: RestProps }) => {
  const { checkout } = usePage()
  const Screen = useMemo(() => part(checkout.start), [part])
  // What the payer has asked for opens at the end of a long screen.
  useLayoutEffect(() => [...document.querySelectorAll<HTMLElement>('main h1')].at(-1)?.focus(), [])
  return <Screen order={checkout.order.value} rest={rest} />
}
