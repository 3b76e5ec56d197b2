import { until } from '../support/wait.ts'

/** A fault may leave a network out of an order's currencies when it is made. A payer who has money on that network only asks for another order. */
export const askAgain = <Made extends object>(make: () => Promise<Made | undefined>): Promise<Made> =>
  until<Made | undefined>(make, { timeout: 60_000, every: 500 })
