import type { ChainId } from '../../../src/wire/chain.ts'
import type { Sql, Tx } from '../../database/connect.ts'
import { transaction } from '../../database/transaction.ts'
import type { BlockCursor } from '../blocks/block-cursor.ts'
import { outpointOf } from './answers.ts'
import { coinbaseMaturity, type PayingTransaction } from './payments.ts'

/**
 * The outputs that pay deposit addresses, and what became of them. Rows are kept, and every write may be repeated.
 *
 * A process writes only while the chain's cursor is where it believes, and holds the cursor's row meanwhile. So a process that has lost the
 * lease does not overwrite what the next one has read. What blocks above the cursor have left behind is cleared before they are written.
 */

export interface BlockCoins {
  readonly height: number
  readonly hash: string
  readonly paying: readonly PayingTransaction[]
  /** Every output that the block spends, and the transaction that does. */
  readonly spends: readonly Spend[]
}

export interface Spend {
  readonly outpoint: string
  readonly by: string
}

/** A transaction of ours that is in none of the blocks that were read, and that nothing has replaced. */
export interface WaitingTransaction {
  readonly txid: string
  readonly outpoints: readonly string[]
  readonly coins: readonly { readonly vout: number; readonly address: string }[]
}

export interface Replacement {
  readonly txid: string
  readonly by: string
  /** The other transaction is in this block. It is absent while it waits too, and so may be replaced itself. */
  readonly at?: { readonly height: number; readonly hash: string }
}

const mostVout = 2_147_483_647

export async function keepBlocks(sql: Sql, chainId: ChainId, cursor: BlockCursor, blocks: readonly BlockCoins[]): Promise<void> {
  await whileCursorStands(sql, chainId, cursor, async (tx) => {
    await clearAbove(tx, chainId, cursor.block)
    for (const { height, hash, paying, spends } of blocks) {
      await insertCoins(tx, chainId, paying, { height, hash })
      await spend(tx, chainId, spends, { height, hash })
    }
  })
}

/** Keeps what pays us from the mempool, where it may be for the first time or again. What is in a block already stays there. */
export async function keepWaiting(sql: Sql, chainId: ChainId, cursor: BlockCursor, paying: readonly PayingTransaction[]): Promise<void> {
  if (paying.length === 0) return
  await whileCursorStands(sql, chainId, cursor, (tx) => insertCoins(tx, chainId, paying, undefined))
}

/** Call this after the replacements have been reported, so that a crash in between repeats the report. */
export async function markReplaced(sql: Sql, chainId: ChainId, cursor: BlockCursor, replaced: readonly Replacement[]): Promise<void> {
  if (replaced.length === 0) return
  await whileCursorStands(sql, chainId, cursor, async (tx) => {
    await tx`
      update bitcoin_coins set replaced_by = replacement.by, replaced_height = replacement.height, replaced_hash = replacement.hash
      from unnest(
        ${replaced.map(({ txid }) => txid)}::text[], ${replaced.map(({ by }) => by)}::text[],
        ${replaced.map(({ at }) => at?.height ?? null)}::int[], ${replaced.map(({ at }) => at?.hash ?? null)}::text[]
      ) as replacement (txid, by, height, hash)
      where chain_id = ${chainId} and bitcoin_coins.txid = replacement.txid and bitcoin_coins.height is null`
  })
}

/**
 * Takes back what blocks above this height have done. Their transactions usually wait for a block again. One that was replaced stays so until
 * it is seen again, because the replacement waits too.
 */
export async function undoAbove(sql: Sql, chainId: ChainId, height: number): Promise<void> {
  await transaction(sql, async (tx) => {
    await tx`select 1 from chain_cursors where chain_id = ${chainId} for update`
    await clearAbove(tx, chainId, height)
  })
}

/**
 * Lists transactions that no block includes. One that another waiting transaction has replaced is listed only with `alsoReplaced`, because
 * a block may include either. What a process has kept of blocks above the cursor before it was killed counts as waiting, because other blocks may have
 * taken their place.
 */
