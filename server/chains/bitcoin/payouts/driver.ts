import type { ChainId } from '../../../../src/wire/chain.ts'
import type { Sql } from '../../../database/connect.ts'
import { transaction } from '../../../database/transaction.ts'
import type { Tx } from '../../../database/connect.ts'
import type { PayoutOutcome, Report } from '../../payouts.ts'
import type { Agreed } from '../../second-node.ts'
import type { BitcoinConfig } from '../bitcoin-config.ts'
import type { BitcoinSigner } from '../signer.ts'
import type { BitcoinSource } from '../source.ts'
import type { Inclusion, QueuedPayout } from './payout-queue.ts'

export interface IncludedTransaction {
  readonly txHash: string
  readonly blockHash: string
  readonly height: number
}

/** What the work on the queue needs. */
export interface Driver {
  readonly sql: Sql
  readonly config: BitcoinConfig
  readonly source: Pick<BitcoinSource, 'broadcast' | 'feeRates' | 'head'>
  readonly signer: BitcoinSigner
  readonly report: Report
  /** On a chain with several nodes, final transactions wait until two of them agree. */
  readonly agreed: Agreed<IncludedTransaction> | undefined
  /** Errors that are not a payout's outcome are passed to this callback, which logs them. */
  readonly onProblem: (error: unknown) => void
  /** The time of this process's last broadcast of each transaction limits rebroadcasts. A new process knows none, so it broadcasts at once. */
  readonly broadcastAt: Map<string, number>
}

/** Marks an outcome and reports it in one transaction, so that neither happens without the other. */
export async function reportOutcome(
  { sql, report, config }: Driver,
  { id, purpose }: Pick<QueuedPayout, 'id' | 'purpose'>,
  outcome: PayoutOutcome,
  mark: (tx: Tx) => Promise<boolean>,
): Promise<void> {
  await transaction(sql, async (tx) => {
    if (await mark(tx)) await report(tx, { id, chainId: config.chainId as ChainId, purpose }, outcome)
  })
}

export const includedOf = ({ txid, height, hash }: Inclusion): IncludedTransaction => ({ txHash: txid, blockHash: hash, height })
