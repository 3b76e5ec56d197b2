import { chainFacts, type ChainFamily } from '../wire/chain-facts.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { currencyFamily } from './currency-family.ts'
import { payCurrency } from './pay-currency.ts'
import type { Pickable } from './pickable.ts'

/** On these chains a payer waits for minutes. So many seconds lie between two blocks on average, and a single block may take far longer. */
const secondsBetweenBlocks: Readonly<Partial<Record<ChainFamily, number>>> = { bitcoin: 600 }

/** This is used if the service estimates nothing: the block of the payment and that of the settlement. */
const usualBlocks = 2

const mostSeconds = 7 * 86_400

export interface Wait {
  readonly seconds: number
  readonly minutes: number
  /** Blocks come at random, so their number is a range. */
  readonly blocks: { readonly from: number; readonly to: number }
}

/** Returns how many minutes a payment in these currencies of one network takes at most, zero for less than one, or undefined where nobody knows. */
export function usualMinutes(rows: readonly Pick<Pickable, 'currency' | 'seconds'>[]): number | undefined {
  const known = rows.flatMap(({ currency, seconds }) => seconds ?? usualSeconds(currency.chain_id) ?? [])
  const most = Math.max(...known)
  return known.length > 0 ? (most < 60 ? 0 : Math.round(most / 60)) : undefined
}

const usualSeconds = (chainId: number): number | undefined => {
  const pace = secondsBetweenBlocks[chainFacts(chainId)?.family ?? 'evm']
  return pace && usualBlocks * pace
}

/** Returns undefined where a payment is confirmed so soon that its payer needs no explanation. */
export function waitOf(order: OrderRead): Wait | undefined {
  const currency = payCurrency(order)
  const family = currency && currencyFamily(currency)
  const pace = family && secondsBetweenBlocks[family]
  if (pace === undefined) return undefined
  const estimate = order.payment?.estimated_duration_seconds ?? 0
  const seconds = estimate >= pace && estimate <= mostSeconds ? estimate : usualBlocks * pace
  const blocks = Math.round(seconds / pace)
  return { seconds, minutes: Math.round(seconds / 60), blocks: { from: Math.max(1, blocks - 1), to: blocks + 1 } }
}
