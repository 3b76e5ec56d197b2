import { getAbiItem, toEventSelector } from 'viem'
import { pause } from '../../lib/pause.ts'
import { finalBlock } from '../blocks/final-block.ts'
import type { Moves, MovesTools } from '../moves.ts'
import type { ChainConfig } from '../table.ts'
import { TillFactory } from './contracts/artifacts/TillFactory.ts'
import type { EvmNode } from './evm-node.ts'
import { dueMoves, loseMovesAbove, postponeMove, readMoveCursor, storeMoves, withDueMove } from './foreign-moves.ts'
import { readLogs } from './logs.ts'
import { callsInTransactions } from './payouts/orders-of-sends.ts'
import { headerCall, requireHead } from './rpc-calls.ts'
import { seenMoves } from './seen-moves.ts'

const topics = (['Paid', 'Converted'] as const).map((name) => toEventSelector(getAbiItem({ abi: TillFactory.abi, name })))

/** Nobody waits for what others moved, so a look at many blocks at once costs one request now and then. */
const pauseOf = ({ pollMs }: Pick<ChainConfig, 'pollMs'>): number => Math.max(5 * pollMs, 1_000)

/** Reads the factory's own events, since it alone can move what is at a deposit address. */
export const evmMoves = (node: EvmNode): Moves => ({
  follower: (tools) => async (signal) => {
    const lost = await deliver(node, tools, 'lost', signal)
    const found = await deliver(node, tools, 'found', signal)
    const waitMs = await readOn(node, tools, signal)
    if (waitMs === 0) await deliver(node, tools, 'found', signal)
    else if (lost + found === 0) await pause(waitMs, signal)
  },
  async undoAfter(tools, last) {
    await loseMovesAbove(tools.sql, node.id, last)
    while ((await deliver(node, tools, 'lost')) > 0);
  },
})

/** Reads a range and stores what was moved in it. Returns how long to wait if there was nothing to read yet. */
async function readOn(node: EvmNode, { sql, observer }: MovesTools, signal: AbortSignal): Promise<number> {
  const { rpc, config, id } = node
  const cursor = await readMoveCursor(sql, id)
  const [head] = await rpc.read(signal, headerCall('latest'))
  const final = finalBlock(node, requireHead(id, head).number)
  const from = cursor === undefined ? final : cursor.block + 1
  if (from > final || final < 0) return pauseOf(config)
  const to = Math.min(final, from + config.maxRange - 1)
  const range = await readLogs(rpc, { from, to, addresses: [config.factory.address], topics }, signal)
  // A node that lags does not have the last block yet.
  if (!range) return config.pollMs
  const own = await callsInTransactions(sql, [...new Set(range.logs.map(({ transactionHash }) => transactionHash))])
  const moves = seenMoves(config.factory.address, range.logs, own)
  const ours = moves.length > 0 ? await observer.ours([...new Set(moves.map((move) => move.from))]) : new Set()
  // If a reorganisation was undone meanwhile, the range is read again.
  await storeMoves(sql, id, cursor, { block: to, moves: moves.filter((move) => ours.has(move.from)) })
  return 0
}

/**
 * Delivers a bounded number of moves, so that the next blocks are read meanwhile, and returns how many there were. An order that cannot record
 * what was moved, or undo it, holds up no other: its moves stay stored and are retried with back-off.
 */
async function deliver({ id: chainId }: EvmNode, tools: MovesTools, state: 'found' | 'lost', signal?: AbortSignal): Promise<number> {
  const { sql, log, observer } = tools
  const due = await dueMoves(sql, chainId, state)
  for (const id of due) {
    signal?.throwIfAborted()
    try {
      await withDueMove(sql, chainId, id, (tx, move) => (move.state === 'found' ? observer.found(tx, move.move) : observer.lost(tx, move)))
    } catch (error) {
      log.error({ err: error, chain: chainId, move: id }, 'an order cannot record what somebody else has moved; retrying with back-off')
      await postponeMove(sql, chainId, id, error instanceof Error ? error.message : String(error))
    }
  }
  return due.length
}
