import { createRandom } from './random.ts'

/** What will be done to the service and what will be paid meanwhile: data, decided by the seed alone. */
export interface Plan {
  readonly seed: number
  readonly rounds: readonly Round[]
}

export interface Round {
  readonly payments: readonly PlannedPayment[]
  /** They overlap. */
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
  readonly rounds: number
  readonly paymentKinds: readonly string[]
  readonly faultKinds: readonly string[]
  /** The payment that a fault needs, to be met at all. */
  readonly companions: Readonly<Record<string, string>>
  readonly paymentsPerRound: number
  readonly longestMs: number
}

/** Every kind comes before any comes again, in an order that the seed decides. Two faults at a time, and each has a payment to meet. */
export const makePlan = ({ seed, rounds, paymentKinds, faultKinds, companions, paymentsPerRound, longestMs }: PlanOptions): Plan => {
  const random = createRandom(seed)
  const dealer = (kinds: readonly string[]) => {
    let deck: string[] = []
    return (count: number): string[] =>
      Array.from({ length: count }, () => {
        if (deck.length === 0) deck = random.shuffled(kinds)
        return deck.pop()!
      })
  }
  const [payments, faults] = [dealer(paymentKinds), dealer(faultKinds)]
  const seeds = () => random.int(1, 2 ** 31)
  return {
    seed,
    rounds: Array.from({ length: rounds }, () => {
      const troubles = faults(2)
      const needed = troubles.flatMap((kind) => companions[kind] ?? [])
      return {
        payments: [...needed, ...payments(paymentsPerRound - needed.length)].map((kind) => ({ kind, seed: seeds() })),
        faults: troubles.map((kind) => ({ kind, seed: seeds(), forMs: random.int(300, longestMs) })),
      }
    }),
  }
}
