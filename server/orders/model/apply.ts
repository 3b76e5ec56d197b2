import { sameAsset } from './asset.ts'
import { isCharged } from './card.ts'
import { changeRefund, changeSettlement, changeTransfers, withoutReason } from './change.ts'
import { withDeposits } from './deposits.ts'
import type { Fact } from './facts.ts'
import { quoteById } from './funding.ts'
import { withPriceUntil, withQuote } from './kept-quotes.ts'
import type { Order, Refund, Settlement, Transfer } from './order.ts'
import { paidOut } from './paid-out.ts'
import { confirmationsBy, placedAt, positionOf } from './position.ts'
import { reopenRefund, reopenSettlement, withoutFoundRefund, withoutFoundSettlement } from './undone.ts'

export const applied = (order: Order, facts: readonly Fact[], at: number): Order =>
  facts.reduce((state, fact) => apply(state, fact, at), order)

/** A confirmed settlement whose recipient was not paid stays confirmed, because its conversion or other payments may have moved money. */
const failSettlement = (order: Order, id: string): Order => ({
  ...order,
  settlements: order.settlements.map((settlement) =>
    settlement.id === id && settlement.state !== 'confirmed' ? { ...settlement, state: 'failed' } : settlement,
  ),
})

const afterFailure = ({ refunds }: Order, id: string): Partial<Refund> =>
  refunds.some((refund) => refund.id === id && refund.state === 'failed') ? { sendFailed: true } : {}

/** A transfer that is seen again after a reorganisation keeps its position in the list, and loses its earlier state. */
function withTransfers(order: Order, seen: readonly Transfer[]): Order {
  const again = new Map(seen.map((transfer) => [transfer.key, transfer]))
  const kept = order.transfers.map((transfer) => again.get(transfer.key) ?? transfer)
  const known = new Set(order.transfers.map(({ key }) => key))
  return { ...order, transfers: [...kept, ...seen.filter(({ key }) => !known.has(key))] }
}

/** Confirmations never go back, and the count stops at the number that the transfer needs. */
function progressed(order: Order, fact: Extract<Fact, { type: 'transfers_progressed' }>): Order {
  const confirmationsOf =
    'head' in fact
      ? ({ block }: Transfer) => (block === undefined ? 0 : Math.max(0, fact.head - block + 1))
      : confirmationsBy(fact.progress)
  return {
    ...order,
    transfers: order.transfers.map((transfer) =>
      transfer.state === 'seen' && transfer.asset.chainId === fact.chainId
        ? { ...transfer, confirmations: Math.max(transfer.confirmations, Math.min(transfer.needed, confirmationsOf(transfer))) }
        : transfer,
    ),
  }
}

function withoutPosition(transfer: Transfer): Transfer {
  const { block: _block, blockHash: _blockHash, ...rest } = transfer
  return rest
}

/** This settlement or refund waits for the guard no longer. */
function withoutGuard(order: Order, id: string): Order {
  const { waitsForGuard = [], ...rest } = order
  const others = waitsForGuard.filter((waiting) => waiting !== id)
  return others.length > 0 ? { ...rest, waitsForGuard: others } : rest
}

function withFound(order: Order, { id, token, legs, swap, txHash, block }: Extract<Fact, { type: 'settlement_found' }>): Order {
  const conversion = swap && {
    swap: { source: swap.source, amountIn: swap.amountIn, minOut: swap.swapped },
    swapped: swap.swapped,
  }
  const paid = legs.map(() => true)
  const found: Settlement = { id, token, isForeign: true, legs, ...conversion, transfers: [], state: 'confirmed', txHash, block, paid }
  const isKnown = order.settlements.some((settlement) => settlement.id === id)
  return isKnown ? changeSettlement(order, id, found) : { ...order, settlements: [...order.settlements, found] }
}

function withoutClaim(order: Order): Order {
  const { claimedQuote: _, ...rest } = order
  return rest
}

/** A chosen quote is paid by transfer, so the page stops sending the payer to the card provider, unless `card_opened` follows. */
function withoutRail(order: Order): Order {
  const { rail: _, ...rest } = order
  return rest
}

