import type { ChainId } from '../../src/wire/chain.ts'
import { transaction } from '../database/transaction.ts'
import type { Block } from '../chains/chain.ts'
import type { Sql } from '../database/connect.ts'

export interface BlockCursor {
  readonly block: number
  readonly hash: string
  readonly sweptAt: number
  /** The sweep of all addresses has come to the order with this id. An empty id means that it starts over. */
  readonly sweptTo: string
}

const keptBlocks = 512

export async function readBlockCursor(sql: Sql, chainId: ChainId): Promise<BlockCursor | undefined> {
  const [row] = await sql`select block, hash, swept_at, swept_to from chain_cursors where chain_id = ${chainId}`
  return row && { block: row.block, hash: row.hash, sweptAt: row.swept_at, sweptTo: row.swept_to }
}

/** Throws unless the cursor still is where the scan began, so that a slow process that has lost the chain's lease does not move it. */
export async function advanceCursor(
  sql: Sql,
  chainId: ChainId,
  from: Pick<BlockCursor, 'block' | 'hash'> | undefined,
  blocks: readonly Block[],
): Promise<void> {
  const last = blocks.at(-1)
  if (!last) return
  const rows = blocks.slice(-keptBlocks).map((block) => ({ chain_id: chainId, block: block.number, hash: block.hash }))
  await transaction(sql, async (tx) => {
    const moved = from
      ? await tx`
          update chain_cursors set block = ${last.number}, hash = ${last.hash}
          where chain_id = ${chainId} and block = ${from.block} and hash = ${from.hash}`
      : await tx`insert into chain_cursors (chain_id, block, hash) values (${chainId}, ${last.number}, ${last.hash}) on conflict do nothing`
    if (moved.count === 0) throw new Error(`another process has moved the cursor of chain ${chainId}`)
    await tx`insert into chain_blocks ${tx(rows)} on conflict (chain_id, block) do update set hash = excluded.hash`
    await tx`delete from chain_blocks where chain_id = ${chainId} and block < ${last.number - keptBlocks}`
  })
}

export async function rewindCursor(sql: Sql, chainId: ChainId, ancestor: Pick<Block, 'number' | 'hash'>): Promise<void> {
  await transaction(sql, async (tx) => {
    await tx`delete from chain_blocks where chain_id = ${chainId} and block > ${ancestor.number}`
    await tx`update chain_cursors set block = ${ancestor.number}, hash = ${ancestor.hash} where chain_id = ${chainId}`
  })
}

export const storedBlocks = async (sql: Sql, chainId: ChainId, upTo: number): Promise<{ block: number; hash: string }[]> =>
  sql<
    { block: number; hash: string }[]
  >`select block, hash from chain_blocks where chain_id = ${chainId} and block <= ${upTo} order by block desc`

/** Only the latest scanned blocks are stored, so it returns undefined for any other block. */
export async function storedHash(sql: Sql, chainId: ChainId, block: number): Promise<string | undefined> {
  const [row] = await sql<{ hash: string }[]>`select hash from chain_blocks where chain_id = ${chainId} and block = ${block}`
  return row?.hash
}

export async function markSwept(sql: Sql, chainId: ChainId, block: number, to: string): Promise<void> {
  await sql`update chain_cursors set swept_at = ${block}, swept_to = ${to} where chain_id = ${chainId}`
}

/** Finds transfers in blocks above `ancestor`, which a reorganisation has removed until they are seen again. */
export const transfersAbove = async (sql: Sql, chainId: ChainId, ancestor: number): Promise<Map<string, string[]>> =>
  groupByOrder(await sql`select order_id, key from transfers where chain_id = ${chainId} and state <> 'dropped' and block > ${ancestor}`)

/** Finds pending transfers that a node reported from a block that is not the canonical block of its number. */
export const transfersOnOtherForks = async (sql: Sql, chainId: ChainId): Promise<Map<string, string[]>> =>
  groupByOrder(
    await sql`
      select t.order_id, t.key from transfers t join chain_blocks b on b.chain_id = t.chain_id and b.block = t.block
      where t.chain_id = ${chainId} and t.state = 'seen' and b.hash <> t.block_hash`,
  )

/** Finds an order's transfers, pending or later, whose block is no longer canonical. */
export async function nonCanonicalTransfers(sql: Sql, chainId: ChainId, orderId: string): Promise<string[]> {
  const rows = await sql`
    select t.key from transfers t join chain_blocks b on b.chain_id = t.chain_id and b.block = t.block
    where t.chain_id = ${chainId} and t.order_id = ${orderId} and t.state <> 'dropped' and b.hash <> t.block_hash`
  return rows.map((row) => row.key as string)
}

export async function ordersAwaitingConfirmation(sql: Sql, chainId: ChainId): Promise<string[]> {
  const rows = await sql`select distinct order_id from transfers where chain_id = ${chainId} and state = 'seen'`
  return rows.map((row) => row.order_id as string)
}

function groupByOrder(rows: readonly { order_id?: string; key?: string }[]): Map<string, string[]> {
  const groups = new Map<string, string[]>()
  for (const { order_id: orderId, key } of rows) {
    if (orderId === undefined || key === undefined) continue
    const keys = groups.get(orderId)
    if (keys) keys.push(key)
    else groups.set(orderId, [key])
  }
  return groups
}
