import type { ChainId } from '../../../src/wire/chain.ts'
import type { Sql } from '../../database/connect.ts'
import { transaction } from '../../database/transaction.ts'
import type { Block } from './block.ts'

export interface BlockCursor {
  readonly block: number
  readonly hash: string
}

const keptBlocks = 512

export async function readBlockCursor(sql: Sql, chainId: ChainId): Promise<BlockCursor | undefined> {
  const [row] = await sql<BlockCursor[]>`select block, hash from chain_cursors where chain_id = ${chainId}`
  return row && { block: row.block, hash: row.hash }
}

/** Throws unless the cursor still is where the scan began, so that a slow process that has lost the chain's lease does not move it. */
export async function advanceCursor(sql: Sql, chainId: ChainId, from: BlockCursor | undefined, blocks: readonly Block[]): Promise<void> {
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

/** Takes its locks in the order in which `advanceCursor` does, so that two processes that overlap briefly cannot deadlock. */
export async function rewindCursor(sql: Sql, chainId: ChainId, ancestor: Pick<Block, 'number' | 'hash'>): Promise<void> {
  await transaction(sql, async (tx) => {
    await tx`update chain_cursors set block = ${ancestor.number}, hash = ${ancestor.hash} where chain_id = ${chainId}`
    await tx`delete from chain_blocks where chain_id = ${chainId} and block > ${ancestor.number}`
  })
}

/** Returns the stored blocks up to a number, newest first. */
export const storedBlocks = async (sql: Sql, chainId: ChainId, upTo: number): Promise<BlockCursor[]> =>
  sql<BlockCursor[]>`select block, hash from chain_blocks where chain_id = ${chainId} and block <= ${upTo} order by block desc`

/** Maps block numbers to hashes. Only the latest scanned blocks are stored, so others are left out. */
export async function storedHashes(sql: Sql, chainId: ChainId, blocks: readonly number[]): Promise<Map<number, string>> {
  const rows = await sql<BlockCursor[]>`
    select block, hash from chain_blocks where chain_id = ${chainId} and block = any(${blocks as number[]}::bigint[])`
  return new Map(rows.map(({ block, hash }) => [block, hash]))
}