function step(order: Order, fact: Exclude<Fact, { type: 'created' }>, at: number): Order {
  switch (fact.type) {
    case 'quoted':
      return {
        ...withQuote(withoutRail(order), fact.quote, at),
        activeQuote: fact.quote.id,
        expiresAt: fact.expiresAt,
        instructedAt: order.instructedAt ?? at,
      }
    case 'chosen':
      return { ...withoutRail(order), activeQuote: fact.quoteId, instructedAt: order.instructedAt ?? at }
    case 'extended':
      return {
        ...order,
        expiresAt: fact.expiresAt,
        extensions: order.extensions + 1,
        quotes: fact.quote
          ? [...order.quotes, fact.quote]
          : order.quotes.map((quote) => (quote.id === order.activeQuote ? { ...quote, expiresAt: fact.expiresAt } : quote)),
        activeQuote: fact.quote?.id ?? order.activeQuote,
      }
    case 'shortened':
      // No price is held for longer than the order waits.
      return {
        ...order,
        expiresAt: fact.expiresAt,
        quotes: order.quotes.map((quote) => ({ ...quote, expiresAt: Math.min(quote.expiresAt, fact.expiresAt) })),
      }
    case 'repriced': {
      // A late transfer in one currency does not change what the payer is asked to pay in another.
      const isAsked = sameAsset(quoteById(order, order.activeQuote).source, fact.quote.source)
      return {
        ...withQuote(order, fact.quote, at),
        activeQuote: isAsked ? fact.quote.id : order.activeQuote,
        instructedAt: order.instructedAt ?? at,
      }
    }
    case 'source_fixed':
      return { ...withoutClaim(order), fixedQuote: fact.quoteId, activeQuote: fact.quoteId, instructedAt: order.instructedAt ?? at }
    case 'claimed':
      return { ...order, claimedQuote: fact.quoteId, activeQuote: fact.quoteId, instructedAt: order.instructedAt ?? at }
    case 'claim_released':
      return withPriceUntil(withoutClaim(order), order.claimedQuote, fact.until)
    case 'source_released': {
      const { fixedQuote, ...rest } = order
      return withPriceUntil(rest, fixedQuote, fact.until)
    }
    case 'refund_address_set':
      return { ...order, refundAddress: fact.address, refundChainId: fact.chainId, isRefundPlain: fact.isPlain }
    case 'refund_address_proposed': {
      const { address, chainId } = fact
      return { ...order, proposedAddresses: [...(order.proposedAddresses ?? []), { address, chainId, at }] }
    }
    case 'transfers_seen':
      return withTransfers(order, fact.transfers)
    case 'transfer_moved':
      return changeTransfers(order, [fact.key], (transfer) => ({ ...withoutPosition(transfer), ...placedAt(positionOf(fact)) }))
    case 'transfers_progressed':
      return progressed(order, fact)
    case 'transfers_confirmed':
      return changeTransfers(order, fact.keys, (transfer) => ({ ...transfer, state: 'confirmed' }))
    case 'transfers_applied':
      return changeTransfers(order, fact.keys, (transfer) => ({ ...withoutReason(transfer), state: 'applied' }))
    case 'transfers_held':
      return changeTransfers(order, fact.keys, (transfer) => ({ ...transfer, state: 'held', reason: fact.reason }))
    case 'transfers_refunded':
      return changeTransfers(order, fact.keys, (transfer) => ({ ...transfer, state: 'refunded' }))
    case 'transfers_dropped':
      return changeTransfers(order, fact.keys, (transfer) => ({
        ...withoutReason(transfer),
        state: 'dropped',
        confirmations: 0,
        ...(fact.replacedBy !== undefined && { replacedBy: fact.replacedBy }),
      }))
    case 'settlement_planned': {
      const { type: _, ...settlement } = fact
      return { ...order, settlements: [...order.settlements, { ...settlement, state: 'planned' }] }
    }
    case 'guard_awaited':
      return { ...order, waitsForGuard: [...(order.waitsForGuard ?? []), fact.id] }
    case 'guard_wait_ended':
      return withoutGuard(order, fact.id)
    case 'settlement_broadcast':
      return changeSettlement(withoutGuard(order, fact.id), fact.id, { state: 'broadcast', txHash: fact.txHash })
    case 'settlement_mined':
      return changeSettlement(withoutGuard(order, fact.id), fact.id, { state: 'mined', txHash: fact.txHash })
    case 'settlement_unmined':
      return reopenSettlement(order, fact.id)
    case 'settlement_confirmed': {
      const { txHash, block, paid, swapped, moveId, dust, networkFee } = fact
      const before = order.settlements.find(({ id }) => id === fact.id)
      const legs = paidOut(before?.legs ?? [], swapped)
      const outcome = {
        ...{ txHash, block, paid, legs, moveId },
        ...(swapped !== undefined && { swapped }),
        ...(dust !== undefined && { dust }),
        ...(networkFee !== undefined && { networkFee }),
        ...(before?.state === 'failed' && { sendFailed: true as const }),
      }
      return changeSettlement(withoutGuard(order, fact.id), fact.id, { state: 'confirmed', ...outcome })
    }
    case 'settlement_found':
      return withFound(order, fact)
    case 'settlement_lost':
      return withoutFoundSettlement(order, fact.id)
    case 'settlement_failed':
      return {
        ...failSettlement(withoutGuard(order, fact.id), fact.id),
        failure: { reason: fact.reason, at, attempts: (order.failure?.attempts ?? 0) + 1 },
      }
    case 'refund_planned':
      return { ...order, refunds: [...order.refunds, fact.refund] }
    case 'refund_broadcast':
      return changeRefund(withoutGuard(order, fact.id), fact.id, { txHash: fact.txHash })
    case 'refund_confirmed': {
      const { id, txHash, block, gasTaken, moveId } = fact
      const outcome = { txHash, block, gasTaken, moveId, ...afterFailure(order, id) }
      return changeRefund(withoutGuard(order, id), id, { state: 'confirmed', ...outcome })
    }
    case 'refund_failed': {
      const { id, reason, block, gasTaken, moveId } = fact
      return changeRefund(withoutGuard(order, id), id, { state: 'failed', reason, block, gasTaken, moveId, ...afterFailure(order, id) })
    }
    case 'send_failed':
      return changeRefund(changeSettlement(withoutGuard(order, fact.id), fact.id, { sendFailed: true }), fact.id, { sendFailed: true })
    case 'refund_found':
      return { ...order, refunds: [...order.refunds, fact.refund] }
    case 'refund_lost':
      return withoutFoundRefund(order, fact.id)
    case 'refund_unmined':
      return reopenRefund(order, fact.id)
    case 'card_opened':
      return { ...order, card: fact.card, rail: 'FIAT' }
    case 'card_moved': {
      if (!order.card) return order
      const { problem: _, ...card } = order.card
      const moved = { ...card, status: fact.status, at: fact.at, ...(fact.problem && { problem: fact.problem }) }
      // The payer may have chosen another way before paying on the provider's page.
      return { ...order, card: moved, ...(isCharged(moved) && { rail: 'FIAT' as const }) }
    }
    case 'accepted_early':
      return order
    case 'reminded':
      return { ...order, remindedAt: at }
    case 'superseded':
      return { ...order, supersededBy: fact.by }
    case 'became':
      return { ...order, status: fact.status }
    default:
      return fact satisfies never
  }
}

/** Applies one fact. `updatedAt` strictly increases with each fact, even when the clocks of several processes differ. */
export function apply(order: Order | undefined, fact: Fact, now: number): Order {
  if (fact.type === 'created') {
    const { quote, otherQuotes = [], ...birth } = withDeposits(fact.order)
    return {
      ...birth,
      version: 1,
      createdAt: now,
      updatedAt: now,
      status: 'PENDING',
      quotes: [quote, ...otherQuotes],
      activeQuote: quote.id,
      extensions: 0,
      transfers: [],
      settlements: [],
      refunds: [],
    }
  }
  if (!order) throw new Error(`fact ${fact.type} came before the order was created`)
  return { ...step(order, fact, now), version: order.version + 1, updatedAt: Math.max(now, order.updatedAt + 1) }
}

export const replay = (facts: readonly { readonly fact: Fact; readonly at: number }[]): Order | undefined =>
  facts.reduce<Order | undefined>((order, { fact, at }) => apply(order, fact, at), undefined)
