import type { Sql, Tx } from '../../database/connect.ts'
import type { SolanaToken } from './mints.ts'
import { accountFor } from './token-account.ts'

export interface WatchedAccount {
  readonly account: string
  /** The deposit address that it belongs to. */
  readonly address: string
  readonly token: string | null
  readonly amount: bigint
  /** The last transaction of it that was reported. */
  readonly last: Reported | undefined
  /** The last transaction of ours that is known to have changed it is in this slot. */
  readonly paidOutSlot: number | undefined
}

/**
 * A payment may restore the balance from before a payout, which then looks unchanged. So an account counts as changed, whatever its balance, until the
 * payout has been reported.
 */
export const isBehind = ({ last, paidOutSlot = -1 }: WatchedAccount): boolean => (last?.slot ?? -1) < paidOutSlot

interface Reported {
  readonly signature: string
  /** The previous release did not store it. */
  readonly slot: number | undefined
}

interface AccountRow {
  readonly account: string
  readonly address: string
  readonly token: string | null
  readonly amount: string
  readonly last_signature: string | null
  readonly last_slot: number | null
  readonly paid_out_slot: number | null
}

/** From now on the feed reads what arrives at this address, in each of the tokens. */
export async function watchAddress(sql: Sql | Tx, chainId: number, address: string, tokens: readonly SolanaToken[]): Promise<void> {
  const named = tokens.map((token) => token.address)
  const accounts = await Promise.all(named.map((token) => accountFor(address, token, tokens)))
  await sql`
    insert into solana_accounts (chain_id, account, address, token)
    select ${chainId}, account, ${address}, token from unnest(${accounts}::text[], ${named}::text[]) as made (account, token)
    on conflict do nothing`
}

const addressesAtOnce = 500

/** Watches a token at the addresses of orders that were made before it was configured. */
export async function watchAtOldAddresses(sql: Sql, chainId: number, token: SolanaToken): Promise<void> {
  for (;;) {
    const rows = await sql<{ address: string }[]>`
      select distinct address from solana_accounts known where chain_id = ${chainId} and not exists (
        select from solana_accounts where chain_id = known.chain_id and address = known.address and token is not distinct from ${token.address}
      ) limit ${addressesAtOnce}`
    for (const { address } of rows) await watchAddress(sql, chainId, address, [token])
    if (rows.length < addressesAtOnce) return
  }
}

/** Accounts that have changed within the hour are read with every poll. So many of the others are read too, the longest unread first. */
const othersPerPoll = 500

export async function accountsToRead(sql: Sql, chainId: number): Promise<readonly WatchedAccount[]> {
  const rows = await sql<AccountRow[]>`
    (select account, address, token, amount::text, last_signature, last_slot::int, paid_out_slot::int from solana_accounts
      where chain_id = ${chainId} and changed_at > now() - interval '1 hour')
    union all
    (select account, address, token, amount::text, last_signature, last_slot::int, paid_out_slot::int from solana_accounts
      where chain_id = ${chainId} and changed_at <= now() - interval '1 hour' order by read_at limit ${othersPerPoll})`
  return rows.map(watchedOf)
}

const watchedOf = ({ account, address, token, amount, last_signature, last_slot, paid_out_slot }: AccountRow): WatchedAccount => ({
  account,
  address,
  token,
  amount: BigInt(amount),
  last: last_signature === null ? undefined : { signature: last_signature, slot: last_slot ?? undefined },
  paidOutSlot: paid_out_slot ?? undefined,
})

export async function accountsNamed(sql: Sql, chainId: number, accounts: readonly string[]): Promise<readonly WatchedAccount[]> {
  const rows = await sql<AccountRow[]>`
    select account, address, token, amount::text, last_signature, last_slot::int, paid_out_slot::int from solana_accounts
    where chain_id = ${chainId} and account = any(${accounts as string[]})`
  return rows.map(watchedOf)
}

/** Lists so many accounts at which money is expected soon, those of the newest orders first. */
export async function newestAccounts(sql: Sql, chainId: number, limit: number): Promise<readonly string[]> {
  const rows = await sql<{ account: string }[]>`
    select account from solana_accounts where chain_id = ${chainId} and changed_at > now() - interval '1 hour'
    order by changed_at desc limit ${limit}`
  return rows.map(({ account }) => account)
}

export async function noteRead(sql: Sql, chainId: number, accounts: readonly WatchedAccount[]): Promise<void> {
  await sql`
    update solana_accounts set read_at = now()
    where chain_id = ${chainId} and changed_at <= now() - interval '1 hour' and account = any(${accounts.map(({ account }) => account)})`
}

/** Everything of the account has been reported up to this transaction, after which it had this much. */
export async function noteReported(
  sql: Sql,
  chainId: number,
  account: string,
  { amount, last }: { readonly amount: bigint; readonly last: Reported | undefined },
): Promise<void> {
  await sql`
    update solana_accounts set amount = ${amount.toString()}, last_signature = ${last?.signature ?? null}, last_slot = ${last?.slot ?? null},
      changed_at = now(), read_at = now()
    where chain_id = ${chainId} and account = ${account}`
}

/** Notes that a final transaction of ours has changed an account. */
export async function notePaidOut(sql: Tx, chainId: number, account: string, slot: number): Promise<void> {
  await sql`
    update solana_accounts set paid_out_slot = greatest(paid_out_slot, ${slot}), changed_at = now()
    where chain_id = ${chainId} and account = ${account} and (last_slot is null or last_slot < ${slot})`
}

export async function readSlot(sql: Sql, chainId: number): Promise<number | undefined> {
  const [row] = await sql<{ slot: number }[]>`select slot from solana_cursors where chain_id = ${chainId}`
  return row?.slot
}

export async function noteSlot(sql: Sql, chainId: number, slot: number): Promise<void> {
  await sql`insert into solana_cursors (chain_id, slot) values (${chainId}, ${slot}) on conflict (chain_id) do update set slot = excluded.slot`
}
