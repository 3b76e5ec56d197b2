import { explorerTx } from '../wire/explorer.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { Transfer } from './transfers.ts'

/** Returns where the transfer can be looked at. What the service gives may only be a page. */
export const explorerLink = (order: OrderRead, { explorerUrl: url, funds, hash }: Transfer): string | undefined => {
  if (url) return /^https?:\/\//i.test(url) ? url : undefined
  return explorerOf(order, funds.currency.chain_id, hash)
}

/** A test order has no link, because its transfers are on no public explorer. */
export const explorerOf = (order: OrderRead, chainId: number, hash: string): string | undefined =>
  order.is_live !== false && /^\w+$/.test(hash) ? explorerTx(chainId, hash) : undefined
