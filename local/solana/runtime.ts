import { type Address, type EncodedAccount, type Lamports, lamports, type Transaction } from '@solana/kit'
import { SYSTEM_PROGRAM_ADDRESS } from '@solana-program/system'
import { Clock, FailedTransactionMetadata, LiteSVM, type TransactionMetadata } from 'litesvm'
import { type TransactionError, transactionError } from './transaction-error.ts'

export interface Execution {
  readonly error: TransactionError | undefined
  readonly logs: readonly string[]
  readonly units: bigint
  readonly inner: ReturnType<TransactionMetadata['innerInstructions']>
}

export interface Simulated extends Execution {
  readonly accounts: readonly EncodedAccount[]
}

/** The real runtime and the real token programs. It knows one present state, and no slots, forks or expiry: the ledger does. */
export interface Runtime {
  account(address: Address): EncodedAccount | undefined
  setAccount(address: Address, account: EncodedAccount | undefined): void
  execute(transaction: Transaction): Execution
  /** With `isPartial`, missing signatures do not matter. */
  simulate(transaction: Transaction, isPartial: boolean): Simulated
  /** Returns the least that an account with so many bytes of data must have. */
  rent(bytes: bigint): Lamports
  setTime(slot: number, unixSeconds: number): void
}

export function createRuntime(): Runtime {
  // The ledger refuses what has expired and what has been processed, also after a fork, which the runtime cannot know.
  const svm = new LiteSVM().withBlockhashCheck(false).withTransactionHistory(0n)
  const executionOf = (meta: TransactionMetadata, failed?: FailedTransactionMetadata): Execution => ({
    error: failed && transactionError(failed),
    logs: meta.logs(),
    units: meta.computeUnitsConsumed(),
    inner: meta.innerInstructions(),
  })
  return {
    account(address) {
      const found = svm.getAccount(address)
      return found.exists ? found : undefined
    },
    setAccount(address, account) {
      // An account without lamports does not exist.
      const none = {
        address,
        data: new Uint8Array(),
        executable: false,
        lamports: lamports(0n),
        programAddress: SYSTEM_PROGRAM_ADDRESS,
        space: 0n,
      }
      svm.setAccount(account ?? none)
    },
    execute(transaction) {
      const result = svm.sendTransaction(transaction)
      return result instanceof FailedTransactionMetadata ? executionOf(result.meta(), result) : executionOf(result)
    },
    simulate(transaction, isPartial) {
      if (isPartial) svm.withSigverify(false)
      try {
        const result = svm.simulateTransaction(isPartial ? withSignatures(transaction) : transaction)
        return result instanceof FailedTransactionMetadata
          ? { ...executionOf(result.meta(), result), accounts: [] }
          : { ...executionOf(result.meta()), accounts: result.postAccounts() }
      } finally {
        svm.withSigverify(true)
      }
    },
    rent: (bytes) => lamports(svm.minimumBalanceForRentExemption(bytes)),
    setTime(slot, unixSeconds) {
      const { epochStartTimestamp, epoch, leaderScheduleEpoch } = svm.getClock()
      svm.setClock(new Clock(BigInt(slot), epochStartTimestamp, epoch, leaderScheduleEpoch, BigInt(unixSeconds)))
    },
  }
}

/** The runtime takes no transaction with an empty place for a signature, even where it does not verify any. */
const withSignatures = (transaction: Transaction): Transaction => ({
  ...transaction,
  signatures: Object.fromEntries(
    Object.entries(transaction.signatures).map(([address, signature]) => [address, signature ?? new Uint8Array(64)]),
  ) as Transaction['signatures'],
})
