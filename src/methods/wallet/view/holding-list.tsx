import type { ComponentChildren, ComponentType } from 'preact'
import { fewDigits } from '../../../i18n/few-digits.ts'
import { type AllWords, useAllWords } from '../../../i18n/words.ts'
import { Fold } from '../../../ui/fold.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Coin } from '../../../ui/mark.tsx'
import { Way } from '../../../ui/way.tsx'
import { isChainId } from '../../../wire/chain-facts.ts'
import { currencyKey, sameCurrency } from '../../../wire/funds.ts'
import { nativeCoin } from '../../../wire/native-coin.ts'
import type { CurrencyRead, NetworkFee } from '../../../wire/currency.ts'
import { type Fiat, fiatOf } from '../../../wire/fiat.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import type { Holding } from '../holdings.ts'

/** Says what of a cost is not the order's price. It has the network's fee in it if that is known. */
export type CostNotes = ComponentType<{
  readonly order: OrderRead
  readonly cost: Fiat | undefined
  readonly fee: NetworkFee | undefined
  /** The cost is that of the tokens alone, so what is not the order's price is for their conversion. */
  readonly isOfTokens?: boolean
}>

interface HoldingListProps {
  readonly order: OrderRead
  readonly CostNotes: CostNotes | undefined
  readonly holdings: readonly Holding[]
  /** The screen is about this one, so it is not listed. */
  readonly shown: CurrencyRead
  readonly onChoose: (holding: Holding) => void
}

/** As many are compared at a glance. The cheapest come first, and what is not enough last. */
const most = 3

/** What else the connected account could pay with, with all that it costs. What is not enough cannot be chosen, and says what is missing. */
export const HoldingList = ({ holdings, shown, ...props }: HoldingListProps) => {
  const words = useAllWords()
  const others = holdings.filter(({ balance, due }) => balance > 0n && !sameCurrency(due.currency, shown))
  if (others.length === 0) return null
  const rows = others.map((holding) => <Row key={currencyKey(holding.due.currency)} of={holding} {...props} />)
  return (
    <section class="stack">
      <h2 class="soft">{words.t('holdsTitle')}</h2>
      <ul class="card">{rows.slice(0, most)}</ul>
      {rows.length > most && (
        <Fold title={words.t('otherToken')}>
          <ul class="card">{rows.slice(most)}</ul>
        </Fold>
      )}
    </section>
  )
}

const Row = ({ of: holding, order, CostNotes, onChoose }: { of: Holding } & Omit<HoldingListProps, 'holdings' | 'shown'>) => {
  const words = useAllWords()
  const { due, balance, offer, fee } = holding
  const cost = fiatOf(order, due, offer ? undefined : fee)
  // Nobody reads 18 digits of what is there anyway. Rounding up would promise what is not there.
  const tiny = balance % 10n ** BigInt(Math.max(0, due.currency.decimals - 6))
  const problem = problemOf(words, holding)
  const amount = words.token(fewDigits(due.raw, due.currency.decimals), due.currency)
  return (
    <li>
      <button class="row" aria-disabled={problem ? 'true' : undefined} onClick={() => !problem && onChoose(holding)}>
        <Coin of={due.currency} />
        <Way
          title={words.tokenOn(due.currency)}
          figure={cost ? words.about(cost) : amount}
          notes={[
            [
              <span>
                {problem ?? (offer ? words.t('walletHint') : CostNotes && <CostNotes order={order} cost={cost} fee={cost && fee} />)}
              </span>,
              cost && <Amount text={amount} />,
            ],
            <span>{words.rich('holdsHas', { amount: <Amount text={words.token(balance - tiny, due.currency)} /> })}</span>,
          ]}
        />
        {!problem && <Icon name="next" />}
      </button>
    </li>
  )
}

/** In right-to-left languages a number and its unit keep their order. */
const Amount = ({ text }: { text: string }) => <span class="num">{text}</span>

const problemOf = (words: AllWords, { due: { raw, currency }, balance, lacksCoin }: Holding): ComponentChildren => {
  if (balance < raw) return words.rich('holdsMissing', { amount: <Amount text={words.token(raw - balance, currency)} /> })
  const { chain_id: chainId } = currency
  return lacksCoin && isChainId(chainId) ? words.t('holdsNoCoin', { coin: nativeCoin(chainId).symbol }) : undefined
}
