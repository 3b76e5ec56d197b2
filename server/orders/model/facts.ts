import type { ChainId } from '../../../src/wire/chain.ts'
import type { OrderEvent } from '../../../src/wire/event.ts'
import type { OrderStatus } from '../../../src/wire/order.ts'
import type { Conversion, HeldReason, Order, PlannedLeg, Refund, Terms, Transfer } from './order.ts'
import type { Asset } from './asset.ts'
import type { FoundConversion } from './commands.ts'
import type { Card, CardProblem, CardStatus } from './card.ts'
import type { Placed, Progress } from './position.ts'
import type { Quote } from './quote.ts'

/** A fact is a change that has happened to an order. Facts are numbered and appended, and never change. */
export type Fact =
  | { readonly type: 'created'; readonly order: NewOrder }
  | { readonly type: 'quoted'; readonly quote: Quote; readonly expiresAt: number }
  | { readonly type: 'chosen'; readonly quoteId: number }
  | { readonly type: 'extended'; readonly expiresAt: number; readonly quote?: Quote }
  | { readonly type: 'shortened'; readonly expiresAt: number }
  /** A fresh price was set for late money, or for the rest that is still due, in a currency whose price moves. */
  | { readonly type: 'repriced'; readonly quote: Quote }
  /** Confirmed money in this source covered its quote, so from now on the order takes no other source. */
  | { readonly type: 'source_fixed'; readonly quoteId: number }
  /** Money that arrived up to `until` still counts at the price of the released quote. Facts written before 3.6.0 have no `until`. */
  | { readonly type: 'source_released'; readonly until?: number }
  /** A signed payment of this quote is in flight and reserves the order. */
  | { readonly type: 'claimed'; readonly quoteId: number }
  /** That payment failed or took too long. Money that arrived up to `until` still counts at the price of its quote. */
  | { readonly type: 'claim_released'; readonly until?: number }
  /** Facts written before 3.7.0 say no chain. */
  | {
      readonly type: 'refund_address_set'
      readonly address: string
      readonly chainId?: ChainId
      readonly isPlain?: boolean
      readonly signed: boolean
    }
  | { readonly type: 'refund_address_proposed'; readonly address: string; readonly chainId: ChainId }
  /** One fact contains all transfers that are recorded at once, so that hundreds of small ones add a single row to the table of facts. */
  | { readonly type: 'transfers_seen'; readonly transfers: readonly Transfer[] }
  | ({ readonly type: 'transfer_moved'; readonly key: string } & Placed)
  /** Names positions and not transfers, so that hundreds of small transfers make it no longer. */
  | { readonly type: 'transfers_progressed'; readonly chainId: ChainId; readonly progress: readonly Progress[] }
  /** Facts written before 3.7.0 have the head of a chain of blocks instead, from which confirmations are counted. */
  | { readonly type: 'transfers_progressed'; readonly chainId: ChainId; readonly head: number }
  | { readonly type: 'transfers_confirmed'; readonly keys: readonly string[] }
  | { readonly type: 'transfers_applied'; readonly keys: readonly string[] }
  | { readonly type: 'transfers_held'; readonly keys: readonly string[]; readonly reason: HeldReason }
  | { readonly type: 'transfers_refunded'; readonly keys: readonly string[] }
  /** They are no longer part of the chain, or the transaction `replacedBy` has taken what theirs would have spent. */
  | { readonly type: 'transfers_dropped'; readonly keys: readonly string[]; readonly replacedBy?: string }
  | {
      readonly type: 'settlement_planned'
      readonly id: string
      readonly token: Asset
      readonly swap?: Conversion
      readonly legs: readonly PlannedLeg[]
      readonly transfers: readonly string[]
    }
  | { readonly type: 'settlement_broadcast'; readonly id: string; readonly txHash: string }
  | { readonly type: 'settlement_mined'; readonly id: string; readonly txHash: string }
  /** A reorganisation removed the block that contained the settlement, possibly one that counted as final. */
  | { readonly type: 'settlement_unmined'; readonly id: string }
  | {
      readonly type: 'settlement_confirmed'
      readonly id: string
      readonly txHash: string
      readonly block?: number
      readonly paid: readonly boolean[]
      readonly swapped?: bigint
      readonly moveId?: string
      readonly dust?: bigint
      readonly networkFee?: bigint
    }
  | { readonly type: 'settlement_failed'; readonly id: string; readonly reason: string }
  /** Somebody else has moved money from the deposit address, as the terms allow. It may be found again after it was lost. */
  | {
      readonly type: 'settlement_found'
      readonly id: string
      readonly token: Asset
      readonly legs: readonly PlannedLeg[]
      readonly swap?: FoundConversion
      readonly txHash: string
      readonly block: number
      /** The merchant learns of it. */
      readonly isAnnounced?: boolean
    }
  /** A reorganisation has undone what somebody else had moved. */
  | { readonly type: 'settlement_lost'; readonly id: string }
  /** Somebody else had sent what the guard had signed for this settlement or refund, and our own transaction has failed since. */
  | { readonly type: 'send_failed'; readonly id: string }
  /** The guard has not signed for this settlement or refund yet. */
  | { readonly type: 'guard_awaited'; readonly id: string }
  /** The guard has signed, or the money is gone for which it should have. */
  | { readonly type: 'guard_wait_ended'; readonly id: string }
  | { readonly type: 'refund_planned'; readonly refund: Refund }
  | { readonly type: 'refund_broadcast'; readonly id: string; readonly txHash: string }
  | {
      readonly type: 'refund_confirmed'
      readonly id: string
      readonly txHash: string
      readonly block?: number
      readonly gasTaken: bigint
      readonly moveId?: string
    }
  | {
      readonly type: 'refund_failed'
      readonly id: string
      readonly reason: string
      readonly block?: number
      readonly gasTaken: bigint
      readonly moveId?: string
    }
  | { readonly type: 'refund_unmined'; readonly id: string }
  /** Somebody else has sent a refund that this service has not planned. */
  | { readonly type: 'refund_found'; readonly refund: Refund }
  /** A reorganisation has undone a refund that somebody else had sent. */
  | { readonly type: 'refund_lost'; readonly id: string }
  | { readonly type: 'card_opened'; readonly card: Card }
  | { readonly type: 'card_moved'; readonly id: string; readonly status: CardStatus; readonly problem?: CardProblem; readonly at: number }
  | { readonly type: 'accepted_early'; readonly txHash: string }
  | { readonly type: 'reminded' }
  /** Money covers the order `by` of the same invoice instead. `by` is undefined once a reorganisation has removed that money. */
  | { readonly type: 'superseded'; readonly by: string | undefined }
  | { readonly type: 'became'; readonly status: OrderStatus }

