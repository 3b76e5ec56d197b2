import { createRandom } from '../support/random.ts'

/** What will be done to the service and what will be paid meanwhile: data, decided by the seed alone. */
export interface Plan {
  readonly seed: number
  readonly rounds: readonly Round[]
}

export interface Round {
  readonly payments: readonly PlannedPayment[]
  /** They overlap. None: a quiet round, which says how long a payment takes when nothing goes wrong. */
  readonly faults: readonly PlannedFault[]
}

export interface PlannedPayment {
  readonly kind: string
  /** What decides its amounts and its payer. */
  readonly seed: number
}

export interface PlannedFault {
  readonly kind: string
  readonly seed: number
  /** How long it lasts once it has begun. */
  readonly forMs: number
}

export interface PlanOptions {
  readonly seed: number
  /** With faults. */
  readonly rounds: number
  /** Without any, spread evenly among the others: a machine is not equally fast all the time. */
  readonly quietRounds: number
  readonly paymentKinds: readonly string[]
  /** By kind; `needs` is the payment that a fault needs, to be met at all. */
  readonly faults: Readonly<Record<string, { readonly needs?: string }>>
  readonly paymentsPerRound: number
  readonly longestMs: number
}

/** Every kind comes before any comes again, in an order that the seed decides. Two faults at a time, and each has a payment to meet. */
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
    rounds: quietRounds === 0 ? faultyRounds : quiet.flatMap((round, index) => [round, ...faultyRounds.slice(share(index), share(index + 1))]),
  }
}
