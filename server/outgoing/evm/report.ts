import type { TransactionSql } from 'postgres'
import { transaction } from '../../database/transaction.ts'
import type { SendOutcome } from '../../chains/sender.ts'
import type { Driver, Send } from './send.ts'

/** Changes the row and reports the change in one transaction: neither is there without the other. One outcome at a time. */
export async function reportOutcome(
  { sql, report }: Driver,
  { id, chainId, purpose }: Send,
  outcome: SendOutcome,
  mark: (tx: TransactionSql) => Promise<boolean>,
): Promise<void> {
  await transaction(sql, async (tx) => {
    if (await mark(tx)) await report(tx, { id, chainId, purpose }, outcome)
  })
}
