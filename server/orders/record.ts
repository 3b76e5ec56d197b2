import { afterCommit, transaction } from '../database/transaction.ts'
import { isTx, type Sql, type Tx } from '../database/connect.ts'
import { append, appendIfUnchanged } from './append.ts'
import { effectsOf, performEffects } from './effects.ts'
import type { Engine } from './engine.ts'
import type { NewOrder, Fact } from './model/facts.ts'
import { decide } from './model/decide.ts'
import type { Command, Refusal } from './model/commands.ts'
import type { Order } from './model/order.ts'
import { lockOrder, orderById } from './order-queries.ts'

export type Recorded =
  | { readonly ok: true; readonly order: Order; readonly facts: readonly Fact[] }
  | { readonly ok: false; readonly refusal: Refusal; readonly order: Order }

/** A function derives the command from the order that was read, and runs again on the locked order if a lock is needed. */
type CommandFor = Command | ((order: Order, sql: Sql | Tx) => Promise<Command> | Command)

/**
 * Orders change only through the functions of this file. Facts, everything derived from them and their effects are written together or not
 * at all. The fast path is a single statement, which changes the order only if it has not changed since it was read. The order's row is
 * locked inside a caller's transaction, when the order has changed meanwhile, when the command is refused, and when a fact has effects.
 */
export async function record(
  engine: Engine,
  order: Order | string,
  command: CommandFor,
  sql: Sql | Tx = engine.sql,
): Promise<Recorded | undefined> {
  if (isTx(sql)) {
    const locked = await lockOrder(sql, typeof order === 'string' ? order : order.id)
    return locked && recordLocked(engine, sql, locked, command)
  }
  const read = typeof order === 'string' ? await orderById(sql, order) : order
  if (!read) return undefined
  return (await recordUnlocked(engine, read, command)) ?? transaction(sql, (tx) => record(engine, read, command, tx))
}

export async function recordIfUnchanged(engine: Engine, read: Order, command: Command): Promise<Recorded | undefined> {
  const recorded = await recordUnlocked(engine, read, command)
  if (recorded) return recorded
  return transaction(engine.sql, async (tx) => {
    const order = await lockOrder(tx, read.id)
    return order?.version === read.version ? recordLocked(engine, tx, order, command) : undefined
  })
}

/** Records a new order with its first fact and the further facts that hold from the start. */
export async function recordNewOrder(engine: Engine, sql: Sql | Tx, birth: NewOrder, more: readonly Fact[]): Promise<Order> {
  const order = await append(sql, undefined, [{ type: 'created', order: birth }, ...more], engine.policy, engine.clock())
  notify(engine, sql)
  return order
}

async function recordLocked(engine: Engine, tx: Tx, order: Order, commandFor: CommandFor): Promise<Recorded> {
  const { policy } = engine
  const command = typeof commandFor === 'function' ? await commandFor(order, tx) : commandFor
  const now = engine.clock()
  const decision = decide(order, command, policy, now)
  if (!decision.ok) return { ok: false, refusal: decision.refusal, order }
  if (decision.facts.length === 0) return { ok: true, order, facts: [] }
  const after = await append(tx, order, decision.facts, policy, now)
  await performEffects({ engine, tx, record: (other, asked) => record(engine, other, asked, tx) }, after, decision.facts)
  notify(engine, tx)
  return { ok: true, order: after, facts: decision.facts }
}

/** Returns undefined when a lock is needed: a refusal must be true of the order's latest state, and effects need a transaction. */
async function recordUnlocked(engine: Engine, read: Order, commandFor: CommandFor): Promise<Recorded | undefined> {
  const { policy } = engine
  const command = typeof commandFor === 'function' ? await commandFor(read, engine.sql) : commandFor
  const now = engine.clock()
  const decision = decide(read, command, policy, now)
  if (!decision.ok || effectsOf(engine, read, decision.facts).length > 0) return undefined
  const order = await appendIfUnchanged(engine.sql, read, decision.facts, policy, now)
  if (order && decision.facts.length > 0) notify(engine, engine.sql)
  return order && { ok: true, order, facts: decision.facts }
}

const notify = (engine: Engine, sql: Sql | Tx): void => (isTx(sql) ? afterCommit(sql, engine.notifyLog) : engine.notifyLog())
