/** The x402 library has this reason for a reverted transaction. A repeated request is verified again and may get a more precise one. */
export const transactionFailed = 'invalid_exact_evm_transaction_failed'
