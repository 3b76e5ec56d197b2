import type { Sql, Tx } from '../../../database/connect.ts'
import { dueInTurns } from '../../due-in-turns.ts'
import { isEnqueued } from '../../is-enqueued.ts'
import type { Leg, Payout, PayoutMetrics, Purpose } from '../../payouts.ts'
import type { Built, Coin } from './build-transaction.ts'

/** Settlements of one organisation that wait together share a transaction, and at most this many do. */
export const mostParts = 20

export interface QueuedPayout {
  readonly id: string
  readonly orderId: string
  readonly purpose: Purpose
  readonly legs: readonly Leg[]
  /** It may share a transaction with others of this tenant. */
  readonly tenant: string | undefined
  readonly priority: number
  readonly failures: number
  /** It was in a transaction that can never be mined, and has to spend the same coins again. */
  readonly coins: readonly string[] | undefined
}

/** Whatever was signed for it spends these coins, so it is followed until a transaction of them is final. */
export interface BoundPayout extends QueuedPayout {
  readonly coins: readonly string[]
  readonly state: 'queued' | 'sent' | 'confirmed'
  /** Its latest transaction, with all replacements, is this send. */
  readonly sendId: number | undefined
  readonly announced: readonly string[]
  readonly mined: Inclusion | undefined
  readonly goneSince: number | undefined
}

interface PayoutRow {
  readonly id: string
  readonly order_id: string
  readonly kind: string
  readonly ref: string
  readonly legs: readonly LegRow[]
  readonly tenant: string | null
  readonly priority: number
  readonly failures: number
  readonly coins: readonly string[] | null
  readonly send_id: number | null
  readonly state: 'queued' | 'sent' | 'confirmed' | 'failed'
  readonly announced: readonly string[]
  readonly mined_txid: string | null
  readonly mined_height: number | null
  readonly mined_hash: string | null
  readonly gone_since: number | null
}

interface LegRow {
  readonly to: string
  readonly amount: string
  readonly paysNetwork?: true
}

export async function insertPayout(sql: Tx | Sql, chainId: number, payout: Payout): Promise<void> {
  const { id, orderId, legs, priority = 0, tenant, alone = tenant === undefined, purpose } = payout
  const rows: LegRow[] = legs.map(({ to, amount, paysNetwork }) => ({ to, amount: amount.toString(), ...(paysNetwork && { paysNetwork }) }))
  if (await isEnqueued(sql, 'bitcoin_payouts', id)) return
  await sql`
    insert into bitcoin_payouts (id, chain_id, order_id, kind, ref, legs, priority, organization_id, tenant)
    values (${id}, ${chainId}, ${orderId}, ${purpose.kind}, ${purpose.ref}, ${sql.json(rows as never)}, ${priority}, ${tenant ?? null},
      ${alone ? null : (tenant ?? null)})
    on conflict (id) do nothing`
}

/** Most polls end after this query, so it must be cheap. */
export async function hasOpenPayouts(sql: Sql, chainId: number): Promise<boolean> {
  const [row] = await sql`
    select exists (select from bitcoin_payouts where chain_id = ${chainId} and state in ('queued', 'sent')) as open`
  return row?.open ?? false
}

const columns = (sql: Sql | Tx) => sql`
  id, order_id, kind, ref, legs, tenant, priority, failures, coins, send_id::int, state, announced, mined_txid, mined_height, mined_hash, gone_since`

const queuedOf = (row: PayoutRow): QueuedPayout => ({
  id: row.id,
  orderId: row.order_id,
  purpose: { kind: row.kind, orderId: row.order_id, ref: row.ref },
  legs: row.legs.map(({ to, amount, paysNetwork }) => ({ to, amount: BigInt(amount), ...(paysNetwork && { paysNetwork }) })),
  tenant: row.tenant ?? undefined,
  priority: row.priority,
  failures: row.failures,
  coins: row.coins ?? undefined,
})

