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
  await sweepOrders(engine, chain, await ordersToSweep(engine.sql), head, signal)
  await markSwept(engine.sql, chain.id, head.number)
}

export const sweepOne = async (engine: Engine, order: Order, signal: AbortSignal): Promise<void> => {
  for (const chain of engine.chains.values()) await sweepOrders(engine, chain, [order], await chain.head(signal), signal)
}

const ordersToSweep = async (sql: Sql): Promise<Order[]> => {
  const rows = await sql`
    select state from orders
    where status in ('AWAITING_PAYMENT', 'PARTIAL_PAYMENT') or (status in ('EXPIRED', 'COMPLETED', 'FAILED') and updated_at > now() - interval '1 day')`
  return rows.map((row) => decodeJson<Order>(row.state))
}

const sweepOrders = async (engine: Engine, chain: Chain, orders: readonly Order[], head: Block, signal: AbortSignal): Promise<void> => {
  const native = chain.tokens.find((token) => token.address === null)
  const final = head.number - chain.confirmations + 1
  if (!native || final < 1 || orders.length === 0) return
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
    await record(engine, order.id, {
      type: 'balance',
      asset,
      balance,
      block: final,
      blockHash: block.hash,
      needed: chain.confirmations,
      head: head.number,
      quote: await priceForArrival(engine, order.id, asset),
    })
  }
}
