import type { ChainId } from '../../../src/wire/chain.ts'
import type { Asset } from './asset.ts'
import type { Card, CardProblem, CardStatus } from './card.ts'
import type { Fact } from './facts.ts'
import type { GivenRefundAddress } from './refund-address.ts'
import type { Order, PlannedLeg, SignedRequest, Transfer } from './order.ts'
import type { Position, Progress } from './position.ts'
import type { Quote } from './quote.ts'

/** Payers, merchants, chain watchers, timers and providers change an order only by these commands. */
export type Command =
  | {
      readonly type: 'choose'
      readonly source: Asset
      readonly quote: Quote | undefined
      readonly refundAddress?: GivenRefundAddress
      readonly signed: boolean
    }
  /** Without a payment, this is for money that may have arrived already. */
  | { readonly type: 'give_refund_address'; readonly refundAddress: GivenRefundAddress; readonly signed: boolean }
  | { readonly type: 'card'; readonly quote: Quote; readonly card: Card }
  | { readonly type: 'card_news'; readonly id: string; readonly status: CardStatus; readonly problem?: CardProblem; readonly at: number }
  | { readonly type: 'extend'; readonly quote: Quote | undefined }
  /** These transfers were read from the chain. `quotes` are fresh prices for currencies whose quotes on the order have expired. */
  | {
      readonly type: 'arrived'
      readonly transfers: readonly Arrival[]
      /** Other transactions spend what these would have spent, possibly to pay the order as well. */
      readonly replaced?: readonly Replaced[]
      readonly quotes?: readonly Quote[]
    }
  | ({ readonly type: 'balance'; readonly quote?: Quote } & ObservedBalance)
  /** Transfers at these positions still are part of the chain and have so many confirmations. */
  | { readonly type: 'progress'; readonly chainId: ChainId; readonly progress: readonly Progress[] }
  | { readonly type: 'vanished'; readonly keys: readonly string[] }
  /** `quote` is a fresh price for late money or for the rest that is still due, if the order waits for one. */
  | { readonly type: 'tick'; readonly quote?: Quote }
  /** Somebody else has moved money from the deposit address to where the terms say, in a transaction that is final. */
  | ({ readonly type: 'found' } & FoundMove)
  /** Somebody else has sent a refund for which a guard had signed, in a transaction that is final. */
  | ({ readonly type: 'found_refund' } & FoundRefund)
  | { readonly type: 'lost'; readonly id: string }
  | { readonly type: 'settlement'; readonly id: string; readonly outcome: Outcome }
  | { readonly type: 'refund_outcome'; readonly id: string; readonly outcome: Outcome }
  | { readonly type: 'refund'; readonly refund: RefundAsked }
  /** For a REFUND order: the deposit address of the order that is refunded has paid it, or could not. */
  | { readonly type: 'refund_sent'; readonly asset: Asset; readonly to: string; readonly amount: bigint; readonly outcome: RefundSent }
  /** Money, confirmed or not, covers the order `by` of the same invoice. */
  | { readonly type: 'supersede'; readonly by: string }
  /** A reorganisation removed that money. */
  | { readonly type: 'reinstate'; readonly supersededBy: string }
  | { readonly type: 'shorten'; readonly expiresAt: number }
  | { readonly type: 'accept_early'; readonly txHash: string }
  /** A transfer that the payer has signed for this quote (EIP-3009) is about to be broadcast. */
  | { readonly type: 'authorized'; readonly quoteId: number }
  /** The transaction with that transfer failed or was refused, or the payer's signature can never be used again. */
  | { readonly type: 'unauthorized' }

/** A balance is read at a final position, so what it shows needs no further confirmation. */
export interface ObservedBalance {
  readonly asset: Asset
  readonly balance: bigint
  readonly at: Position
  readonly needed: number
}

interface Found {
  /** The same move has the same id, whoever reports it. */
  readonly id: string
  readonly asset: Asset
  readonly txHash: string
  readonly block: number
}

