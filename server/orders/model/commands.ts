import type { ChainId } from '../../../src/wire/chain.ts'
import type { Asset } from './asset.ts'
import type { Card, CardProblem, CardStatus } from './card.ts'
import type { Fact } from './facts.ts'
import type { Order, Transfer } from './order.ts'
import type { Quote } from './quote.ts'

/** Everything that can be asked of an order: by payers, merchants, chain watchers, timers and providers. */
export type Command =
  | {
      readonly type: 'choose'
      readonly source: Asset
      readonly quote: Quote | undefined
      readonly refundAddress?: string
      readonly signed: boolean
    }
  | { readonly type: 'card'; readonly quote: Quote; readonly card: Card }
  | { readonly type: 'card_news'; readonly id: string; readonly status: CardStatus; readonly problem?: CardProblem; readonly at: number }
  | { readonly type: 'extend'; readonly quote: Quote | undefined }
  /** All transfers found by one scan. `quotes`: fresh prices in their currencies, where the order's own quotes have expired. */
  | { readonly type: 'arrived'; readonly transfers: readonly Arrival[]; readonly head: number; readonly quotes?: readonly Quote[] }
  | ({ readonly type: 'balance'; readonly head: number; readonly quote?: Quote } & ObservedBalance)
  | { readonly type: 'block'; readonly chainId: ChainId; readonly head: number }
  | { readonly type: 'vanished'; readonly keys: readonly string[] }
  /** `quote`: a fresh price for what remains of a converted payment. */
  | { readonly type: 'tick'; readonly quote?: Quote }
  | { readonly type: 'settlement'; readonly id: string; readonly outcome: Outcome }
  | { readonly type: 'refund_outcome'; readonly id: string; readonly outcome: Outcome }
  | { readonly type: 'refund'; readonly refund: RefundAsked }
  /** To a REFUND order: what the first order's deposit address sent for it, or why it could not. */
  | { readonly type: 'refund_sent'; readonly asset: Asset; readonly to: string; readonly amount: bigint; readonly outcome: RefundSent }
  /** Another order of the same invoice was paid; or it turned out not to be. */
  | { readonly type: 'supersede'; readonly by: string }
  | { readonly type: 'reinstate'; readonly supersededBy: string }
  /** Shortens the time to pay. */
  | { readonly type: 'shorten'; readonly expiresAt: number }
  | { readonly type: 'accept_early'; readonly txHash: string }
  /** A signed authorisation for a quote was broadcast; or it provably never reaches the chain. */
  | { readonly type: 'authorized'; readonly quoteId: number }
  | { readonly type: 'unauthorized' }

export interface ObservedBalance {
  readonly asset: Asset
  readonly balance: bigint
  readonly block: number
  readonly blockHash: string
  readonly needed: number
}

export type Arrival = Omit<Transfer, 'state' | 'confirmations' | 'reason'>

export type Outcome =
  | { readonly state: 'broadcast' | 'mined'; readonly txHash: string }
  | { readonly state: 'unmined' }
  /** `block`: where it was mined, if it moved money of the deposit address. */
  | {
      readonly state: 'confirmed'
      readonly txHash: string
      readonly block?: number
      readonly paid: readonly boolean[]
      readonly swapped?: bigint
    }
  | { readonly state: 'failed'; readonly reason: string }

export type RefundSent = { readonly state: 'confirmed'; readonly txHash: string } | { readonly state: 'failed'; readonly reason: string }

export interface RefundAsked {
  readonly id: string
  readonly asset: Asset
  readonly amount: bigint
  /** The gas of sending it from the deposit address; deducted from the amount when it is sent from there. */
  readonly gas: bigint
  readonly address: string
  readonly from: 'deposit' | 'order'
  readonly refundOrderId: string
  readonly reason?: string
}

/** Times and costs that are the operator's policy rather than facts of one order. */
export interface Policy {
  readonly paymentWindowMs: number
  readonly extensionMs: number
  readonly extensionOpensMs: number
  readonly maxExtensions: number
  readonly retryAfterMs: readonly number[]
  /** How many times a conversion is tried before its money goes back to a payer who gave a refund address. */
  readonly conversionAttempts: number
  readonly remindAfterMs: number
  /** How long a signature in flight still delays an order's expiry: longer than any signature is valid. */
  readonly claimForMs: number
  /** The gas of one more leg of a settlement, and of a refund of its own, in that asset's smallest units. */
  legGas(asset: Asset): bigint
  refundGas(asset: Asset): bigint
}

export type Decision = { readonly ok: true; readonly facts: readonly Fact[] } | { readonly ok: false; readonly refusal: Refusal }

export type Refusal = {
  readonly code:
    | 'source_fixed'
    | 'not_payable'
    | 'too_early'
    | 'too_often'
    | 'refund_address_fixed'
    | 'refund_too_large'
    | 'nothing_to_refund'
  readonly message: string
}

export const accept = (facts: readonly Fact[]): Decision => ({ ok: true, facts })
export const refuse = (code: Refusal['code'], message: string): Decision => ({ ok: false, refusal: { code, message } })

export const isOpen = (order: Order): boolean =>
  order.status === 'PENDING' || order.status === 'AWAITING_PAYMENT' || order.status === 'PARTIAL_PAYMENT' || order.status === 'EXPIRED'