const boundOf = (row: PayoutRow): BoundPayout => ({
  ...queuedOf(row),
  coins: row.coins ?? [],
  state: row.state === 'failed' ? 'queued' : row.state,
  sendId: row.send_id ?? undefined,
  announced: row.announced,
  mined:
    row.mined_txid === null || row.mined_height === null || row.mined_hash === null
      ? undefined
      : { txid: row.mined_txid, height: row.mined_height, hash: row.mined_hash },
  goneSince: row.gone_since ?? undefined,
})

export async function boundPayouts(sql: Sql, chainId: number): Promise<BoundPayout[]> {
  const rows = await sql<PayoutRow[]>`
    select ${columns(sql)} from bitcoin_payouts where chain_id = ${chainId} and state in ('queued', 'sent') and coins is not null
    order by priority, position`
  return rows.map(boundOf)
}

/** Selects payouts that wait for a transaction, by priority and then as tenants take turns. */
export async function payoutsDue(sql: Sql, chainId: number, limit: number): Promise<QueuedPayout[]> {
  const shared = { when: sql`tenant is not null`, most: mostParts }
  const ids = await dueInTurns(sql, { queue: 'bitcoin_payouts', chainId, shared }, limit)
  const rows = await sql<PayoutRow[]>`
    select ${columns(sql)} from bitcoin_payouts where id = any(${ids}::text[]) and state = 'queued' order by array_position(${ids}::text[], id)`
  return rows.map(queuedOf)
}

/** Strangers may send any number of coins. More than this are never spent at once. */
const readPerAddress = 1_000

export interface OwnCoin extends Coin {
  readonly address: string
  readonly height: number | undefined
  /** It can be spent only with this many confirmations. */
  readonly maturity: number
}

/**
 * Selects the unspent coins of these addresses that no payout spends. Those that wait for a block are listed too. A failed payout holds its
 * coins no longer: whatever spends them next excludes what was signed for it.
 */
export async function freeCoins(sql: Sql, chainId: number, addresses: readonly string[]): Promise<OwnCoin[]> {
  const rows = await sql<{ txid: string; vout: number; amount: string; address: string; height: number | null; maturity: number }[]>`
    select txid, vout, amount::text, address, height, coalesce(maturity, 1) as maturity from unnest(${addresses as string[]}::text[]) wanted cross join lateral (
      select * from bitcoin_coins coin
      where chain_id = ${chainId} and address = wanted and spent_by is null and replaced_by is null
        and not exists (
          select from bitcoin_payouts payout
          where payout.chain_id = coin.chain_id and payout.state <> 'failed' and payout.coins @> array[coin.txid || ':' || coin.vout]
        )
      order by coin.amount desc, txid, vout limit ${readPerAddress}
    ) free`
  return rows.map(({ amount, height, ...coin }) => ({ ...coin, amount: BigInt(amount), height: height ?? undefined }))
}

/** Says whether an earlier payout of the order, or one in flight, may still return something to its address. */
export async function isChangeExpected(sql: Sql, { id, orderId }: Pick<QueuedPayout, 'id' | 'orderId'>): Promise<boolean> {
  const [row] = await sql`
    select exists (
      select from bitcoin_payouts
      where order_id = ${orderId} and id <> ${id}
        and (state = 'sent' or (state = 'queued' and position < (select position from bitcoin_payouts where id = ${id})))
    ) as expected`
  return row?.expected ?? false
}

interface CoinRow {
  readonly txid: string
  readonly vout: number
  readonly amount: string
  readonly height: number | null
  readonly spent_by: string | null
  readonly spent_height: number | null
  readonly spent_hash: string | null
  readonly replaced_by: string | null
  readonly replaced_height: number | null
  readonly replaced_hash: string | null
}

