import type { Block, Chain } from '../chains/chain.ts'
import { unexplained } from '../domain/balance.ts'
import type { Order } from '../domain/order.ts'
import { markSwept, readBlockCursor } from '../store/blocks.ts'
import type { Sql } from '../store/connect.ts'
import { decodeJson } from '../store/json.ts'
import type { Engine } from './engine.ts'
import { assetOf } from './quoting.ts'
import { record } from './record.ts'
import { priceForArrival } from './repricing.ts'

/**
 * Native coin that a contract sent leaves no trace but the balance. Balances of orders that may still be paid are compared with the books
 * at a block that is final, once in a while and before an order expires.
 */
export const sweepDue = async (engine: Engine, chain: Chain, everyBlocks: number, head: Block, signal: AbortSignal): Promise<void> => {
  const cursor = await readBlockCursor(engine.sql, chain.id)
  if (!cursor || head.number - cursor.sweptAt < everyBlocks) return
  await sweepOrders(engine, chain, await ordersToSweep(engine.sql), signal)
  await markSwept(engine.sql, chain.id, head.number)
}

export const sweepOne = async (engine: Engine, order: Order, signal: AbortSignal): Promise<void> => {
  for (const chain of engine.chains.values()) await sweepOrders(engine, chain, [order], signal)
}

const ordersToSweep = async (sql: Sql): Promise<Order[]> => {
  const rows = await sql`
    select state from orders
    where status in ('AWAITING_PAYMENT', 'PARTIAL_PAYMENT') or (status in ('EXPIRED', 'COMPLETED', 'FAILED') and updated_at > now() - interval '1 day')`
  return rows.map((row) => decodeJson<Order>(row.state))
}

/**
 * The books are read first and the chain afterwards, and an order that has moved on meanwhile is left to the next time: books that are
 * newer than the balance would take money that was just settled for money that just came.
 */
const sweepOrders = async (engine: Engine, chain: Chain, orders: readonly Order[], signal: AbortSignal): Promise<void> => {
  const native = chain.tokens.find((token) => token.address === null)
  if (!native || orders.length === 0) return
  const head = await chain.head(signal)
  const final = head.number - chain.confirmations + 1
  if (final < 1) return
  const block = await chain.block(final, signal)
  if (!block) return
  const balances = await chain.balances(
    orders.map((order) => chain.depositAddress(order.id)),
    null,
    final,
    signal,
  )
  const asset = assetOf(native)
  for (const [index, order] of orders.entries()) {
    const balance = balances[index] ?? 0n
    if (unexplained(order, asset, balance, final) === 0n) continue
    const quote = await priceForArrival(engine, order.id, asset)
    const seen = { asset, balance, block: final, blockHash: block.hash, needed: chain.confirmations, head: head.number, quote }
    await record(engine, order.id, { type: 'balance', ...seen }, order.version)
  }
}
