import type { CreatedBy, OrderMetadata, OrderMode, OrderSettings, OrderStatus } from '../../../src/wire/order.ts'
import type { FiatCurrency } from '../../../src/wire/currency.ts'
import type { TradeType } from '../../../src/wire/quote.ts'
import type { Asset } from './asset.ts'
import type { Card } from './card.ts'
import type { FeeTerms, Quote, Route } from './quote.ts'

/** Terms are agreed when the order is created, and never change. */
export interface Terms {
  readonly mode: OrderMode
  /** Older orders have no recorded creator, so created-by.ts derives it. */
  readonly createdBy?: CreatedBy
  /** The caller wrote the amount in `fiatUnit` if that is set, else in units of `asset`. */
  readonly amount: string
  readonly fiatUnit?: FiatCurrency
  readonly asset: Asset
  readonly recipient: string
  readonly tradeType: TradeType
  readonly slippageBps: number
  readonly fees: FeeTerms
  readonly feeCollector: string
  /** A payment that covers the fees and is short by at most this share of the required amount still completes the order. */
  readonly toleranceBps: number
  readonly metadata: OrderMetadata
  readonly settings: OrderSettings
  /** Only a REFUND order has this. It refunds `orderId`, and with `fromDeposit` the deposit address of that order sends the money. */
  readonly refundOf?: { readonly orderId: string; readonly refundId: string; readonly fromDeposit: boolean }
  /** This order pays the invoice with this id, possibly as one of several orders. */
  readonly invoiceId?: string
}

export type TransferState = 'seen' | 'confirmed' | 'applied' | 'refunded' | 'held' | 'dropped'

/**
 * Money that cannot be applied stays at the deposit address for one of these reasons. `other_source` means that the order is paid in
 * another currency, `too_little` that it expired before this source reached the smallest sum that counts as a payment, and `no_price`
 * that the money arrived after its quote had expired and waits for a fresh price.
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
  /** The key is the same whoever reports the transfer, so it is recorded once: see observe.ts and balance.ts. */
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

/** A settlement converts this into its token before it pays any leg. If the conversion fails, no leg is paid. */
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
  /** This settlement sends what an earlier settlement's conversion left over. */
  readonly isRest?: true
  readonly legs: readonly PlannedLeg[]
  readonly transfers: readonly string[]
  readonly state: 'planned' | 'broadcast' | 'mined' | 'confirmed' | 'failed'
  readonly txHash?: string
  /** The money left the deposit address in this block, which is known once it is final. */
  readonly block?: number
  readonly paid?: readonly boolean[]
  /** The conversion yielded this much of `token`. */
  readonly swapped?: bigint
  /** A reorganisation undid this settlement after it had completed the order. Until its new outcome is known, money changes no status. */
  readonly reopened?: true
}

export interface Refund {
  readonly id: string
  readonly asset: Asset
  /** The refund takes this much of the order's money, and the receiver gets it less gas. */
  readonly amount: bigint
  readonly gas: bigint
  /** The final transaction shows how much of `gas` was really taken. Legs fail independently, so a failed refund may have taken it too. */
  readonly gasTaken?: bigint
  readonly address: string
  readonly reason?: string
  /** The money comes from the deposit address, from a REFUND order that the merchant pays, or from a leg of a settlement. */
  readonly from: 'deposit' | 'order' | 'settlement'
  readonly refundOrderId?: string
  /** The refund returns these transfers completely, so they are marked as refunded when it is confirmed. */
  readonly transfers: readonly string[]
  readonly state: 'pending' | 'confirmed' | 'failed'
  /** A reorganisation undid this refund after it was final. */
  readonly reopened?: true
  readonly txHash?: string
  /** The amount, or only its gas, left the deposit address in this block, which is known once it is final. */
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
  /** The address is in display form (EIP-55), and comparisons use the canonical form. */
  readonly depositAddress: string
  readonly hostedUrl: string
  /** The version counts the facts that produced this state. */
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly status: OrderStatus
  readonly terms: Terms
  /** `quotes[0]` is in the settlement asset and was created with the order. */
  readonly quotes: readonly Quote[]
  /** The payer was last asked to pay this quote. Until the first time it is `quotes[0]`. */
  readonly activeQuote: number
  /** Confirmed money in its own source covered this quote first, so money in other sources is no longer applied. */
  readonly fixedQuote?: number
  /** A payer signed for this quote and the transfer is in flight, so no other quote is offered meanwhile. */
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
  /** The rail is set while the payer's latest choice is to pay by card. */
  readonly rail?: 'FIAT'
  readonly remindedAt?: number
  /** Money covers the order with this id, which is for the same invoice. So money that still arrives at this order is surplus. */
  readonly supersededBy?: string
}
