import type { TransactionSql } from 'postgres'
import type { SendOutcome } from '../../sender.ts'
import type { Driver, Send } from './send.ts'

/**
 * Changes the row and reports the change in one transaction: neither is there without the other. One outcome at a time.
 * What the report gives back runs when the change is committed.
 */
export async function tell(
  { sql, report }: Driver,
  { id, chainId, purpose }: Send,
  outcome: SendOutcome,
  mark: (tx: TransactionSql) => Promise<boolean>,
): Promise<void> {
  const changed: { after: (() => void) | undefined } = { after: undefined }
  await sql.begin(async (tx) => {
    if (await mark(tx)) changed.after = await report(tx, { id, chainId, purpose }, outcome)
  })
  changed.after?.()
}
