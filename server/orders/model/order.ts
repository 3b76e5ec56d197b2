import type { CreatedBy, OrderMetadata, OrderMode, OrderSettings, OrderStatus } from '../../../src/wire/order.ts'
import type { FiatCurrency } from '../../../src/wire/currency.ts'
import type { TradeType } from '../../../src/wire/quote.ts'
import type { Asset } from './asset.ts'
import type { Card } from './card.ts'
import type { FeeTerms, Quote, Route } from './quote.ts'

/** What was agreed when the order was made; nothing in it ever changes. */
export interface Terms {
  readonly mode: OrderMode
  /** Absent on orders created before it was recorded: `createdBy` of created-by.ts says what those count as. */
  readonly createdBy?: CreatedBy
  /** As the merchant wrote it: in `fiatUnit` where that is set, else in units of `asset`. */
  readonly amount: string
  readonly fiatUnit?: FiatCurrency
  readonly asset: Asset
  readonly recipient: string
  readonly tradeType: TradeType
  readonly slippageBps: number
  readonly fees: FeeTerms
  readonly feeCollector: string
  /** A payment that is short by no more than this share of the required amount still completes the order. */
  readonly toleranceBps: number
  readonly metadata: OrderMetadata
  readonly settings: OrderSettings
  /** On a REFUND order. `fromDeposit`: the money is still at the first order's deposit address and is sent from there. */
  readonly refundOf?: { readonly orderId: string; readonly refundId: string; readonly fromDeposit: boolean }
  /** The invoice that this order pays, possibly as one of several orders. */
  readonly invoiceId?: string
}

export type TransferState = 'seen' | 'confirmed' | 'applied' | 'refunded' | 'held' | 'dropped'

/**
 * Why money that arrived is not applied to the order. `other_source`: the order is being paid in another currency. `too_little`: the order
 * expired before this source reached the smallest sum that counts as a payment. `no_price`: it arrived after its quote had expired and
 * waits for a fresh price.
 */
export type HeldReason =
  | 'wrong_token'
  | 'wrong_chain'
  | 'other_source'
  | 'too_little'
  | 'no_price'
  | 'after_settlement'
  | 'settlement_failed'
  | 'surplus'

export interface Transfer {
  /** Chain, transaction hash and log index: recorded once, whoever reports it. */
  readonly key: string
  readonly asset: Asset
  readonly txHash: string
  readonly amount: bigint
  readonly block: number
  readonly blockHash: string
  readonly seenAt: number
  readonly state: TransferState
  readonly confirmations: number
  readonly needed: number
  readonly reason?: HeldReason
}

export interface PlannedLeg {
  readonly role: 'recipient' | 'fees' | 'gas' | 'refund'
  readonly to: string
  readonly amount: bigint
}

/** A settlement converts this into its token before it pays anyone: all of it or nothing. */
export interface Conversion {
  readonly source: Asset
  readonly amountIn: bigint
  readonly minOut: bigint
  readonly route: Route
}

export interface Settlement {
  readonly id: string
  readonly token: Asset
  readonly swap?: Conversion
  /** Sends on what an earlier settlement's conversion left over. */
  readonly isRest?: true
  readonly legs: readonly PlannedLeg[]
  readonly transfers: readonly string[]
  readonly state: 'planned' | 'broadcast' | 'mined' | 'confirmed' | 'failed'
  readonly txHash?: string
  /** The block in which the money left the deposit address; known once it is final. */
  readonly block?: number
  readonly paid?: readonly boolean[]
  /** What the conversion yielded. */
  readonly swapped?: bigint
  /**
   * It had finally paid the recipient, and a reorganisation undid that. Until its outcome is known, nothing else changes the order's
   * status.
   */
  readonly reopened?: true
}

export interface Refund {
  readonly id: string
  readonly asset: Asset
  /** What is taken from the order's money; the receiver gets it less gas. */
  readonly amount: bigint
  readonly gas: bigint
  /**
   * How much of `gas` was really taken; known once its transaction is final. Legs fail independently, so a failed refund may have cost it
   * too.
   */
  readonly gasTaken?: bigint
  readonly address: string
  readonly reason?: string
  /** `deposit`: sent from the deposit address. `order`: by a REFUND order that the merchant pays. `settlement`: a leg of a settlement. */
  readonly from: 'deposit' | 'order' | 'settlement'
  readonly refundOrderId?: string
  /** Transfers that it returns as a whole. */
  readonly transfers: readonly string[]
  readonly state: 'pending' | 'confirmed' | 'failed'
  /** It was final, and a reorganisation undid it. */
  readonly reopened?: true
  readonly txHash?: string
  /** Of a refund from the deposit address, once final: the block in which the amount, or only its gas, left. */
  readonly block?: number
}

export interface Failure {
  readonly reason: string
  readonly at: number
  readonly attempts: number
}

export interface Order {
  readonly id: string
  readonly organizationId: string
  readonly organizationName: string
  readonly isLive: boolean
  /** In display form (EIP-55). Comparisons use the canonical form. */
  readonly depositAddress: string
  readonly hostedUrl: string
  /** The number of facts that produced this state. */
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly status: OrderStatus
  readonly terms: Terms
  /** quotes[0] is in the settlement asset and was created with the order. */
  readonly quotes: readonly Quote[]
  /** The quote whose payment instructions were given last. */
  readonly activeQuote: number
  /** The first quote that confirmed money in its own source covered. From then on no other source is applied. */
  readonly fixedQuote?: number
  /** A wallet signed for this quote and its transfer is in flight: no other quote is offered meanwhile. */
  readonly claimedQuote?: number
  readonly instructedAt?: number
  readonly expiresAt: number
  readonly extensions: number
  readonly refundAddress?: string
  readonly transfers: readonly Transfer[]
  readonly settlements: readonly Settlement[]
  readonly refunds: readonly Refund[]
  readonly failure?: Failure
  readonly card?: Card
  /** Set while the payer was last sent to the card provider. */
  readonly rail?: 'FIAT'
  readonly remindedAt?: number
  /** Another order pays the same invoice: this one accepts no more money, and what still arrives is surplus. */
  readonly supersededBy?: string
}
