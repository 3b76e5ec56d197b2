import { getAbiItem, toEventSelector } from 'viem'
import { pause } from '../../lib/pause.ts'
import { finalBlock } from '../blocks/final-block.ts'
import type { Moves, MovesTools, SeenMove } from '../moves.ts'
import type { Agreed } from '../second-node.ts'
import type { EvmConfig } from './evm-config.ts'
import { agreedLogs } from './agreed-logs.ts'
import { agreedReceipts } from './agreed-receipts.ts'
import { TillFactory } from './contracts/artifacts/TillFactory.ts'
import type { EvmNode } from './evm-node.ts'
import { dueMoves, loseMovesAbove, postponeMove, readMoveCursor, storeMoves, withDueMove } from './foreign-moves.ts'
import { readLogs } from './logs.ts'
import { callsInTransactions } from './payouts/orders-of-sends.ts'
import type { Receipt } from './receipt.ts'
import { headerCall, type Log, requireHead } from './rpc-calls.ts'
import { seenMoves } from './seen-moves.ts'

const topics = (['Paid', 'Converted'] as const).map((name) => toEventSelector(getAbiItem({ abi: TillFactory.abi, name })))

/** Nobody waits for what others moved, so a look at many blocks at once costs one request now and then. */
const pauseOf = ({ pollMs }: Pick<EvmConfig, 'pollMs'>): number => Math.max(5 * pollMs, 1_000)

/** Reads the factory's own events, since it alone can move what is at a deposit address. */
export const evmMoves = (node: EvmNode): Moves => ({
  follower: (tools) => {
    const agreed = agreedReceipts(node, tools)
    return async (signal) => {
      const lost = await deliver(node, tools, 'lost', signal)
      const found = await deliver(node, tools, 'found', signal)
      const waitMs = await readOn(node, tools, agreed, signal)
      if (waitMs === 0) await deliver(node, tools, 'found', signal)
      else if (lost + found === 0) await pause(waitMs, signal)
    }
  },
  async undoAfter(tools, last) {
    await loseMovesAbove(tools.sql, node.id, last)
    while ((await deliver(node, tools, 'lost')) > 0);
  },
})

/** Reads a range and stores what was moved in it. Returns how long to wait if there was nothing to read yet, or two nodes do not agree on it. */
async function readOn(node: EvmNode, tools: MovesTools, agreed: Agreed<Receipt> | undefined, signal: AbortSignal): Promise<number> {
  const { sql } = tools
  const { rpc, config, id } = node
  const cursor = await readMoveCursor(sql, id)
  const [head] = await rpc.read(signal, headerCall('latest'))
  const final = finalBlock(node, requireHead(id, head).number)
  const from = cursor === undefined ? final : cursor.block + 1
  if (from > final || final < 0) return pauseOf(config)
  const to = Math.min(final, from + config.maxRange - 1)
  const filter = { from, to, addresses: [config.factory.address], topics }
  const range = await readLogs(rpc, filter, signal)
  // A node that lags does not have the last block yet.
  if (!range) return config.pollMs
  let moves = await movesOfOrders(node, tools, range.logs)
  if (agreed && moves.length > 0) {
    const logs = await agreedLogs(rpc, agreed, [...new Set(moves.map(({ txHash }) => txHash))], filter, signal)
    if (!logs) return config.pollMs
    moves = await movesOfOrders(node, tools, logs)
  }
  // If a reorganisation was undone meanwhile, the range is read again.
  await storeMoves(sql, id, cursor, { block: to, moves })
  return 0
}

async function movesOfOrders({ config }: EvmNode, { sql, observer }: MovesTools, logs: readonly Log[]): Promise<readonly SeenMove[]> {
  const own = await callsInTransactions(sql, [...new Set(logs.map(({ transactionHash }) => transactionHash))])
  const moves = seenMoves(config.factory.address, logs, own)
  const ours = moves.length > 0 ? await observer.ours([...new Set(moves.map((move) => move.from))]) : new Set()
  return moves.filter((move) => ours.has(move.from))
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
