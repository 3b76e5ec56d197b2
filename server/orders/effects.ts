import type { Change, Effect, Effects, Engine, FactOf } from './engine.ts'
import type { Fact } from './model/facts.ts'
import type { Order, Terms } from './model/order.ts'

interface DueEffect {
  perform(change: Change, order: Order): Promise<void>
}

export const effectsOf = ({ effects }: Pick<Engine, 'effects'>, { terms }: Order, facts: readonly Fact[]): readonly DueEffect[] =>
  facts.flatMap((fact) => effects.flatMap((table) => dueIn(table, terms, fact)))

/** Performs the effects of all facts. Each effect gets the order as it is after the last fact. */
export async function performEffects(change: Change, after: Order, facts: readonly Fact[]): Promise<void> {
  for (const effect of effectsOf(change.engine, after, facts)) await effect.perform(change, after)
}

function dueIn<Type extends Fact['type']>(table: Effects, terms: Terms, fact: FactOf<Type>): DueEffect[] {
  const effect = table[fact.type as Type] as Effect<Type> | undefined
  if (!effect || effect.concerns?.(terms, fact) === false) return []
  return [{ perform: (change, after) => effect.perform(change, after, fact) }]
}
