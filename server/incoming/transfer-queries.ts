import type { ChainId } from '../../src/wire/chain.ts'
import type { Position } from '../chains/feed.ts'
import type { Sql } from '../database/connect.ts'

/** Transfers by their position on a chain. Many share one, so positions are few. */

export async function positionsAwaitingConfirmation(sql: Sql, chainId: ChainId): Promise<Position[]> {
  const rows = await sql<{ block: number; block_hash: string }[]>`
    select distinct block, block_hash from transfers where chain_id = ${chainId} and state = 'seen' and block is not null`
  return rows.map((row) => ({ height: row.block, id: row.block_hash }))
}

export async function ordersAwaitingConfirmation(sql: Sql, chainId: ChainId): Promise<string[]> {
  const rows = await sql`select distinct order_id from transfers where chain_id = ${chainId} and state = 'seen' and block is not null`
  return rows.map((row) => row.order_id as string)
}

export const transfersAbove = async (sql: Sql, chainId: ChainId, { height }: Position): Promise<Map<string, string[]>> =>
  groupByOrder(await sql`select order_id, key from transfers where chain_id = ${chainId} and state <> 'dropped' and block > ${height}`)

export const pendingTransfersAt = async (sql: Sql, chainId: ChainId, positions: readonly Position[]): Promise<Map<string, string[]>> =>
  groupByOrder(
    await sql`
      select order_id, key from transfers
      where chain_id = ${chainId} and state = 'seen' and block = any(${positions.map(({ height }) => height)}::bigint[])
        and block_hash = any(${positions.map(({ id }) => id)})`,
  )

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
