/** The x402 library has this reason for a transaction that failed. A repeated request is verified again and may get a more precise one. */
export const transactionFailed = 'invalid_exact_svm_transaction_failed'