export async function coinsByName(sql: Sql, chainId: number, names: readonly string[]): Promise<ReadonlyMap<string, StoredCoin>> {
  const rows = await sql<CoinRow[]>`
    select txid, vout, amount::text, height, spent_by, spent_height, spent_hash, replaced_by, replaced_height, replaced_hash from bitcoin_coins
    where chain_id = ${chainId} and txid || ':' || vout = any(${names as string[]}) and txid = any(${names.map((name) => name.slice(0, 64))})`
  return new Map(
    rows.map((row) => [
      nameOf(row),
      {
        txid: row.txid,
        vout: row.vout,
        amount: BigInt(row.amount),
        isIncluded: row.height !== null,
        spent: inclusionOf(row.spent_by, row.spent_height, row.spent_hash),
        replaced: inclusionOf(row.replaced_by, row.replaced_height, row.replaced_hash),
      },
    ]),
  )
}

const inclusionOf = (txid: string | null, height: number | null, hash: string | null): Inclusion | undefined =>
  txid === null || height === null || hash === null ? undefined : { txid, height, hash }

export interface StoredCoin extends Coin {
  readonly isIncluded: boolean
  readonly spent: Inclusion | undefined
  /** A transaction in a block has taken what the coin's own transaction would have spent. */
  readonly replaced: Inclusion | undefined
}

/** A transaction in a block. */
export interface Inclusion {
  readonly txid: string
  readonly height: number
  readonly hash: string
}

export const nameOf = ({ txid, vout }: Pick<Coin, 'txid' | 'vout'>): string => `${txid}:${vout}`

export interface Signed extends Pick<Built, 'fee' | 'vsize' | 'shares'> {
  readonly txid: string
  readonly raw: string
}

/** Two processes that both believe they hold the lease take turns here, so no coin gets two payouts. */
const lockCoins = (tx: Tx, chainId: number) => tx`select pg_advisory_xact_lock(hashtextextended(${`till:bitcoin-coins:${chainId}`}, 0))`

/** Stores a signed transaction and what it pays, unless another one has taken a payout or a coin meanwhile. */
export async function insertSend(tx: Tx, chainId: number, parts: ReadonlyMap<string, readonly string[]>, signed: Signed): Promise<boolean> {
  await lockCoins(tx, chainId)
  const [row] = await tx<{ id: number }[]>`insert into bitcoin_sends (chain_id) values (${chainId}) returning id::int`
  for (const [payoutId, coins] of parts) {
    const taken = await tx`
      update bitcoin_payouts set state = 'sent', send_id = ${row?.id ?? null}, coins = ${coins as string[]}, failures = 0, not_before = null,
        problem = null, gone_since = null, updated_at = now()
      where id = ${payoutId} and state = 'queued' and (coins is null or coins = ${coins as string[]}) and not exists (
        select from bitcoin_payouts other where other.chain_id = ${chainId} and other.id <> ${payoutId} and other.state <> 'failed'
          and other.coins && ${coins as string[]}
      )`
    if (taken.count === 0) return false
  }
  await insertAttempt(tx, chainId, row?.id ?? 0, signed)
  return true
}

export async function insertAttempt(
  tx: Tx | Sql,
  chainId: number,
  sendId: number,
  { txid, raw, fee, vsize, shares }: Signed,
): Promise<void> {
  await tx`
    insert into bitcoin_attempts (chain_id, txid, send_id, raw, fee, vsize, payouts, fees)
    values (${chainId}, ${txid}, ${sendId}, ${raw}, ${fee.toString()}, ${vsize.toString()}, ${shares.map(({ payoutId }) => payoutId)},
      ${shares.map((share) => share.fee.toString())}::bigint[])
    on conflict (chain_id, txid) do nothing`
}

export interface Attempt extends Signed {
  readonly sendId: number
  readonly ageMs: number
}

interface AttemptRow {
  readonly send_id: number
  readonly txid: string
  readonly raw: string
  readonly fee: string
  readonly vsize: number
  readonly payouts: readonly string[]
  readonly fees: readonly string[]
  readonly age_ms: number
}

