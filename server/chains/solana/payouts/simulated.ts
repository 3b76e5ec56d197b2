import type { QueuedPayout } from './payout-queue.ts'

/** Until a transaction was simulated, it may use as many compute units as any transaction. */
export const mostUnits = 1_400_000
const differentLimits = 1_000

/**
 * Allows somewhat more than the simulation has used. Two payouts may be alike, and within a block their transactions would be one, so each may use
 * another number of units.
 */
export const unitsFor = ({ position }: Pick<QueuedPayout, 'position'>, used: number): number =>
  Math.min(mostUnits - differentLimits, Math.ceil(used * 1.2) + 2_000) + (position % differentLimits)

export const noDepositAddress = 'The order has no deposit address on this chain.'

/** The operator or the node is the reason, so the payout waits. */
export class SimulationFailed extends Error {
  override readonly name = 'SimulationFailed'

  constructor(payoutId: string, error: unknown) {
    super(`Payout ${payoutId} cannot be sent for now: a simulation fails with ${JSON.stringify(error)}.`)
  }
}

/** Returns which instruction an error of a transaction names, if it names one. */
export function instructionOf(error: unknown): number | undefined {
  const found = memberOf(error, 'InstructionError')
  return Array.isArray(found) && typeof found[0] === 'number' ? found[0] : undefined
}

export const memberOf = (value: unknown, name: string): unknown =>
  typeof value === 'object' && value !== null && name in value ? (value as Record<string, unknown>)[name] : undefined
