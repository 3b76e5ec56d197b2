import type { ChainId } from '../../../src/wire/chain.ts'
import type { Asset } from './asset.ts'
import type { BalanceSeen } from './balance.ts'
import type { Card, CardProblem, CardStatus } from './card.ts'
import type { Fact } from './facts.ts'
import type { Order, Transfer } from './order.ts'
import type { Quote } from './quote.ts'

/** What callers ask of an order: people, chains, timers and providers, all by the same door. */
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
  /** Everything that one look found. `quotes`: today's prices in what came, where the order's own have run out. */
  | { readonly type: 'arrived'; readonly transfers: readonly Arrival[]; readonly head: number; readonly quotes?: readonly Quote[] }
  | ({ readonly type: 'balance'; readonly head: number; readonly quote?: Quote } & BalanceSeen)
  | { readonly type: 'block'; readonly chainId: ChainId; readonly head: number }
  | { readonly type: 'vanished'; readonly keys: readonly string[] }
  /** `quote`: today's price for the rest of a converted payment. */
  | { readonly type: 'tick'; readonly quote?: Quote }
  | { readonly type: 'settlement'; readonly id: string; readonly outcome: Outcome }
  | { readonly type: 'refund_outcome'; readonly id: string; readonly outcome: Outcome }
  | { readonly type: 'refund'; readonly refund: RefundAsked }
  /** To the order of a refund: what was sent for it from the first order's deposit address, or why it was not. */
  | { readonly type: 'refund_sent'; readonly asset: Asset; readonly to: string; readonly amount: bigint; readonly outcome: RefundSent }
  /** Another order of the same invoice is paid; or it turned out not to be. */
  | { readonly type: 'supersede'; readonly by: string }
  | { readonly type: 'reinstate'; readonly supersededBy: string }
  /** Ends the time to pay earlier. */
  | { readonly type: 'shorten'; readonly expiresAt: number }
  | { readonly type: 'accept_early'; readonly txHash: string }
  /** A signed authorisation for a quote is on its way to the chain; or will provably never get there. */
  | { readonly type: 'authorized'; readonly quoteId: number }
  | { readonly type: 'unauthorized' }

export type Arrival = Omit<Transfer, 'state' | 'confirmations' | 'reason'>

export type Outcome =
  | { readonly state: 'broadcast' | 'mined'; readonly txHash: string }
  | { readonly state: 'unmined' }
  /** `block`: where it is, if it moved money of the deposit address. */
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
  /** What sending from the deposit address costs, taken from the amount when it is sent from there. */
  readonly gas: bigint
  readonly address: string
  readonly from: 'deposit' | 'order'
  readonly refundOrderId: string
  readonly reason?: string
}

/** Times and costs that are policy, not facts of one order. */
export interface Rules {
  readonly paymentWindowMs: number
  readonly extensionMs: number
  readonly extensionOpensMs: number
  readonly maxExtensions: number
  readonly retryAfterMs: readonly number[]
  /** How often a conversion is tried before its money goes back to a payer who said where. */
  readonly conversionAttempts: number
  readonly heldForMs: number
  readonly remindAfterMs: number
  /** After an order's time, how long a signature in flight still holds its expiry back: longer than any signature is good for. */
  readonly claimForMs: number
  /** What one more leg of a settlement, and a refund of its own, cost in that asset's smallest units. */
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