/** Selects every transaction that was ever signed for these payouts, from oldest to newest. Any of them may be mined. */
export async function attemptsOf(sql: Sql, chainId: number, payoutIds: readonly string[]): Promise<Attempt[]> {
  const rows = await sql<AttemptRow[]>`
    select send_id::int, txid, raw, fee::text, vsize, payouts, fees::text[],
      floor(extract(epoch from clock_timestamp() - signed_at) * 1000)::float8 as age_ms
    from bitcoin_attempts where chain_id = ${chainId} and payouts && ${payoutIds as string[]} order by send_id, signed_at, fee`
  return rows.map(({ send_id, txid, raw, fee, vsize, payouts, fees, age_ms }) => ({
    sendId: send_id,
    txid,
    raw,
    fee: BigInt(fee),
    vsize: BigInt(vsize),
    shares: payouts.map((payoutId, i) => ({ payoutId, fee: BigInt(fees[i] ?? 0) })),
    ageMs: age_ms,
  }))
}

/**
 * Selects confirmed payouts that may no longer be final: those above the last position that two forks share or, without one, those whose coins are
 * spent elsewhere or not at all by what was read.
 */
export async function confirmedPayoutsGone(sql: Sql, chainId: number, above?: number): Promise<BoundPayout[]> {
  const which =
    above === undefined
      ? sql`mined_height > (select max(block) - ${rememberedBlocks}::int from chain_cursors where chain_id = ${chainId}) and exists (
          select from unnest(coins) name join bitcoin_coins coin
            on coin.chain_id = ${chainId} and coin.txid = left(name, 64) and coin.vout = substr(name, 66)::int
          where coin.spent_hash is distinct from mined_hash)`
      : sql`mined_height > ${above}`
  const rows = await sql<PayoutRow[]>`
    select ${columns(sql)} from bitcoin_payouts where chain_id = ${chainId} and state = 'confirmed' and ${which} order by position`
  return rows.map(boundOf)
}

/** No reorganisation is deeper than this. */
const rememberedBlocks = 512

/** Maps transactions of ours to the orders that they are or were signed for. */
export async function ordersOfTransactions(sql: Sql, txids: readonly string[]): Promise<Map<string, Set<string>>> {
  const rows = await sql<{ txid: string; order_ids: string[] }[]>`
    select txid, array_agg(order_id) as order_ids from bitcoin_attempts
    join bitcoin_payouts on bitcoin_payouts.id = any(bitcoin_attempts.payouts)
    where bitcoin_attempts.txid = any(${txids as string[]}) group by txid`
  return new Map(rows.map((row) => [row.txid, new Set(row.order_ids)]))
}

export async function payoutMetrics(sql: Sql, chainId: number): Promise<PayoutMetrics> {
  const [row] = await sql<{ unsent: number | null; unmined: number | null; unsettled: number | null; reopened: number; lost: number }[]>`
    select
      extract(epoch from clock_timestamp() - min(since) filter (where state = 'queued'))::int as unsent,
      extract(epoch from clock_timestamp() - min(since) filter (where state = 'sent' and mined_txid is null))::int as unmined,
      extract(epoch from clock_timestamp() - min(since))::int as unsettled,
      (count(*) filter (where reopened_at is not null))::int as reopened,
      (select count(*) from bitcoin_payouts where chain_id = ${chainId} and lost_at is not null)::int as lost
    from (
      select state, mined_txid, reopened_at, coalesce(reopened_at, created_at) as since from bitcoin_payouts
      where chain_id = ${chainId} and state in ('queued', 'sent')
    ) as open`
  return {
    oldestUnsent: row?.unsent ?? undefined,
    oldestUnmined: row?.unmined ?? undefined,
    oldestUnsettled: row?.unsettled ?? undefined,
    reopened: row?.reopened ?? 0,
    lost: row?.lost ?? 0,
  }
}
