import type { PlannedLeg } from './order.ts'

/** What a conversion yields beyond its fees is the recipient's, so that leg grows with it. */
export const paidOut = (legs: readonly PlannedLeg[], swapped: bigint | undefined): readonly PlannedLeg[] =>
  swapped === undefined
    ? legs
    : legs.map((leg) =>
        leg.role === 'recipient'
          ? { ...leg, amount: swapped - legs.reduce((fees, { role, amount }) => (role === 'fees' ? fees + amount : fees), 0n) }
          : leg,
      )
