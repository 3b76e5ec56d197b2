import type { Funds } from '../../wire/funds.ts'
import type { Refusal } from './provider.ts'

/** Why it does not go on by itself, to be said in plain words. Nothing is lost by any of it. */
export type Notice =
  | { readonly code: Refusal }
  /** The wallet has another account now than the one that was shown. */
  | { readonly code: 'account' }
  | { readonly code: 'poor'; readonly has: Funds }
  /** Not enough coin for the network's fee. */
  | { readonly code: 'gas'; readonly has: Funds; readonly needs: Funds }
  /** The token would refuse the transfer. */
  | { readonly code: 'reverts' }
  /** The service did not answer; the signature is kept. */
  | { readonly code: 'unsent' }
  /** The network refused it; nothing was moved. */
  | { readonly code: 'undone' }
  /** PaymentRequired for something else than what was signed, or too late: sign again. */
  | { readonly code: 'again' }
  /** Nothing to sign, or another payment is under way. */
  | { readonly code: 'closed' }
  /** In the service's own words. */
  | { readonly code: 'said'; readonly message: string }

/** The library's reason codes, as far as they ask a payer for different things. */
export const noticeOfReason = (reason: string): Notice => {
  switch (reason) {
    case 'invalid_exact_evm_insufficient_balance':
    case 'invalid_exact_evm_transaction_simulation_failed':
    case 'invalid_exact_evm_transaction_failed':
      return { code: 'undone' }
    case 'invalid_exact_evm_signature':
      return { code: 'account' }
    default:
      return { code: 'again' }
  }
}

export const lacksMoney = (reason: string): boolean => reason === 'invalid_exact_evm_insufficient_balance'

/** Whether the same signature may still pay: then it is kept and sent again, and the wallet is not asked. */
export const isWorthKeeping = (reason: string): boolean => noticeOfReason(reason).code === 'undone'
