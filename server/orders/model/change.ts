import type { Order, Refund, Settlement, Transfer } from './order.ts'

export function changeTransfers(order: Order, keys: readonly string[], change: (transfer: Transfer) => Transfer): Order {
  const named = new Set(keys)
  return { ...order, transfers: order.transfers.map((transfer) => (named.has(transfer.key) ? change(transfer) : transfer)) }
}

export const changeSettlement = (order: Order, id: string, change: Partial<Settlement>): Order => ({
  ...order,
  settlements: order.settlements.map((settlement) => (settlement.id === id ? { ...settlement, ...change } : settlement)),
})

export const changeRefund = (order: Order, id: string, change: Partial<Refund>): Order => ({
  ...order,
  refunds: order.refunds.map((refund) => (refund.id === id ? { ...refund, ...change } : refund)),
})

export function withoutReason(transfer: Transfer): Transfer {
  const { reason: _, ...rest } = transfer
  return rest
}
