import type { Problem } from '../wire/boot.ts'
import { problemOf } from './problem.ts'
import type { Writable } from './requests.ts'

/** Something the payer asked for that is not answered yet. */
interface Wish {
  readonly at: Problem['at']
  /** What tells it from another one of the same place. */
  readonly about: unknown
}

export const createAsking = ({ busy, problem }: Pick<Writable, 'busy' | 'problem'>) => {
  /** What goes wrong is shown where it was asked for; what went wrong elsewhere stays there. */
  const explain = async (at: Problem['at'], run: () => Promise<void>, typed?: string) => {
    if (problem.peek()?.at === at) problem.value = undefined
    try {
      await run()
    } catch (error) {
      problem.value = problemOf(at, error, typed)
    }
  }
  /** The first is under way. */
  let wishes: readonly Wish[] = []
  let turn = Promise.resolve()
  /** One thing after the other: a second tap says nothing new, and a new wish takes the place of one of its kind that waits. */
  const attempt = ({ at, about }: Wish, run: (isNewest: () => boolean) => Promise<void>, typed?: string): Promise<void> => {
    const wish = { at, about: JSON.stringify(about) }
    wishes = wishes.filter((one, place) => place === 0 || one.at !== at)
    if (wishes[0]?.at === at && wishes[0].about === wish.about) return turn
    wishes = [...wishes, wish]
    const answer = async () => {
      if (!wishes.includes(wish)) return
      busy.value = at
      await explain(at, () => run(() => wishes.findLast((one) => one.at === at) === wish), typed)
      wishes = wishes.slice(1)
      busy.value = undefined
    }
    turn = wishes.length > 1 ? turn.then(answer) : answer()
    return turn
  }
  return { attempt, explain }
}
