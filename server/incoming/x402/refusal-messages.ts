/** Translates the x402 library's reason codes and our own into sentences that a payer can act on. */
const messages: Readonly<Record<string, string>> = {
  payment_required: 'Sign one of the offers in PAYMENT-REQUIRED and send it in PAYMENT-SIGNATURE.',
  order_not_payable: 'This order cannot be paid with a signature now: it is paid, being paid, partly paid or expired.',
  'No matching payment requirements': 'The signature does not match any offer. Accept an offer exactly as it was given.',
  invalid_payload: 'The payment cannot be read. Sign the offer again.',
  asset_not_deployed_contract: 'The currency of this offer is not available on its network right now. Pay to the address instead.',
  invalid_exact_evm_signature: 'The signature is not by the account that is to pay. Sign again with that account.',
  invalid_exact_evm_recipient_mismatch: 'The signature is for another receiver. Sign the offer exactly as it was given.',
  invalid_exact_evm_payload_authorization_value_mismatch: 'The signature is for another amount. Sign the offer exactly as it was given.',
  invalid_exact_evm_payload_authorization_valid_before: 'The signature has run out, or is about to. Sign again.',
  invalid_exact_evm_payload_authorization_valid_after: 'The signature is not valid yet. Check the clock of the device and sign again.',
  invalid_exact_evm_nonce_already_used: 'This signature was already used or taken back, and it did not pay this order. Sign a new one.',
  invalid_exact_evm_insufficient_balance: 'The account does not hold enough of the currency. Top it up or pay from another one.',
  invalid_exact_evm_transaction_simulation_failed:
    'The currency refuses this transfer. Pay from another account or to the address instead.',
  invalid_exact_evm_transaction_failed: 'The network refused the transfer and nothing was moved. Try again or pay another way.',
  invalid_exact_svm_transaction_simulation_failed:
    'The network would refuse this transfer, or its time has run out. Check that the account holds enough of the currency and sign again.',
  invalid_exact_svm_transaction_failed: 'The network did not take the transfer and nothing was moved. Sign again or pay another way.',
  invalid_exact_svm_payload_signature_invalid: 'The signature is not by the account that is to pay. Sign again with that account.',
  invalid_exact_svm_fee_payer_mismatch:
    'The signed transaction has another payer of the network fee. Sign the offer exactly as it was given.',
  invalid_exact_svm_payload_recipient_mismatch: 'The signature is for another receiver. Sign the offer exactly as it was given.',
  invalid_exact_svm_payload_amount_mismatch: 'The signature is for another amount. Sign the offer exactly as it was given.',
  gas_limit_exceeded:
    'This transfer would cost more in network fees than is paid for here. Pay from another account or to the address instead.',
  authorization_valid_too_long: 'The signature would be valid for too long. Sign the offer again with the validity that it states.',
  invalid_exact_evm_eip3009_not_supported: 'The currency takes no signatures. Pay to the address instead.',
  eip6492_factory_not_allowed: 'The wallet of this account is not deployed yet. Use it once, then pay, or pay from another account.',
  smart_wallet_deployment_failed: 'The wallet of this account could not be deployed. Pay from another account.',
}

export const refusalMessage = (reason: string): string =>
  messages[reason] ?? 'The payment was not accepted, and nothing was moved. Try again or pay another way.'
