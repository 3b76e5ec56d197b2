import type { Sql, Tx } from '../../../database/connect.ts'
import type { Preparation, PreparationStatus } from '../../x402.ts'
import type { Mint } from '../mints.ts'
import { taskState, type TaskRequest } from '../payouts/payout-queue.ts'
import { tokenAccount } from '../token-account.ts'
import { transactionFailed } from './transaction-failed.ts'

/**
 * An organisation has at most this many accounts that the operator has opened and nobody has paid into, which bounds what strangers can make him lend.
 * Each comes back when it is closed (close-unused.ts, or the settlement).
 */
const mostUnpaid = 200

export interface Opening {
  readonly chainId: number
  readonly orderId: string
  /** The order's deposit address. */
  readonly owner: string
  readonly mint: Mint
  readonly enqueueTask: (tx: Tx, request: TaskRequest) => Promise<void>
}

/** The operator opens the account at which an order gets a token, since transactions of x402 only transfer. */
export async function accountOpening({ chainId, orderId, owner, mint, enqueueTask }: Opening, sql: Sql): Promise<Preparation> {
  const account = await tokenAccount(owner, mint)
  const id = await openingId(sql, chainId, account)
  return {
    id,
    enqueue: async (tx, request) => {
      if (!(await noteOpening(tx, { id, chainId, account, orderId, tenant: request.tenant, mint: mint.address }))) return false
      await enqueueTask(tx, { id, task: 'open', token: mint.address, ...request })
      return true
    },
    status: async (sql): Promise<PreparationStatus> => {
      const found = await taskState(sql, id)
      if (found?.state === 'failed') return { at: 'failed', reason: transactionFailed }
      return { at: found?.minedSlot === undefined ? 'pending' : 'ready' }
    },
  }
}

/** An account may be opened again after it was closed. */
async function openingId(sql: Sql, chainId: number, account: string): Promise<string> {
  const [row] = await sql<{ closed: number }[]>`
    select count(*)::int as closed from solana_opened_accounts
    where chain_id = ${chainId} and account = ${account} and closed_at is not null`
  return `x402_account:${account}:${row?.closed ?? 0}`
}

interface Noted {
  readonly id: string
  readonly chainId: number
  readonly account: string
  readonly orderId: string
  readonly tenant: string
  readonly mint: string
}

/** Returns false if the organisation has too many already. The order is locked, and orders that pass the limit together pass it by few. */
async function noteOpening(tx: Tx, { id, chainId, account, orderId, tenant, mint }: Noted): Promise<boolean> {
  const [known] = await tx`select from solana_opened_accounts where id = ${id}`
  if (known) return true
  const [row] = await tx<{ unpaid: number }[]>`
    select count(*)::int as unpaid from solana_opened_accounts opened
    where organization_id = ${tenant} and closed_at is null and not exists (
      select from solana_accounts watched
      where watched.chain_id = opened.chain_id and watched.account = opened.account and watched.last_signature is not null)`
  if ((row?.unpaid ?? 0) >= mostUnpaid) return false
  await tx`
    insert into solana_opened_accounts (id, chain_id, account, order_id, organization_id, token)
    values (${id}, ${chainId}, ${account}, ${orderId}, ${tenant}, ${mint}) on conflict do nothing`
  return true
}
