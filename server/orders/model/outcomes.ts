import { type Asset, sameAsset } from './asset.ts'
import type { Outcome } from './commands.ts'
import type { Fact } from './facts.ts'
import type { Order, Refund, Settlement, Transfer } from './order.ts'
import { paysRecipient, runningSettlement } from './settling.ts'

export function settlementOutcome(order: Order, id: string, outcome: Outcome): readonly Fact[] {
  const planned = order.settlements.find((settlement) => settlement.id === id)
  if (!planned || planned.state === 'failed') return []
  if (planned.moveId !== undefined && planned.state === 'confirmed') return afterMove(order, planned, outcome)
  if (planned.state === 'confirmed') return outcome.state === 'unmined' ? reopened(order, planned) : []
  switch (outcome.state) {
    case 'broadcast':
      return planned.state !== 'planned' && planned.txHash === outcome.txHash
        ? []
        : [{ type: 'settlement_broadcast', id, txHash: outcome.txHash }]
    case 'mined':
      return planned.state === 'mined' && planned.txHash === outcome.txHash
        ? []
        : [{ type: 'settlement_mined', id, txHash: outcome.txHash }]
    case 'waiting':
      return order.waitsForGuard?.includes(id) ? [] : [{ type: 'guard_awaited', id }]
    case 'approved':
      return order.waitsForGuard?.includes(id) ? [{ type: 'guard_wait_ended', id }] : []
    case 'unmined':
      return planned.state === 'mined' ? [{ type: 'settlement_unmined', id }] : []
    case 'confirmed':
      return settlementConfirmed(order, planned, outcome)
    case 'failed':
      return failureFacts(order, planned, outcome.reason, true)
    default:
      return outcome satisfies never
  }
}

/** What the guard has signed works once, so if our own transaction has succeeded, a reorganisation has undone the other one. */
function afterMove(order: Order, planned: Settlement, outcome: Outcome): readonly Fact[] {
  if (outcome.state === 'confirmed') return [{ type: 'settlement_lost', id: planned.id }, ...settlementConfirmed(order, planned, outcome)]
  return outcome.state === 'failed' && !planned.sendFailed ? [{ type: 'send_failed', id: planned.id }] : []
}

type Confirmed = Omit<Extract<Outcome, { state: 'confirmed' }>, 'state'> & { readonly moveId?: string }

export function settlementConfirmed(order: Order, planned: Settlement, outcome: Confirmed): readonly Fact[] {
  const { txHash, block, moveId, dust, networkFee } = outcome
  const paid = planned.legs.map((_, index) => outcome.paid[index] === true)
  const failure: Fact[] = paid[0] ? [] : failureFacts(order, planned, 'The recipient could not be paid; the money is held.')
  const swapped = planned.swap && { swapped: outcome.swapped ?? planned.swap.minOut }
  const network = { ...(dust !== undefined && { dust }), ...(networkFee !== undefined && { networkFee }) }
  return [{ type: 'settlement_confirmed', id: planned.id, txHash, block, paid, ...swapped, moveId, ...network }, ...failure]
}

/**
 * A reorganisation went deeper than the confirmations. An order is not COMPLETED while its recipient has nothing, so the new outcome
 * decides its status. Only one settlement of an order may be in flight, so nothing changes while another one is.
 */
function reopened(order: Order, settlement: Settlement): readonly Fact[] {
  if (runningSettlement(order)) return []
  const hadCompleted = order.status === 'COMPLETED' && paysRecipient(settlement)
  return [
    { type: 'settlement_unmined', id: settlement.id },
    ...(hadCompleted ? ([{ type: 'became', status: 'EXECUTING_ORDER' }] as const) : []),
  ]
}

const recipientRefused = 'The address did not take the money; it is held.'

/**
 * If a reorganisation removed the money first, the order already waits for it again, so its status does not become FAILED. If others have moved
 * some of it first, the rest is settled at once.
 */
function failureFacts(order: Order, { id, token }: Settlement, reason: string, movedNothing = false): Fact[] {
  const isExecuting = order.status === 'EXECUTING_ORDER' && !isOvertaken(order, id, token)
  const record: Fact[] = movedNothing || isExecuting ? [{ type: 'settlement_failed', id, reason }] : []
  return isExecuting ? [...record, { type: 'became', status: 'FAILED' }] : record
}

/** Settlements are listed in the order in which they became known. */
function isOvertaken({ settlements }: Order, id: string, token: Asset): boolean {
  const later = settlements.slice(settlements.findIndex((settlement) => settlement.id === id) + 1)
  return later.some(({ isForeign, state, token: moved }) => isForeign && state === 'confirmed' && sameAsset(moved, token))
}

