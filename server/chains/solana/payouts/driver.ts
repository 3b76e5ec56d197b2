import type { Transaction } from '@solana/kit'
import type { Sql, Tx } from '../../../database/connect.ts'
import { transaction } from '../../../database/transaction.ts'
import type { PayoutOutcome, Report } from '../../payouts.ts'
import type { Agreed } from '../../second-node.ts'
import type { SolanaRpc } from '../rpc-client.ts'
import type { SolanaSigner } from '../signer.ts'
import type { SolanaConfig } from '../solana-config.ts'
import type { QueuedPayout } from './payout-queue.ts'

export type PayoutsConfig = Pick<SolanaConfig, 'chainId' | 'tokens' | 'confirmations' | 'unitPrice' | 'pollMs' | 'requireSecondNode'>

/** A transaction that a node has finalized. There is one block in each slot, so the slot names it. */
export interface FinalTransaction {
  readonly txHash: string
  readonly blockHash: string
  readonly slot: number
}

/** A transaction that a node has not seen up to the height at which it expires, which takes the place of a block's hash. */
export interface ExpiredTransaction {
  readonly txHash: string
  readonly blockHash: string
  readonly lastValidHeight: number
}

/** What the work on the queue needs. */
export interface Driver {
  readonly sql: Sql
  readonly config: PayoutsConfig
  readonly rpc: SolanaRpc
  readonly signer: SolanaSigner
  readonly report: Report
  /** On a chain with several nodes, final transactions wait until two of them agree. */
  readonly agreed: Agreed<FinalTransaction> | undefined
  /** There too, no payout is signed anew before two of them have seen its transaction expire. */
  readonly agreedExpired: Agreed<ExpiredTransaction> | undefined
  /** Errors that are not a payout's outcome are passed to this callback, which logs them. */
  readonly onProblem: (error: unknown) => void
  /** The time of this process's last broadcast of each transaction limits rebroadcasts. A new process knows none, so it broadcasts at once. */
  readonly broadcastAt: Map<string, number>
}

/** Builds the transaction of a payout, and simulates it. Throws if the payout has to wait. */
export type Prepare = (
  driver: Driver,
  payout: QueuedPayout,
  unitPrice: bigint,
  signal: AbortSignal,
) => Promise<PreparedTransaction | { readonly refused: string }>

export interface PreparedTransaction {
  readonly unsigned: Transaction
  /** The orders' keys with these numbers sign it besides the operator. */
  readonly keys: readonly number[]
  readonly lastValidHeight: number
  /** Which legs it pays. */
  readonly paid: readonly boolean[]
  readonly dust: bigint
}

/** Marks an outcome and reports it in one transaction, so that neither happens without the other. */
export async function reportOutcome(
  { sql, report, config }: Driver,
  { id, purpose }: Pick<QueuedPayout, 'id' | 'purpose'>,
  outcome: PayoutOutcome,
  mark: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  await transaction(sql, async (tx) => {
    if (await mark(tx)) await report(tx, { id, chainId: config.chainId, purpose }, outcome)
  })
}
