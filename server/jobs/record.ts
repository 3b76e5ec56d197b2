import { decide } from '../domain/decide.ts'
import type { Command, Refusal } from '../domain/commands.ts'
import type { Fact } from '../domain/facts.ts'
import type { Order } from '../domain/order.ts'
import { append, appendUnlessMoved } from '../store/append.ts'
import { isTx, type Sql, type Tx } from '../store/connect.ts'
import { lockOrder, orderById } from '../store/orders.ts'
import { oblige, performEffects } from './effects.ts'
import type { Engine } from './engine.ts'

export type Recorded =
  | { readonly ok: true; readonly order: Order; readonly facts: readonly Fact[] }
  | { readonly ok: false; readonly refusal: Refusal; readonly order: Order }

/** The one way an order changes: lock it, decide, append, and write down what must now happen, all in one transaction. */
export const recordIn = async (engine: Engine, tx: Tx, order: Order, command: Command): Promise<Recorded> => {
  const { rules } = engine
  const now = engine.clock()
  const decision = decide(order, command, rules, now)
  if (!decision.ok) return { ok: false, refusal: decision.refusal, order }
  if (decision.facts.length === 0) return { ok: true, order, facts: [] }
  const after = await append(tx, order, decision.facts, rules, now)
  await performEffects(engine, tx, after, decision.facts, recordIn)
  return { ok: true, order: after, facts: decision.facts }
}

/** An order, or its id, learns something; every process is told of what changed. Undefined: there is no such order. */
export const record = async (engine: Engine, order: Order | string, command: Command): Promise<Recorded | undefined> => {
  const seen = typeof order === 'string' ? await orderById(engine.sql, order) : order
  return seen && ring(engine, await recordSeen(engine, engine.sql, seen, () => command))
}

/** Only if the order is still as it was seen: undefined if it is not. */
export const recordIfStill = async (engine: Engine, seen: Order, command: Command): Promise<Recorded | undefined> => {
  const alone = await recordAlone(engine, seen, command)
  const result =
    alone ??
    (await engine.sql.begin(async (tx) => {
      const order = await lockOrder(tx, seen.id)
      return order?.version === seen.version ? recordIn(engine, tx, order, command) : undefined
    }))
  return result && ring(engine, result)
}

const ring = (engine: Engine, recorded: Recorded): Recorded => {
  if (recorded.ok && recorded.facts.length > 0) engine.ring()
  return recorded
}

/**
 * From an order as it was just read, at a fraction of the cost: where nothing but the order itself is to be written, one statement
 * does it if nobody changed the order meanwhile. Otherwise, and where the caller is in a transaction already, it is done under the lock.
 */
export const recordSeen = async (
  engine: Engine,
  at: Sql | Tx,
  seen: Order,
  commandFor: (order: Order, at: Sql | Tx) => Promise<Command> | Command,
): Promise<Recorded> => {
  if (isTx(at)) {
    const order = await lockOrder(at, seen.id)
    if (!order) throw new Error(`order ${seen.id} is gone`)
    return recordIn(engine, at, order, await commandFor(order, at))
  }
  return (await recordAlone(engine, seen, await commandFor(seen, at))) ?? engine.sql.begin((tx) => recordSeen(engine, tx, seen, commandFor))
}

const recordAlone = async (engine: Engine, seen: Order, command: Command): Promise<Recorded | undefined> => {
  const { rules } = engine
  const now = engine.clock()
  const decision = decide(seen, command, rules, now)
  if (!decision.ok || oblige(seen, decision.facts)) return undefined
  const order = await appendUnlessMoved(engine.sql, seen, decision.facts, rules, now)
  return order && { ok: true, order, facts: decision.facts }
}