/** Handles the outcomes of refunds from the deposit address and of refunds by a REFUND order that the merchant pays. */
export function refundOutcome(order: Order, id: string, outcome: Outcome): readonly Fact[] {
  const planned = order.refunds.find((refund) => refund.id === id)
  const isFinal = planned?.state === 'confirmed' || (planned?.state === 'failed' && planned.block !== undefined)
  if (outcome.state === 'unmined')
    return isFinal && planned.from === 'deposit' && planned.moveId === undefined ? [{ type: 'refund_unmined', id }] : []
  if (planned?.moveId !== undefined && outcome.state === 'failed') return planned.sendFailed ? [] : [{ type: 'send_failed', id }]
  if (planned?.moveId !== undefined && outcome.state === 'confirmed') return refundAfterMove(order, planned, outcome)
  // A refund that the merchant pays may still arrive after its REFUND order has expired.
  const isDecided =
    planned?.state === 'confirmed' || (planned?.state === 'failed' && !(planned.from === 'order' && outcome.state === 'confirmed'))
  if (!planned || isDecided) return []
  switch (outcome.state) {
    case 'broadcast':
      return planned.txHash === outcome.txHash ? [] : [{ type: 'refund_broadcast', id, txHash: outcome.txHash }]
    case 'mined':
      return []
    case 'waiting':
      return order.waitsForGuard?.includes(id) ? [] : [{ type: 'guard_awaited', id }]
    case 'approved':
      return order.waitsForGuard?.includes(id) ? [{ type: 'guard_wait_ended', id }] : []
    case 'confirmed': {
      const { txHash, block, dust = 0n } = outcome
      const gasTaken = (outcome.paid[1] ? planned.gas : 0n) + dust
      if (!outcome.paid[0])
        return [{ type: 'refund_failed', id, reason: recipientRefused, block, gasTaken }, ...notReturned(order, planned)]
      return refundPaid(order, planned, { txHash, block, gasTaken })
    }
    case 'failed':
      return [{ type: 'refund_failed', id, reason: outcome.reason, gasTaken: 0n }, ...notReturned(order, planned)]
    default:
      return outcome satisfies never
  }
}

/**
 * Our own transaction was not reverted, so the move of somebody else, which has paid it or only its gas, was not this refund. It was another one of
 * the same amount to the same address, or a reorganisation has undone it.
 */
function refundAfterMove(order: Order, planned: Refund, outcome: Extract<Outcome, { state: 'confirmed' }>): readonly Fact[] {
  const { id, moveId, txHash, block, gasTaken = 0n } = planned
  if (planned.sendFailed) return []
  const isTwin = (other: Refund) =>
    other.from === 'deposit' &&
    (other.state === 'pending' || (other.state === 'failed' && other.block === undefined)) &&
    sameAsset(other.asset, planned.asset) &&
    other.address === planned.address &&
    other.amount === planned.amount &&
    other.gas === planned.gas
  const twin = order.refunds.find(isTwin)
  const ofTwin = (found: Refund): readonly Fact[] =>
    planned.state === 'confirmed' && txHash !== undefined
      ? refundPaid(order, found, { txHash, block, gasTaken, moveId })
      : [{ type: 'refund_failed', id: found.id, reason: recipientRefused, block, gasTaken, moveId }]
  const own = { block: outcome.block, gasTaken: outcome.paid[1] ? planned.gas : 0n }
  return [
    { type: 'refund_lost', id },
    ...(outcome.paid[0]
      ? refundPaid(order, planned, { txHash: outcome.txHash, ...own })
      : [{ type: 'refund_failed', id, reason: recipientRefused, ...own } as const]),
    ...(twin ? ofTwin(twin) : []),
  ]
}

export function refundPaid(
  order: Order,
  { id, transfers }: Refund,
  paid: Omit<Extract<Fact, { type: 'refund_confirmed' }>, 'type' | 'id'>,
): readonly Fact[] {
  const isHeld = (key: string) => order.transfers.some((transfer) => transfer.key === key && transfer.state === 'held')
  const keys = transfers.filter(isHeld)
  const returned: Fact[] = keys.length > 0 ? [{ type: 'transfers_refunded', keys }] : []
  return [{ type: 'refund_confirmed', id, ...paid }, ...returned]
}

/** A reorganisation undid a final refund, and sending it again failed. */
const notReturned = (order: Order, refund: Refund): readonly Fact[] => (refund.reopened ? refundGone(order, refund) : [])

/** What a refund had returned is not returned any more: its transfers become `held`, and a REFUNDED order FAILED. */
export function refundGone(order: Order, refund: Refund): readonly Fact[] {
  const isKept = ({ key, state }: Transfer) => state === 'refunded' && (refund.transfers.includes(key) || order.status === 'REFUNDED')
  const keys = order.transfers.filter(isKept).map(({ key }) => key)
  return [
    ...(keys.length > 0 ? ([{ type: 'transfers_held', keys, reason: 'settlement_failed' }] as const) : []),
    ...(order.status === 'REFUNDED' ? ([{ type: 'became', status: 'FAILED' }] as const) : []),
  ]
}
