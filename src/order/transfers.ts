import { sameCurrency, type Funds } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { parseTime } from './times.ts'
import { payCurrency } from './pay-currency.ts'

export interface Transfer {
  readonly funds: Funds
  readonly hash: string
  /** `seen` is not final yet, `arrived` counts towards the order, `held` neither counts nor was refunded, and `back` was refunded. */
  readonly state: 'seen' | 'arrived' | 'held' | 'back'
  readonly confirmations: number
  readonly needed: number
  readonly at: number | undefined
  /** As the service gives it. What can be followed is said by explorer-link.ts, which the first script lacks. */
  readonly explorerUrl: string | undefined
  /** The transfer used another token or network than the order expects. */
  readonly misdirected: 'chain' | 'token' | undefined
}

export const transfersOf = (order: OrderRead): readonly Transfer[] => {
  const expected = payCurrency(order)
  return (order.payment?.funding?.transactions ?? []).flatMap((transaction): Transfer[] => {
    const currency = transaction.currency ?? expected
    if (!currency) return []
    const misdirected =
      !expected || sameCurrency(currency, expected) ? undefined : currency.chain_id === expected.chain_id ? 'token' : 'chain'
    return [
      {
        funds: { raw: BigInt(transaction.amount.raw), currency },
        hash: transaction.tx_hash,
        state: stateOf(transaction.state),
        confirmations: transaction.confirmations ?? 0,
        needed: transaction.required_confirmations ?? 0,
        at: parseTime(transaction.seen_at),
        explorerUrl: transaction.explorer_url,
        misdirected,
      },
    ]
  })
}

/** Returns the transfers of money that did not go back. */
export const keptOf = (order: OrderRead): readonly Transfer[] =>
  transfersOf(order).filter(({ state, funds }) => state !== 'back' && funds.raw > 0n)

export const isCounted = ({ state, misdirected }: Transfer): boolean => !misdirected && (state === 'seen' || state === 'arrived')

/** A service that sends no states lists only transfers that count. */
const stateOf = (state: string | undefined): Transfer['state'] => {
  if (state === 'seen') return 'seen'
  if (state === 'held') return 'held'
  if (state === 'refunded') return 'back'
  return 'arrived'
}
