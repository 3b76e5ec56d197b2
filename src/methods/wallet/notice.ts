import type { Funds } from '../../wire/funds.ts'
import type { Refusal } from './provider.ts'

/** A notice says why the payment has stopped until the payer acts. The view turns it into a sentence. */
export type Notice =
  | { readonly code: Refusal }
  /** The wallet now uses a different account from the one that the page showed. */
  | { readonly code: 'account' }
  | { readonly code: 'insufficient_balance'; readonly has: Funds }
  /** The account has too little of the chain's native coin to pay the network fee. */
  | { readonly code: 'gas'; readonly has: Funds; readonly needs: Funds }
  /** The wallet's node reports that the transfer would revert. */
  | { readonly code: 'reverts' }
  /** The service did not answer. A signature that was given stays stored. */
  | { readonly code: 'unsent' }
  /** The transfer failed, or a check showed that it would fail, and no money moved. */
  | { readonly code: 'failed_transfer' }
  /** The service did not accept this signature, for example because it had expired, so the payer has to sign again. */
  | { readonly code: 'sign_again' }
  /** The service offers nothing to sign, for example because another payment is in flight. */
  | { readonly code: 'closed' }
  | { readonly code: 'service_message'; readonly message: string }

/** The network has refused the transfer, or would. */
const undone = /^invalid_exact_(evm_insufficient_balance|[es]vm_transaction_)/

/** Groups the x402 reason codes by what the payer has to do next. */
export const noticeOfReason = (reason: string): Notice => ({
  code: undone.test(reason) ? 'failed_transfer' : reason === 'invalid_exact_evm_signature' ? 'account' : 'sign_again',
})

export const lacksMoney = (reason: string): boolean => reason === 'invalid_exact_evm_insufficient_balance'

/**
 * After these failures the same signature may still succeed, so it stays stored and can be sent again without asking the wallet. On Solana it
 * expires within a minute.
 */
export const isWorthKeeping = (reason: string): boolean => undone.test(reason) && !reason.includes('svm')

/** A refusal of the service says why in its own words. Returns undefined for any other error. */
export const refusalOfService = (error: unknown): Notice | undefined => {
  if (!(error instanceof Error) || !('status' in error)) return undefined
  const status = Number(error.status)
  return status >= 400 && status < 500 && error.message ? { code: 'service_message', message: error.message } : undefined
}
