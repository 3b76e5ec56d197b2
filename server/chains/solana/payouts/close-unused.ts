import type { Sql } from '../../../database/connect.ts'
import { transaction } from '../../../database/transaction.ts'
import { amountOf } from '../account-feed.ts'
import { accountsCall, isTokenAccount } from '../calls.ts'
import type { Driver } from './driver.ts'
import { insertTask } from './payout-queue.ts'

/** A payer may still sign what was offered to him. If the account is gone by then, it is opened again. */
const unusedFor = '1 hour'
const lookedAtOnce = 100

interface OpenedAccount {
  readonly id: string
  readonly account: string
  readonly orderId: string
  readonly token: string
  readonly tenant: string
}

/** Closes accounts that the operator has opened and that are empty, so that he gets their rent back. A settlement closes the others. */
export async function closeUnused({ sql, rpc, config: { chainId } }: Driver, signal: AbortSignal): Promise<void> {
  const opened = await unusedAccounts(sql, chainId)
  if (opened.length === 0) return
  const accounts = opened.map(({ account }) => account)
  const [{ value }] = await rpc.read(signal, accountsCall(accounts, 0))
  for (const [i, { id, orderId, token, tenant }] of opened.entries()) {
    const account = value[i] ?? null
    if (!isTokenAccount(account)) await sql`update solana_opened_accounts set closed_at = now() where id = ${id}`
    else if (amountOf(account, token) === 0n)
      await transaction(sql, (tx) =>
        insertTask(tx, chainId, {
          id: `close:${id}`,
          task: 'close',
          token,
          priority: 1,
          tenant,
          purpose: { kind: 'x402_wallet', orderId, ref: id },
        }),
      )
  }
}

/** The one that was looked at longest ago comes first, and none while something is to be sent for its order. */
async function unusedAccounts(sql: Sql, chainId: number): Promise<readonly OpenedAccount[]> {
  return sql<OpenedAccount[]>`
    update solana_opened_accounts set looked_at = now() where id in (
      select id from solana_opened_accounts opened
      where chain_id = ${chainId} and closed_at is null and opened_at < now() - ${unusedFor}::interval and looked_at < now() - interval '1 minute'
        and not exists (select from solana_payouts where order_id = opened.order_id and state in ('queued', 'sent'))
      order by looked_at limit ${lookedAtOnce})
    returning id, account, order_id as "orderId", token, organization_id as tenant`
}