export type NewOrder = Pick<
  Order,
  'id' | 'organizationId' | 'organizationName' | 'isLive' | 'deposits' | 'depositTerms' | 'hostedUrl' | 'expiresAt'
> & {
  readonly terms: Terms
  /** The quote is for the default destination, and the others are for the other destinations. */
  readonly quote: Quote
  readonly otherQuotes?: readonly Quote[]
}

const eventOfStatus: Record<OrderStatus, OrderEvent | undefined> = {
  PENDING: undefined,
  AWAITING_PAYMENT: 'ORDER_AWAITING_PAYMENT',
  AWAITING_CONFIRMATION: 'ORDER_CONFIRMING',
  OPTIMISTIC_CONFIRMED: undefined,
  PARTIAL_PAYMENT: 'ORDER_PARTIAL_PAYMENT',
  EXECUTING_ORDER: 'ORDER_EXECUTING',
  COMPLETED: 'ORDER_COMPLETED',
  EXPIRED: 'ORDER_EXPIRED',
  FAILED: 'ORDER_ERROR',
  REFUNDED: 'ORDER_REFUNDED',
}

export interface Announcement {
  readonly event: OrderEvent
  /** Progress is published to sockets only. An event on which a merchant acts is delivered to webhooks too. */
  readonly socketOnly: boolean
}

/** Returns the public event of a fact, and undefined for a fact that merchants and payers need not see on its own. */
export function announcementOf(fact: Fact): Announcement | undefined {
  switch (fact.type) {
    case 'created':
      return { event: 'ORDER_CREATED', socketOnly: false }
    case 'became': {
      if (fact.status === 'OPTIMISTIC_CONFIRMED') return { event: 'ORDER_CONFIRMING', socketOnly: true }
      const event = eventOfStatus[fact.status]
      return event && { event, socketOnly: false }
    }
    default:
      return undefined
  }
}

/** Names the event of a change that announces no status, which only sockets get. */
export function socketOnlyEvent(facts: readonly Fact[], status: OrderStatus): OrderEvent {
  const isProgress = facts.some(
    (fact) => fact.type === 'transfers_seen' || fact.type === 'transfers_progressed' || fact.type === 'transfers_confirmed',
  )
  return isProgress ? 'ORDER_CONFIRMING' : (eventOfStatus[status] ?? 'ORDER_CREATED')
}
