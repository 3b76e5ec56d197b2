import type { CreatedBy, OrderMetadata, OrderMode, OrderSettings, OrderStatus } from '../../../src/wire/order.ts'
import type { FiatCurrency } from '../../../src/wire/currency.ts'
import type { TradeType } from '../../../src/wire/quote.ts'
import type { Asset } from './asset.ts'
import type { Card } from './card.ts'
import type { FeeTerms, Quote, Route } from './quote.ts'

/** What was agreed when the order was made; nothing in it ever changes. */
export interface Terms {
  readonly mode: OrderMode
  /** Absent on orders from before it was noted: `createdBy` of createdBy.ts knows what those count as. */
  readonly createdBy?: CreatedBy
  /** As the merchant wrote it: in `fiatUnit` when there is one, else in units of `asset`. */
  readonly amount: string
  readonly fiatUnit?: FiatCurrency
  readonly asset: Asset
  readonly recipient: string
  readonly tradeType: TradeType
  readonly slippageBps: number
  readonly fees: FeeTerms
  readonly feeCollector: string
  /** Short by no more than this share of the required amount still completes. */
  readonly toleranceBps: number
  readonly metadata: OrderMetadata
  readonly settings: OrderSettings
  /** On an order of mode REFUND. `fromDeposit`: the money is still at the first order's deposit address and is sent from there. */
  readonly refundOf?: { readonly orderId: string; readonly refundId: string; readonly fromDeposit: boolean }
  /** The invoice that this order pays, perhaps as one of several. */
  readonly invoiceId?: string
}

export type TransferState = 'seen' | 'confirmed' | 'applied' | 'refunded' | 'held' | 'dropped'

/**
 * Why money that arrived is not applied to the order. `other_source`: another currency's money took it. `too_little`: the order expired
 * with less than a sum that counts as a beginning. `no_price`: it came after its price had ended and waits for a price of its own.
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
  /** chain, transaction and log index: recorded once, whoever reports it. */
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

/** What a settlement changes into its token before it pays anyone: all of it or nothing. */
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
  /** Sends on what the conversion of an earlier one left over. */
  readonly isRest?: true
  readonly legs: readonly PlannedLeg[]
  /** The transfers it spends. */
  readonly transfers: readonly string[]
  readonly state: 'planned' | 'broadcast' | 'mined' | 'confirmed' | 'failed'
  readonly txHash?: string
  /** Once it is final: the block in which it left the deposit address. */
  readonly block?: number
  readonly paid?: readonly boolean[]
  /** What the conversion gave. */
  readonly swapped?: bigint
  /** It had paid the recipient, finally, and a reorganisation took that: until it is known how it ends, nothing else moves the order. */
  readonly reopened?: true
}

export interface Refund {
  readonly id: string
  readonly asset: Asset
  /** What leaves the order's money; the receiver gets it less gas. */
  readonly amount: bigint
  readonly gas: bigint
  /** Once its transaction is final: what of `gas` really left. Each leg is tried alone, so also a failed refund may have cost it. */
  readonly gasTaken?: bigint
  readonly address: string
  readonly reason?: string
  /** `deposit`: sent from the deposit address. `order`: by an order of mode REFUND that the merchant pays. `settlement`: a leg of it. */
  readonly from: 'deposit' | 'order' | 'settlement'
  readonly refundOrderId?: string
  /** Transfers that are given back whole by it. */
  readonly transfers: readonly string[]
  readonly state: 'pending' | 'confirmed' | 'failed'
  /** It was final, and a reorganisation took it. */
  readonly reopened?: true
  readonly txHash?: string
  /** Sent from the deposit address, once that is final: the block in which it left, or only its gas did. */
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
  /** As people read it; what is compared is its canonical form. */
  readonly depositAddress: string
  readonly hostedUrl: string
  /** How many facts made this state. */
  readonly version: number
  readonly createdAt: number
  readonly updatedAt: number
  readonly status: OrderStatus
  readonly terms: Terms
  /** quotes[0] is in the settlement asset and was made with the order. */
  readonly quotes: readonly Quote[]
  /** The quote whose instructions were given last. */
  readonly activeQuote: number
  /** The quote whose own confirmed money covered it first: it took the order, and nothing else is applied from then on. */
  readonly fixedQuote?: number
  /** A wallet signed for this quote and its transfer is in flight: nothing else is offered meanwhile. */
  readonly claimedQuote?: number
  readonly instructedAt?: number
  readonly expiresAt: number
  readonly extensions: number
  readonly refundAddress?: string
  readonly transfers: readonly Transfer[]
  readonly settlements: readonly Settlement[]
  readonly refunds: readonly Refund[]
  readonly failure?: Failure
  /** The newest payment by card. */
  readonly card?: Card
  /** The payer was last sent to the card provider. */
  readonly rail?: 'FIAT'
  readonly remindedAt?: number
  /** Another order pays the same invoice: this one takes nothing any more, and what still arrives is surplus. */
  readonly supersededBy?: string
}
