import type { Tx } from '../database/connect.ts'
import type { Engine } from './engine.ts'
import type { Command } from './model/commands.ts'
import type { Fact } from './model/facts.ts'
import type { Order, Terms } from './model/order.ts'

type FactOf<Type extends Fact['type']> = Extract<Fact, { type: Type }>

/** What an effect writes with: the transaction of the change, and a way to tell another order in it. */
export interface Change {
  readonly engine: Engine
  readonly tx: Tx
  record(order: Order | string, command: Command): Promise<unknown>
}

/** What a fact obliges us to do beside changing its order, in the same transaction. */
interface Effect<Type extends Fact['type']> {
  /** Whether it has anything to do for an order of these terms; always, when absent. Terms never change, so it can be asked beforehand. */
  concerns?(terms: Terms, fact: FactOf<Type>): boolean
  perform(change: Change, order: Order, fact: FactOf<Type>): Promise<void>
}

/** fact → effect. A fact that is not named has none. */
export type Effects = { readonly [Type in Fact['type']]?: Effect<Type> }

interface Due {
  perform(change: Change, order: Order): Promise<void>
}

export const effectsOf = ({ effects }: Pick<Engine, 'effects'>, { terms }: Order, facts: readonly Fact[]): readonly Due[] =>
  facts.flatMap((fact) => effects.flatMap((table) => dueIn(table, terms, fact)))

/** Each table's effect of the fact, once the order is as it is after all of them. */
export async function performEffects(change: Change, after: Order, facts: readonly Fact[]): Promise<void> {
  for (const effect of effectsOf(change.engine, after, facts)) await effect.perform(change, after)
}

function dueIn<Type extends Fact['type']>(table: Effects, terms: Terms, fact: FactOf<Type>): Due[] {
  const effect = table[fact.type as Type] as Effect<Type> | undefined
  if (!effect || effect.concerns?.(terms, fact) === false) return []
  return [{ perform: (change, after) => effect.perform(change, after, fact) }]
}
