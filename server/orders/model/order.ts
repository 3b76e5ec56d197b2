import type { ChainId } from '../../../src/wire/chain.ts'
import type { CreatedBy, OrderMetadata, OrderMode, OrderSettings, OrderStatus } from '../../../src/wire/order.ts'
import type { FiatCurrency } from '../../../src/wire/currency.ts'
import type { TradeType } from '../../../src/wire/quote.ts'
import type { OrderTerms } from '../../../src/wire/terms/order-terms.ts'
import type { Asset } from './asset.ts'
import type { ConfirmationTable } from './confirmations.ts'
import type { Card } from './card.ts'
import type { Deposits } from './deposits.ts'
import type { Placed } from './position.ts'
import type { FeeTerms, Quote } from './quote.ts'

/** An order may settle in this asset. Its organisation, or the order itself, names who then receives the money and the fees. */
export interface Destination {
  readonly asset: Asset
  readonly recipient: string
  readonly feeCollector: string
}

/** Terms are agreed when the order is created, and never change. */
export interface Terms {
  readonly mode: OrderMode
  /** Older orders have no recorded creator, so created-by.ts derives it. */
  readonly createdBy?: CreatedBy
  /** The caller wrote the amount in `fiatUnit`, or else in units of `unit`, or else of `asset`. */
  readonly amount: string
  readonly fiatUnit?: FiatCurrency
  /** It is set if the organisation's default currency, in which the amount is, cannot take the order itself. */
  readonly unit?: Asset
  /** The default destination consists of `asset`, `recipient` and `feeCollector`. */
  readonly asset: Asset
  readonly recipient: string
  /** The order may settle in any of these, of which the first is the default. Older orders have the default alone, and no list. */
  readonly destinations?: readonly Destination[]
  readonly tradeType: TradeType
  readonly slippageBps: number
  readonly fees: FeeTerms
  readonly feeCollector: string
  /** A payment that covers the fees and is short by at most this share of the required amount still completes the order. */
  readonly toleranceBps: number
  /** The merchant wants payments to be at least so deep. */
  readonly confirmations?: readonly ConfirmationTable[]
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

/** Where on its chain the transfer is may be unknown: a chain's feed may report one that is not included yet. */
export interface Transfer extends Placed {
  /** The key is the same whoever reports the transfer, so it is recorded once. Feeds make keys, and balance.ts does. */
  readonly key: string
  readonly asset: Asset
  readonly txHash: string
  readonly amount: bigint
  readonly seenAt: number
  readonly state: TransferState
  readonly confirmations: number
  readonly needed: number
  readonly reason?: HeldReason
  /** It was dropped because of this transaction. */
  readonly replacedBy?: string
}

export interface PlannedLeg {
  readonly role: 'recipient' | 'fees'
  readonly to: string
  readonly amount: bigint
}

/** A settlement converts this into its token before it pays any leg. If the conversion fails, no leg is paid. */
export interface Conversion {
  readonly source: Asset
  readonly amountIn: bigint
  readonly minOut: bigint
}

export interface Settlement {
  readonly id: string
  readonly token: Asset
  readonly swap?: Conversion
  /** Somebody else moved the money, as the terms allow: whoever releases the order, or has an operator's key. */
  readonly isForeign?: true
  readonly legs: readonly PlannedLeg[]
  readonly transfers: readonly string[]
  readonly state: 'planned' | 'broadcast' | 'mined' | 'confirmed' | 'failed'
  readonly txHash?: string
  /** The money left the deposit address at this height of its chain, which is known once it is final. */
  readonly block?: number
  readonly paid?: readonly boolean[]
  /** The conversion yielded this much of `token`, and the recipient got all of it but the fees. */
  readonly swapped?: bigint
  /** The deposit address had this much left, which was too little to stay there and was added to the last leg, or to the one that pays the network. */
  readonly dust?: bigint
  /** The network took this much of the fee collector's leg. */
  readonly networkFee?: bigint
  /** A reorganisation undid this settlement after it had completed the order. Until its new outcome is known, money changes no status. */
  readonly reopened?: true
  /** Somebody else has sent what the guard had signed for this settlement, and this is the id of that move. */
  readonly moveId?: string
  /** Then our own transaction is not in flight any more, should a reorganisation undo that move. */
  readonly sendFailed?: true
}

/** A merchant's signed request, which the guard verifies. The guard signs for one refund by each signature. */
export interface SignedRequest {
  readonly api_key: string
  readonly signature: string
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
  /** The money comes from the deposit address, or from a REFUND order that the merchant pays. */
  readonly from: 'deposit' | 'order'
  readonly evidence?: SignedRequest
  readonly refundOrderId?: string
  /** The refund returns these transfers completely, so they are marked as refunded when it is confirmed. */
  readonly transfers: readonly string[]
  readonly state: 'pending' | 'confirmed' | 'failed'
  /** A reorganisation undid this refund after it was final. */
  readonly reopened?: true
  readonly txHash?: string
  /** Somebody else has sent what a guard had signed, and this is the id of that move. */
  readonly moveId?: string
  /** As in a settlement. Of a refund that this service has not planned there never was a transaction of ours. */
  readonly sendFailed?: true
  /** The amount, or only its gas, left the deposit address at this height of its chain, which is known once it is final. */
  readonly block?: number
}

export interface Failure {
  readonly reason: string
  readonly at: number
  readonly attempts: number
}

/** Somebody with the publishable key has named it after money had arrived, so only the merchant's signature makes it the refund address. */
export interface ProposedAddress {
  readonly address: string
  readonly chainId: ChainId
  /** Unix milliseconds. */
  readonly at: number
}

export interface Order {
  readonly id: string
  readonly organizationId: string
  readonly organizationName: string
  readonly isLive: boolean
  readonly deposits: Deposits
  /** Where a contract holds the deposit address to these terms, nothing else can be done with its money. Orders of releases before 3.8 have none. */
  readonly depositTerms?: OrderTerms
  readonly hostedUrl: string
  /** The version counts the facts that produced this state. */
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly status: OrderStatus
  readonly terms: Terms
  /** The order was created with one quote for each destination. `quotes[0]` is the default's. */
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
  /** The address was given for this chain (see refund-address.ts). */
  readonly refundChainId?: ChainId
  readonly isRefundPlain?: boolean
  /** The merchant may agree to one of these (see refund-address.ts). */
  readonly proposedAddresses?: readonly ProposedAddress[]
  readonly transfers: readonly Transfer[]
  readonly settlements: readonly Settlement[]
  readonly refunds: readonly Refund[]
  readonly failure?: Failure
  /** The guard has not signed for these settlements and refunds yet. */
  readonly waitsForGuard?: readonly string[]
  readonly card?: Card
  /** The rail is set while the payer's latest choice is to pay by card. */
  readonly rail?: 'FIAT'
  readonly remindedAt?: number
  /** Money covers the order with this id, which is for the same invoice. So money that still arrives at this order is surplus. */
  readonly supersededBy?: string
}
