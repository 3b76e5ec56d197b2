import type { Funds } from '../../wire/funds.ts'
import type { Refusal } from './provider.ts'

/** Why the payment does not go on by itself. The view says it in plain words. */
export type Notice =
  | { readonly code: Refusal }
  /** The wallet now uses another account than the one that was shown. */
  | { readonly code: 'account' }
  | { readonly code: 'poor'; readonly has: Funds }
  /** The account has too little of the chain's own coin to pay the network fee. */
  | { readonly code: 'gas'; readonly has: Funds; readonly needs: Funds }
  /** The token would refuse the transfer. */
  | { readonly code: 'reverts' }
  /** The service did not answer; the signature is kept. */
  | { readonly code: 'unsent' }
  /** The transfer failed on the network and no money moved. */
  | { readonly code: 'undone' }
  /** The service wants something other than what was signed, or the signature came too late; the payer has to sign again. */
  | { readonly code: 'again' }
  /** There is nothing to sign, or another payment is under way. */
  | { readonly code: 'closed' }
  /** In the service's own words. */
  | { readonly code: 'said'; readonly message: string }

/** Groups the x402 library's reason codes by what they require of the payer. */
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

/** Whether the same signature may still succeed. If so it is kept and can be sent again without asking the wallet. */
export const isWorthKeeping = (reason: string): boolean => noticeOfReason(reason).code === 'undone'