export async function waitingTransactions(
  sql: Sql,
  chainId: ChainId,
  cursor: number,
  { alsoReplaced = false } = {},
): Promise<WaitingTransaction[]> {
  const rows = await sql<{ txid: string; outpoints: string[]; vouts: number[]; addresses: string[] }[]>`
    select txid, coalesce(outpoints, '{}') as outpoints, vouts, addresses
    from (
      select chain_id, txid, array_agg(vout order by vout) as vouts, array_agg(address order by vout) as addresses
      from bitcoin_coins where chain_id = ${chainId} and (height is null or height > ${cursor})
        and replaced_height is null and (${alsoReplaced} or replaced_by is null)
      group by chain_id, txid
    ) waiting
    left join bitcoin_inputs using (chain_id, txid)
    order by txid`
  return rows.map(({ txid, outpoints, vouts, addresses }) => ({
    txid,
    outpoints,
    coins: vouts.map((vout, i) => ({ vout, address: addresses[i]! })),
  }))
}

async function whileCursorStands(sql: Sql, chainId: ChainId, cursor: BlockCursor, work: (tx: Tx) => Promise<void>): Promise<void> {
  await transaction(sql, async (tx) => {
    const standing = await tx`
      select 1 from chain_cursors where chain_id = ${chainId} and block = ${cursor.block} and hash = ${cursor.hash} for update`
    if (standing.length === 0) throw new Error(`another process has moved the cursor of chain ${chainId}`)
    await work(tx)
  })
}

async function clearAbove(tx: Tx, chainId: ChainId, height: number): Promise<void> {
  await tx`update bitcoin_coins set height = null, block_hash = null where chain_id = ${chainId} and height > ${height}`
  await tx`
    update bitcoin_coins set spent_by = null, spent_height = null, spent_hash = null
    where chain_id = ${chainId} and spent_height > ${height}`
  await tx`
    update bitcoin_coins set replaced_height = null, replaced_hash = null
    where chain_id = ${chainId} and replaced_height > ${height}`
}

async function insertCoins(
  tx: Tx,
  chainId: ChainId,
  paying: readonly PayingTransaction[],
  at: { readonly height: number; readonly hash: string } | undefined,
): Promise<void> {
  if (paying.length === 0) return
  const coins = paying.flatMap(({ txid, payments, isCoinbase }) =>
    payments.map(({ vout, address, amount }) => ({
      chain_id: chainId,
      txid,
      vout,
      address,
      amount: `${amount}`,
      height: at?.height ?? null,
      block_hash: at?.hash ?? null,
      maturity: isCoinbase ? coinbaseMaturity : null,
    })),
  )
  const inputs = paying.map(({ txid, outpoints }) => ({ chain_id: chainId, txid, outpoints: [...outpoints] }))
  for (let start = 0; start < coins.length; start += rowsAtOnce)
    await tx`
      insert into bitcoin_coins ${tx(coins.slice(start, start + rowsAtOnce))}
      on conflict (chain_id, txid, vout) do update set
        height = coalesce(excluded.height, bitcoin_coins.height),
        block_hash = coalesce(excluded.block_hash, bitcoin_coins.block_hash),
        replaced_by = null, replaced_height = null, replaced_hash = null`
  // While a transaction waits, it depends on what its unconfirmed parents spend too, which a block's transaction does not show any more.
  for (const { txid, outpoints } of inputs)
    await tx`
      insert into bitcoin_inputs (chain_id, txid, outpoints) values (${chainId}, ${txid}, ${outpoints})
      on conflict (chain_id, txid) do update set outpoints = excluded.outpoints where ${at === undefined}`
}

/** A statement has at most 65,534 parameters. */
const rowsAtOnce = 5_000

async function spend(
  tx: Tx,
  chainId: ChainId,
  spends: readonly Spend[],
  { height, hash }: { readonly height: number; readonly hash: string },
): Promise<void> {
  const found = spends.map(({ outpoint, by }) => ({ ...outpointOf(outpoint), by })).filter(({ vout }) => vout <= mostVout)
  if (found.length === 0) return
  await tx`
    update bitcoin_coins set spent_by = spent.by, spent_height = ${height}, spent_hash = ${hash}
    from unnest(
      ${found.map(({ txid }) => txid)}::text[], ${found.map(({ vout }) => vout)}::int[], ${found.map(({ by }) => by)}::text[]
    ) as spent (txid, vout, by)
    where chain_id = ${chainId} and bitcoin_coins.txid = spent.txid and bitcoin_coins.vout = spent.vout`
}
