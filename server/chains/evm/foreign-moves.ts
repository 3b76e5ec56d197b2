import { decodeJson, encodeJson } from '../../database/json.ts'
import type { Sql, Tx } from '../../database/connect.ts'
import { transaction } from '../../database/transaction.ts'
import { depositAddressOf } from '../../../src/wire/terms/terms-hash.ts'
import type { Position } from '../feed.ts'
import type { SeenMove } from '../moves.ts'

/** The moves of others are stored in the transaction that advances the cursor, and each is then recorded on its order in a transaction of its own. */

export interface MoveCursor {
  readonly block: number
  readonly version: number
}

export async function readMoveCursor(sql: Sql, chainId: number): Promise<MoveCursor | undefined> {
  const [row] = await sql<MoveCursor[]>`select block::int, version::int from move_cursors where chain_id = ${chainId}`
  return row && { block: row.block, version: row.version }
}

/** Returns false, and stores nothing, if the cursor is no longer the one with which the moves were read. A move whose block is back is not lost. */
export async function storeMoves(
  sql: Sql,
  chainId: number,
  from: MoveCursor | undefined,
  { block, moves }: { readonly block: number; readonly moves: readonly SeenMove[] },
): Promise<boolean> {
  return transaction(sql, async (tx) => {
    const { count } = from
      ? await tx`
          update move_cursors set block = ${block}, version = version + 1
          where chain_id = ${chainId} and block = ${from.block} and version = ${from.version}`
      : await tx`insert into move_cursors (chain_id, block) values (${chainId}, ${block}) on conflict do nothing`
    if (count === 0) return false
    const rows = moves.map((move) => ({ id: move.id, address: move.from, block: move.height, move }))
    if (rows.length > 0)
      await tx`
        insert into foreign_moves (chain_id, id, address, block, state, move)
        select ${chainId}, id, address, block, 'found', move
        from jsonb_to_recordset(${encodeJson(rows)}::text::jsonb) as seen (id text, address text, block bigint, move jsonb)
        on conflict (chain_id, id) do update set state = 'found', move = excluded.move, attempts = 0, next_at = now(), problem = null
          where foreign_moves.state = 'lost'`
    return true
  })
}

/** Everything above this position is lost, whether or not it was recorded yet. */
export async function loseMovesAbove(sql: Sql, chainId: number, { height }: Position): Promise<void> {
  await transaction(sql, async (tx) => {
    await tx`update move_cursors set block = least(block, ${height}), version = version + 1 where chain_id = ${chainId}`
    await tx`
      update foreign_moves set state = 'lost', attempts = 0, next_at = now(), problem = null
      where chain_id = ${chainId} and block > ${height} and state <> 'lost'`
  })
}

const movesPerStep = 100
const movesPerAddress = 10

/** Deposit addresses take turns, so that nobody can hold up the moves of other orders with many of one. */
export async function dueMoves(sql: Sql, chainId: number, state: 'found' | 'lost'): Promise<readonly string[]> {
  const rows = await sql<{ id: string }[]>`
    select id from (
      select id, position, row_number() over (partition by address order by position) as turn
      from foreign_moves where chain_id = ${chainId} and state = ${state} and next_at <= now()) due
    where turn <= ${movesPerAddress} order by turn, position limit ${movesPerStep}`
  return rows.map(({ id }) => id)
}

export type DueMove =
  | { readonly state: 'found'; readonly move: SeenMove }
  | { readonly state: 'lost'; readonly id: string; readonly from: string }

/** Records or undoes a move in the transaction that notes it, so that neither happens without the other and it never happens twice. */
export async function withDueMove(sql: Sql, chainId: number, id: string, work: (tx: Tx, due: DueMove) => Promise<void>): Promise<void> {
  await transaction(sql, async (tx) => {
    const [row] = await tx<{ state: string; address: string; move: unknown }[]>`
      select state, address, move from foreign_moves where chain_id = ${chainId} and id = ${id} for update`
    if (row?.state === 'found') {
      await work(tx, { state: 'found', move: decodeJson<SeenMove>(row.move) })
      await tx`update foreign_moves set state = 'recorded', attempts = 0, problem = null where chain_id = ${chainId} and id = ${id}`
    }
    if (row?.state === 'lost') {
      await work(tx, { state: 'lost', id, from: row.address })
      await tx`delete from foreign_moves where chain_id = ${chainId} and id = ${id}`
    }
  })
}

/** The wait doubles from one second up to an hour. */
export async function postponeMove(sql: Sql, chainId: number, id: string, problem: string): Promise<void> {
  await sql`
    update foreign_moves set attempts = attempts + 1, problem = ${problem.slice(0, 500)},
      next_at = now() + least(3600, 2 ^ least(attempts, 20)) * interval '1 second'
    where chain_id = ${chainId} and id = ${id} and state <> 'recorded'`
}

/** Returns whether all that was moved from the address of these terms, up to this block, is recorded on its order. */
export async function areMovesRecorded(
  sql: Sql,
  chainId: number,
  { upTo, termsHash, factory }: { readonly upTo: number; readonly termsHash: string; readonly factory: string },
): Promise<boolean> {
  const address = depositAddressOf(factory, termsHash.slice(2))
  const [row] = await sql<{ recorded: boolean }[]>`
    select coalesce((select block >= ${upTo} from move_cursors where chain_id = ${chainId}), false)
      and not exists (select from foreign_moves where chain_id = ${chainId} and address = ${address} and state <> 'recorded') as recorded`
  return row?.recorded ?? false
}
