import { afterCommit, transaction } from '../database/transaction.ts'
import { isTx, type Sql, type Tx } from '../database/connect.ts'
import { append, appendUnlessMoved } from './append.ts'
import { effectsOf, performEffects } from './effects.ts'
import type { Engine } from './engine.ts'
import type { Birth, Fact } from './model/facts.ts'
import { decide } from './model/decide.ts'
import type { Command, Refusal } from './model/commands.ts'
import type { Order } from './model/order.ts'
import { lockOrder, orderById } from './order-queries.ts'

export type Recorded =
  | { readonly ok: true; readonly order: Order; readonly facts: readonly Fact[] }
  | { readonly ok: false; readonly refusal: Refusal; readonly order: Order }

/** A command, or what makes one of the order as it is: then it is made again when the order changed meanwhile. */
type CommandFor = Command | ((order: Order, sql: Sql | Tx) => Promise<Command> | Command)

/**
 * The only way an order changes: `decide` answers the command with facts, and the facts, all that is derived from them and what they
 * oblige us to do are written together, or not at all. Every process is notified after the commit. Undefined: there is no such order.
 *
 * Without a transaction of the caller's, an order that nobody changed since it was read is changed by one statement, at a fraction of the
 * cost of a lock. Where something beyond the order is to be written, and inside a transaction, the order's row is locked.
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

/** The same, but only while the order is as it was read; undefined if it is not. */
export async function recordIfUnmoved(engine: Engine, read: Order, command: Command): Promise<Recorded | undefined> {
  const recorded = await recordUnlocked(engine, read, command)
  if (recorded) return recorded
  return transaction(engine.sql, async (tx) => {
    const order = await lockOrder(tx, read.id)
    return order?.version === read.version ? recordLocked(engine, tx, order, command) : undefined
  })
}

/** An order begins: the first of its facts, and what else is true of it from the start. */
export async function recordBirth(engine: Engine, sql: Sql | Tx, birth: Birth, more: readonly Fact[]): Promise<Order> {
  const order = await append(sql, undefined, [{ type: 'created', order: birth }, ...more], engine.rules, engine.clock())
  notify(engine, sql)
  return order
}

async function recordLocked(engine: Engine, tx: Tx, order: Order, commandFor: CommandFor): Promise<Recorded> {
  const { rules } = engine
  const command = typeof commandFor === 'function' ? await commandFor(order, tx) : commandFor
  const now = engine.clock()
  const decision = decide(order, command, rules, now)
  if (!decision.ok) return { ok: false, refusal: decision.refusal, order }
  if (decision.facts.length === 0) return { ok: true, order, facts: [] }
  const after = await append(tx, order, decision.facts, rules, now)
  await performEffects({ engine, tx, record: (other, asked) => record(engine, other, asked, tx) }, after, decision.facts)
  notify(engine, tx)
  return { ok: true, order: after, facts: decision.facts }
}

/** Undefined where it takes the lock: a refusal must be true of the order as it is now, and effects need a transaction. */
async function recordUnlocked(engine: Engine, read: Order, commandFor: CommandFor): Promise<Recorded | undefined> {
  const { rules } = engine
  const command = typeof commandFor === 'function' ? await commandFor(read, engine.sql) : commandFor
  const now = engine.clock()
  const decision = decide(read, command, rules, now)
  if (!decision.ok || effectsOf(engine, read, decision.facts).length > 0) return undefined
  const order = await appendUnlessMoved(engine.sql, read, decision.facts, rules, now)
  if (order && decision.facts.length > 0) notify(engine, engine.sql)
  return order && { ok: true, order, facts: decision.facts }
}

const notify = (engine: Engine, sql: Sql | Tx): void => (isTx(sql) ? afterCommit(sql, engine.ring) : engine.ring())
