import { nativeAddress } from '../../wire/chain-facts.ts'
import type { Funds } from '../../wire/funds.ts'
import type { OrderRead } from '../../wire/order-read.ts'
import type { FlowPorts } from '../method.ts'
import { type AskedTransfer, isListed } from './asked-transfer.ts'
import { dueIn } from './instructions.ts'
import type { Plan } from './pay-by-transfer.ts'
import { balanceOf, coinOf } from './reads.ts'

/** What has become of a transfer that the payer said to be gone, as far as the service and the wallet's node know. */
export type Earlier = 'gone' | 'paid' | 'unknown'

export const earlierTransfer = async (
  { api, order, refresh }: FlowPorts,
  { wallet: { provider }, rest: { to, due } }: Plan,
  { hash }: AskedTransfer,
  signal: AbortSignal,
): Promise<Earlier> => {
  const { id } = order()
  // What is due now is without a transfer that the order lists, but the plan may have been made before.
  if (isListed(order(), hash)) return dueNow(order(), due) < due.raw ? 'paid' : 'gone'
  try {
    const isFound = hash !== undefined && (await api.findTransaction(id, hash, signal)).found
    const fresh = await api.order(id, signal)
    const now = dueNow(fresh, due)
    if (isFound || now < due.raw) {
      await refresh()
      return 'paid'
    }
    // The wallet's node may have a block that the service has not read yet.
    const token = due.currency.address
    const held = await (token && token !== nativeAddress ? balanceOf(provider, token, to) : coinOf(provider, to))
    const required = fresh.payment?.funding?.required_amount.raw
    const arrived = required === undefined ? 0n : BigInt(required) - now
    return held !== undefined && held > arrived ? 'unknown' : 'gone'
  } catch {
    return 'unknown'
  }
}

const dueNow = (order: OrderRead, { currency }: Funds): bigint => dueIn(order, currency)?.due.raw ?? 0n
