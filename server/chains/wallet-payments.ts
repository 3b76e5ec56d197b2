import type { ChainAsset, Token } from './chain.ts'

/**
 * A page has no node, so where a wallet cannot be asked for a transfer in plain words, the service builds what it signs. The network takes such a
 * transaction once, and only for a while.
 */
export interface WalletPayments {
  build(payment: WalletPayment, signal: AbortSignal): Promise<BuiltPayment>
  /** Returns what the network takes from a payer who pays for it himself. */
  costOf(payment: Omit<WalletPayment, 'sponsor'>, signal: AbortSignal): Promise<PaymentCost>
  /** Returns what can still become of a transaction that was built for this payment. */
  fateOf(sent: SentPayment, signal: AbortSignal): Promise<PaymentFate>
}

/** In the native coin's smallest units. */
export interface PaymentCost {
  readonly fee: bigint
  /** The receiver's account for the token, if it has to be opened. */
  readonly account: bigint
}

export interface SentPayment extends Pick<WalletPayment, 'to' | 'amount'> {
  readonly token: ChainAsset
  readonly validUntil: number
  /** So much of what lies at the address is known to have come otherwise. */
  readonly known: bigint
}

export interface WalletPayment {
  readonly payer: string
  /** Pays the network fee, and has to sign too. Otherwise the payer pays it. */
  readonly sponsor?: string
  readonly token: Token
  readonly to: string
  readonly amount: bigint
}

export interface BuiltPayment {
  /** In base64, without signatures. */
  readonly transaction: string
  /** The height of the chain after which no block can include it. */
  readonly validUntil: number
}

export type PaymentFate =
  /** It may be included at any moment. */
  | 'open'
  /** So much more lies at the address than is known, which this transaction or another one has moved there. */
  | 'paid'
  /** No block can include it any more, and nothing has arrived. */
  | 'expired'