export interface FoundMove extends Found {
  /** Only what was paid is listed. */
  readonly legs: readonly PlannedLeg[]
  readonly swap?: FoundConversion
}

/** Before the legs were paid, this was converted to `swapped` of the asset. */
export interface FoundConversion {
  readonly source: Asset
  readonly amountIn: bigint
  readonly swapped: bigint
}

export interface FoundRefund extends Found {
  readonly legs: readonly { readonly to: string; readonly amount: bigint }[]
}

/** Another transaction, whose hash is `by`, has replaced the one of this transfer. */
export interface Replaced {
  readonly key: string
  readonly by: string
}

export type Arrival = Omit<Transfer, 'state' | 'reason'>

export type Outcome =
  | { readonly state: 'broadcast' | 'mined'; readonly txHash: string }
  | { readonly state: 'unmined' }
  /** The guard has not signed for it yet. */
  | { readonly state: 'waiting' }
  /** The guard has signed for it after all. */
  | { readonly state: 'approved' }
  /** The transaction is at the height `block`, which is absent if this order's deposit address did not send the money. */
  | {
      readonly state: 'confirmed'
      readonly txHash: string
      readonly block?: number
      readonly paid: readonly boolean[]
      readonly swapped?: bigint
      /** Too little to stay at the deposit address, this was added to the last leg, or to the one that pays the network. */
      readonly dust?: bigint
      /** The fee collector got this much less, because the transaction paid its own fee. */
      readonly networkFee?: bigint
    }
  | { readonly state: 'failed'; readonly reason: string }

export type RefundSent = { readonly state: 'confirmed'; readonly txHash: string } | { readonly state: 'failed'; readonly reason: string }

export interface RefundAsked {
  readonly id: string
  readonly asset: Asset
  readonly amount: bigint
  /** A refund that is sent from the deposit address is reduced by the cost of its gas, in smallest units of the asset. */
  readonly gas: bigint
  readonly address: string
  readonly from: 'deposit' | 'order'
  readonly refundOrderId: string
  readonly reason?: string
  readonly evidence?: SignedRequest
}

export interface Policy {
  readonly paymentWindowMs: number
  readonly extensionMs: number
  readonly extensionOpensMs: number
  readonly maxExtensions: number
  readonly retryAfterMs: readonly number[]
  /** After this many failed conversions the money is refunded to a payer who gave a refund address. */
  readonly conversionAttempts: number
  /** A transfer that its chain includes only later than this after it was seen counts as seen then, so nobody holds a price with it. */
  readonly sightHoldsMs: number
  readonly remindAfterMs: number
  /** A signed payment in flight delays an order's expiry by at most this, which is longer than any accepted signature is valid. */
  readonly claimForMs: number
  /** In this last part of the time before its money may be released, an order gets no new price and no more time. */
  readonly closesBeforeReleaseMs: number
  /** Returns the cost of a separate refund transaction, in the asset's smallest units. Where it spends each transfer, their number counts. */
  refundGas(asset: Asset, transfers?: number): bigint
  /** Returns the smallest amount that the asset's chain can pay to this address, in the asset's smallest units. */
  leastLeg(asset: Asset, to: string): bigint
  /** Says whether transactions of the asset's chain pay their fee from the money that they move. */
  paysItself?(asset: Asset): boolean
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
    | 'no_guard'
    | 'signature_used'
    | 'near_release'
    | 'no_terms'
  readonly message: string
}

export const accept = (facts: readonly Fact[]): Decision => ({ ok: true, facts })
export const refuse = (code: Refusal['code'], message: string): Decision => ({ ok: false, refusal: { code, message } })

export const isOpen = (order: Order): boolean =>
  order.status === 'PENDING' || order.status === 'AWAITING_PAYMENT' || order.status === 'PARTIAL_PAYMENT' || order.status === 'EXPIRED'
