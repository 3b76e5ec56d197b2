import { createRandom } from '../support/random.ts'

/** The faults and payments of a campaign, determined by the seed alone. */
export interface Plan {
  readonly seed: number
  readonly rounds: readonly Round[]
}

export interface Round {
  readonly payments: readonly PlannedPayment[]
  /** The faults of a round overlap. A round without faults measures how long payments take normally. */
  readonly faults: readonly PlannedFault[]
}

export interface PlannedPayment {
  readonly kind: string
  /** The seed chooses the amounts and the payer. */
  readonly seed: number
}

export interface PlannedFault {
  readonly kind: string
  readonly seed: number
  readonly forMs: number
}

export interface PlanOptions {
  readonly seed: number
  /** The number of rounds with faults. */
  readonly rounds: number
  /** Rounds without faults are spread evenly among the others because a machine's speed varies over time. */
  readonly quietRounds: number
  readonly paymentKinds: readonly string[]
  /** The faults by kind. `needs` is the payment without which a fault affects nothing. */
  readonly faults: Readonly<Record<string, { readonly needs?: string }>>
  readonly paymentsPerRound: number
  readonly longestMs: number
}

/** Uses every kind once before any repeats. A faulty round has two faults, and the payment that each of them needs. */
export function makePlan({ seed, rounds, quietRounds, paymentKinds, faults: table, paymentsPerRound, longestMs }: PlanOptions): Plan {
  const random = createRandom(seed)
  const dealer = (kinds: readonly string[]) => {
    let deck: string[] = []
    return (count: number): string[] =>
      Array.from({ length: count }, () => {
        if (deck.length === 0) deck = random.shuffled(kinds)
        return deck.pop()!
      })
  }
  const [payments, faults] = [dealer(paymentKinds), dealer(Object.keys(table))]
  const seeds = () => random.int(1, 2 ** 31)
  const seeded = (kinds: readonly string[]): PlannedPayment[] => kinds.map((kind) => ({ kind, seed: seeds() }))
  const faultyRounds = Array.from({ length: rounds }, (): Round => {
    const faultKinds = faults(2)
    const needed = faultKinds.flatMap((kind) => table[kind]?.needs ?? [])
    return {
      payments: seeded([...needed, ...payments(paymentsPerRound - needed.length)]),
      faults: faultKinds.map((kind) => ({ kind, seed: seeds(), forMs: random.int(300, longestMs) })),
    }
  })
  const quietly = dealer(paymentKinds)
  const quiet = Array.from({ length: quietRounds }, (): Round => ({ payments: seeded(quietly(paymentsPerRound)), faults: [] }))
  const share = (index: number) => Math.round((index * rounds) / quietRounds)
  return {
    seed,
    rounds:
      quietRounds === 0 ? faultyRounds : quiet.flatMap((round, index) => [round, ...faultyRounds.slice(share(index), share(index + 1))]),
  }
}
