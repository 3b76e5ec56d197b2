import type { PaymentRequirements } from '../../src/wire/x402.ts'
import type { Sql, Tx } from '../database/connect.ts'
import type { Payout } from './payouts.ts'

/**
 * Some chains let a payer sign a transfer that somebody else broadcasts and pays for (x402 version 2, scheme `exact`). What is signed, who
 * may use it, and how one sees that it was used differ by kind of chain. Routes, offers and books do not.
 */
export interface X402Scheme {
  /** This is the chain's CAIP-2 name. */
  readonly network: string
  /** The x402 library of this kind of chain has this reason for a transaction that failed. */
  readonly transactionFailed: string
  /** The operator pays for something before the payer does, so orders that anybody can make get no offers. */
  readonly needsSignedOrder: boolean
  /** Returns what a payer must sign, or undefined if this token takes no signatures. */
  requirements(token: SignableToken, amount: bigint, payTo: string, maxTimeoutSeconds: number): PaymentRequirements | undefined
  /** Parses a payload without verifying it, and returns undefined if it is not one of this scheme. */
  read(payload: unknown): SignedPayment | undefined
  /** Looks up what has become of a signature, whoever broadcast it. It cannot be older than `since`, in milliseconds. */
  status(sql: Sql, signed: SignedTransfer, since: number, signal: AbortSignal): Promise<TransferStatus>
  /** Returns what must be on the chain before a wallet can foresee that the offer's payment succeeds, if anything. */
  preparation?(sql: Sql, orderId: string, offer: PaymentRequirements, signal: AbortSignal): Promise<Preparation | undefined>
}

/** The x402 libraries have no reason for a transfer that costs more than the operator pays for. */
export const gasLimitExceeded = 'gas_limit_exceeded'

export interface SignableToken {
  readonly address: string | null
  /** A token with this EIP-712 domain supports EIP-3009. */
  readonly eip3009?: { readonly name: string; readonly version: string }
}

/** A payer has signed this transfer. All members are in canonical form, and `network`, `asset`, `payer` and `nonce` identify it. */
export interface SignedTransfer {
  readonly network: string
  readonly asset: string
  readonly payer: string
  /** The chain accepts it only once. */
  readonly nonce: string
  readonly payTo: string
  readonly value: bigint
  /** In Unix seconds. What only the operator can broadcast has none: his queue knows what has become of it. */
  readonly validBefore: bigint | undefined
  readonly signature: string
}

/** A payload that was parsed once, and what its chain can do with it. */
export interface SignedPayment {
  /** The payer says that he accepts this offer. */
  readonly accepted: object
  readonly transfer: SignedTransfer
  /** Asks the official library and the chain whether the signature would pay the offer. Rejects when the node does not answer. */
  verify(offer: PaymentRequirements, limits: X402Limits, signal: AbortSignal): Promise<Verdict>
  /** Returns what must be on the chain before the transfer can be, if anything, or why that is not done. */
  preparation(
    sql: Sql,
    orderId: string,
    limits: X402Limits,
    signal: AbortSignal,
  ): Promise<Preparation | { readonly refused: string } | undefined>
  /** Returns whether the transfer needs more than `limits` allow. A node that does not answer is no reason to refuse. */
  isTooExpensive(limits: X402Limits, signal: AbortSignal): Promise<boolean>
  /** Enqueues the transfer with the chain's payouts, in the caller's transaction. */
  enqueue(tx: Tx, request: TransferRequest, limits: X402Limits): Promise<void>
}

export type TransferRequest = Pick<Payout, 'id' | 'priority' | 'purpose'> & { readonly tenant: string }

/** The operator pays for at most this much gas, or what else the chain meters. */
export interface X402Limits {
  readonly transferGas: bigint
  readonly preparationGas: bigint
  /** Only these factories may deploy a payer's contract wallet (ERC-6492). */
  readonly allowedFactories: readonly string[]
}

export type Verdict =
  | { readonly ok: true }
  /** The chain is asked again if the signature may have been used for this very payment. */
  | { readonly ok: false; readonly reason: string; readonly mayBeUsed: boolean }

/** A signed transfer has this status on its chain. 'open' means that the outcome is not certain yet. */
export type TransferStatus =
  /** This transaction moved the signed amount to the signed address. */
  | { readonly at: 'paid'; readonly txHash: string }
  /** The signature has finally expired, been cancelled, or been used for another transfer, so it can never pay this order. */
  | { readonly at: 'dead' }
  | { readonly at: 'open' }

/** The outcome need not be stored: once the preparation is on the chain, the same payload needs none. */
export interface Preparation {
  /** The id is derived from what is to be done, so a repeated request enqueues nothing new. */
  readonly id: string
  /** Returns false when the order has used up what is prepared for it. Call it with the order locked. */
  enqueue(tx: Tx, request: Omit<TransferRequest, 'id'>): Promise<boolean>
  status(sql: Sql, signal: AbortSignal): Promise<PreparationStatus>
}

export type PreparationStatus = { readonly at: 'ready' | 'pending' } | { readonly at: 'failed'; readonly reason: string }
