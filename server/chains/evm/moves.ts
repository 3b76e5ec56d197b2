import { getAbiItem, toEventSelector, zeroAddress } from 'viem'
import type { Sql } from '../../database/connect.ts'
import { transaction } from '../../database/transaction.ts'
import { pause } from '../../lib/pause.ts'
import { depositAddressOf } from '../../../src/wire/terms/terms-hash.ts'
import { finalBlock } from '../blocks/final-block.ts'
import type { Moves, MovesTools, SeenMove } from '../moves.ts'
import type { ChainConfig } from '../table.ts'
import { TillFactory } from './contracts/artifacts/TillFactory.ts'
import type { EvmNode } from './evm-node.ts'
import { factoryEvents } from './factory-events.ts'
import { headerCall, logsCall, requireHead, type Log } from './rpc-calls.ts'

const paidTopic = toEventSelector(getAbiItem({ abi: TillFactory.abi, name: 'Paid' }))

/** Nobody waits for what others moved, so a look at many blocks at once costs one request now and then. */
const pauseOf = ({ pollMs }: Pick<ChainConfig, 'pollMs'>): number => Math.max(5 * pollMs, 1_000)

/** Reads the factory's own events, since it alone can move what is at a deposit address. */
export const evmMoves = (node: EvmNode): Moves => ({
  follower: (tools) => async (signal) => {
    const { rpc, config, id } = node
    const [head] = await rpc.read(signal, headerCall('latest'))
    const final = finalBlock(node, requireHead(id, head).number)
    const cursor = await cursorOf(tools.sql, id)
    const from = cursor === undefined ? final : cursor + 1
    if (from > final || final < 0) return pause(pauseOf(config), signal)
    const to = Math.min(final, from + config.maxRange - 1)
    const filter = { from, to, addresses: [config.factory.address], topic: paidTopic }
    const [logs, last] = await rpc.read(signal, logsCall(filter), headerCall(to))
    // A node that lags does not have the last block, and would return too few logs.
    if (!last) return pause(config.pollMs, signal)
    await record(node, tools, to, logs)
  },
  async undoAfter({ sql, observer }, { height }) {
    const rows = await sql<{ id: string; address: string }[]>`
      select id, address from foreign_moves where chain_id = ${node.id} and block > ${height}`
    for (const { id, address } of rows) {
      await observer.lost({ id, from: address })
      await sql`delete from foreign_moves where chain_id = ${node.id} and id = ${id}`
    }
    await sql`update move_cursors set block = least(block, ${height}) where chain_id = ${node.id}`
  },
})

async function cursorOf(sql: Sql, chainId: number): Promise<number | undefined> {
  const [row] = await sql<{ block: number }[]>`select block::int from move_cursors where chain_id = ${chainId}`
  return row?.block
}

/** Moves are reported before the cursor advances, so a crash in between repeats them. */
async function record({ id, config }: EvmNode, { sql, observer }: MovesTools, block: number, logs: readonly Log[]): Promise<void> {
  const moves = movesOf(config.factory.address, logs)
  const foreign = moves.length > 0 ? await observer.found(moves) : new Set<string>()
  const rows = moves
    .filter((move) => foreign.has(move.id))
    .map((move) => ({ chain_id: id, id: move.id, address: move.from, block: move.height }))
  await transaction(sql, async (tx) => {
    if (rows.length > 0) await tx`insert into foreign_moves ${tx(rows)} on conflict do nothing`
    await tx`
      insert into move_cursors (chain_id, block) values (${id}, ${block})
      on conflict (chain_id) do update set block = excluded.block`
  })
}

/** The events of one transaction in one token of one order are one move. In another block it is another one, which may move another amount. */
function movesOf(factory: string, logs: readonly Log[]): readonly SeenMove[] {
  const moves = new Map<string, SeenMove>()
  for (const log of logs) {
    const [event] = factoryEvents(factory, [log])
    if (event?.type !== 'Paid' || event.amount === 0n) continue
    const token = event.token === zeroAddress ? null : event.token
    const id = `${log.blockHash}:${log.transactionHash}:${event.terms}:${event.token}`
    const from = depositAddressOf(factory, event.terms.slice(2))
    const leg = { role: event.role, to: event.to, amount: event.amount }
    const known = moves.get(id)
    const move: SeenMove = known
      ? { ...known, legs: [...known.legs, leg] }
      : { id, txHash: log.transactionHash, from, token, legs: [leg], height: log.blockNumber }
    moves.set(id, move)
  }
  return [...moves.values()]
}
