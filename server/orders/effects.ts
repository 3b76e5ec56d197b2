import type { Tx } from '../database/connect.ts'
import type { Engine } from './engine.ts'
import type { Command } from './model/commands.ts'
import type { Fact } from './model/facts.ts'
import type { Order, Terms } from './model/order.ts'

type FactOf<Type extends Fact['type']> = Extract<Fact, { type: Type }>

/** What an effect works with: the transaction of the change, and `record` for commands to other orders within it. */
export interface Change {
  readonly engine: Engine
  readonly tx: Tx
  record(order: Order | string, command: Command): Promise<unknown>
}

/** What must happen when a fact is recorded, beyond changing its order, in the same transaction. */
interface Effect<Type extends Fact['type']> {
  /**
   * Whether it has anything to do for an order of these terms; always, if absent. Terms never change, so this can be asked before the
   * write.
   */
  concerns?(terms: Terms, fact: FactOf<Type>): boolean
  perform(change: Change, order: Order, fact: FactOf<Type>): Promise<void>
}

/** fact → effect. A fact that is not listed has none. */
export type Effects = { readonly [Type in Fact['type']]?: Effect<Type> }

interface DueEffect {
  perform(change: Change, order: Order): Promise<void>
}

export const effectsOf = ({ effects }: Pick<Engine, 'effects'>, { terms }: Order, facts: readonly Fact[]): readonly DueEffect[] =>
  facts.flatMap((fact) => effects.flatMap((table) => dueIn(table, terms, fact)))

/** Runs the effects of all facts, with the order as it is after all of them. */
export async function performEffects(change: Change, after: Order, facts: readonly Fact[]): Promise<void> {
  for (const effect of effectsOf(change.engine, after, facts)) await effect.perform(change, after)
}

function dueIn<Type extends Fact['type']>(table: Effects, terms: Terms, fact: FactOf<Type>): DueEffect[] {
  const effect = table[fact.type as Type] as Effect<Type> | undefined
  if (!effect || effect.concerns?.(terms, fact) === false) return []
  return [{ perform: (change, after) => effect.perform(change, after, fact) }]
}
