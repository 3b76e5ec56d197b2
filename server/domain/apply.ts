import type { Fact } from './facts.ts'
import type { Order, Refund, Settlement, Transfer } from './order.ts'

const changeTransfer = (order: Order, key: string, change: Partial<Transfer>): Order => ({
  ...order,
  transfers: order.transfers.map((one) => (one.key === key ? { ...one, ...change } : one)),
})

const changeSettlement = (order: Order, id: string, change: Partial<Settlement>): Order => ({
  ...order,
  settlements: order.settlements.map((one) => (one.id === id ? { ...one, ...change } : one)),
})

const changeRefund = (order: Order, id: string, change: Partial<Refund>): Order => ({
  ...order,
  refunds: order.refunds.map((one) => (one.id === id ? { ...one, ...change } : one)),
})

/** A mined settlement whose recipient was not paid stays on the books: its other legs moved money. */
const failSettlement = (order: Order, id: string): Order => ({
  ...order,
  settlements: order.settlements.map((one) => (one.id === id && one.state !== 'confirmed' ? { ...one, state: 'failed' } : one)),
})

/** A transfer seen again after its block went away takes its old place, and nothing of what was thought of it before. */
const withTransfer = (order: Order, transfer: Transfer): Order => {
  const known = order.transfers.some((one) => one.key === transfer.key)
  const transfers = known ? order.transfers.map((one) => (one.key === transfer.key ? transfer : one)) : [...order.transfers, transfer]
  return { ...order, transfers }
}

const withoutReason = (order: Order, key: string): Order => ({
  ...order,
  transfers: order.transfers.map((one) => {
    if (one.key !== key) return one
    const { reason: _, ...rest } = one
    return rest
  }),
})

/** Asked for an address again, the payer is no longer sent to the card provider. */
const byCrypto = (order: Order): Order => {
  const { rail: _, ...rest } = order
  return rest
}

const step = (order: Order, fact: Exclude<Fact, { type: 'created' }>, at: number): Order => {
  switch (fact.type) {
    case 'quoted':
      return {
        ...byCrypto(order),
        quotes: [...order.quotes, fact.quote],
        activeQuote: fact.quote.id,
        expiresAt: fact.expiresAt,
        instructedAt: order.instructedAt ?? at,
      }
    case 'chosen':
      return { ...byCrypto(order), activeQuote: fact.quoteId, instructedAt: order.instructedAt ?? at }
    case 'extended':
      return {
        ...order,
        expiresAt: fact.expiresAt,
        extensions: order.extensions + 1,
        quotes: order.quotes
          .map((quote) => (quote.id === order.activeQuote ? { ...quote, expiresAt: fact.expiresAt } : quote))
          .concat(fact.quote ?? []),
        activeQuote: fact.quote?.id ?? order.activeQuote,
      }
    case 'repriced':
      return {
        ...order,
        quotes: [...order.quotes, fact.quote],
        activeQuote: fact.quote.id,
        fixedQuote: fact.quote.id,
        instructedAt: order.instructedAt ?? at,
      }
    case 'source_fixed':
      return { ...order, fixedQuote: fact.quoteId, activeQuote: fact.quoteId, instructedAt: order.instructedAt ?? at }
    case 'source_released': {
      const { fixedQuote: _, ...rest } = order
      return rest
    }
    case 'refund_address_set':
      return { ...order, refundAddress: fact.address }
    case 'transfer_seen':
      return withTransfer(order, fact.transfer)
    case 'transfer_moved':
      return changeTransfer(order, fact.key, { block: fact.block, blockHash: fact.blockHash })
    case 'transfer_progressed':
      return changeTransfer(order, fact.key, { confirmations: fact.confirmations })
    case 'transfer_confirmed':
      return changeTransfer(order, fact.key, { state: 'confirmed' })
    case 'transfer_applied':
      return changeTransfer(withoutReason(order, fact.key), fact.key, { state: 'applied' })
    case 'transfer_held':
      return changeTransfer(order, fact.key, { state: 'held', reason: fact.reason })
    case 'transfer_refunded':
      return changeTransfer(order, fact.key, { state: 'refunded' })
    case 'transfer_dropped':
      return changeTransfer(withoutReason(order, fact.key), fact.key, { state: 'dropped', confirmations: 0 })
    case 'settlement_planned': {
      const { type: _, ...settlement } = fact
      return { ...order, settlements: [...order.settlements, { ...settlement, state: 'planned' }] }
    }
    case 'settlement_broadcast':
      return changeSettlement(order, fact.id, { state: 'broadcast', txHash: fact.txHash })
    case 'settlement_mined':
      return changeSettlement(order, fact.id, { state: 'mined', txHash: fact.txHash })
    case 'settlement_unmined':
      return changeSettlement(order, fact.id, { state: 'broadcast' })
    case 'settlement_confirmed':
      return changeSettlement(order, fact.id, {
        state: 'confirmed',
        txHash: fact.txHash,
        block: fact.block,
        paid: fact.paid,
        ...(fact.swapped === undefined ? {} : { swapped: fact.swapped }),
      })
    case 'settlement_failed':
      return { ...failSettlement(order, fact.id), failure: { reason: fact.reason, at, attempts: (order.failure?.attempts ?? 0) + 1 } }
    case 'refund_planned':
      return { ...order, refunds: [...order.refunds, fact.refund] }
    case 'refund_broadcast':
      return changeRefund(order, fact.id, { txHash: fact.txHash })
    case 'refund_confirmed':
      return changeRefund(order, fact.id, { state: 'confirmed', txHash: fact.txHash, block: fact.block, gasTaken: fact.gasTaken })
    case 'refund_failed':
      return changeRefund(order, fact.id, { state: 'failed', reason: fact.reason, block: fact.block, gasTaken: fact.gasTaken })
    case 'card_opened':
      return { ...order, card: fact.card, rail: 'FIAT' }
    case 'card_moved': {
      if (!order.card) return order
      const { problem: _, ...card } = order.card
      return { ...order, card: { ...card, status: fact.status, at: fact.at, ...(fact.problem && { problem: fact.problem }) } }
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

/** `updatedAt` strictly grows with each fact that is appended, whatever the clocks of several processes say. */
export const apply = (order: Order | undefined, fact: Fact, now: number): Order => {
  if (fact.type === 'created') {
    const { quote, ...birth } = fact.order
    return {
      ...birth,
      version: 1,
      createdAt: now,
      updatedAt: now,
      status: 'PENDING',
      quotes: [quote],
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
