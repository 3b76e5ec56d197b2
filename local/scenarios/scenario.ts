import type { OrderStatus } from '../../src/wire/order.ts'
import type { Stage } from './stage.ts'

/** One thing that happens to payments in life, played on an order before the payer's eyes. */
export interface Scenario {
  /** As in `?simulate=` and `npm run scenario --`. */
  readonly name: string
  readonly title: string
  /** What happens, in one sentence. */
  readonly sentence: string
  readonly way: Way
  play(stage: Stage): Promise<void>
  /** What the service must say in the end, reckoned from where the order stood when the play began. */
  ends(start: Start): Ending
}

/** In what the order settles in, in the network's own coin, or by card. */
export type Way = 'direct' | 'coin' | 'card'

export interface Start {
  readonly received: bigint
  readonly due: bigint
}

export interface Ending {
  readonly status: OrderStatus
  /** In the smallest unit of what is paid with. */
  readonly received: bigint
  readonly remaining: bigint
  readonly surplus?: bigint
  /** Money that is kept and does not count: the service's own words for why. */
  readonly held?: string
  /** Where the card provider stands. */
  readonly card?: string
}

/** The order cannot have this scenario played on it, or its end was not reached: a sentence for whoever watches. */
export class CannotPlay extends Error {
  override readonly name = 'CannotPlay'
}

/** The order that a scenario makes, as a merchant's server asks for it. */
export const orderFor = ({ way }: Scenario) => ({
  mode: 'SALE',
  amount: '42.50',
  fiat_unit: 'usd',
  metadata: {
    reference: 'NW-20418',
    items: [
      { name: 'Ethiopia Guji, whole bean', description: '1 kg', quantity: 1, unit_price: 28.5, currency: 'usd' },
      { name: 'Porcelain dripper, size 02', quantity: 1, unit_price: 14, currency: 'usd' },
    ],
  },
  settings: { theme_color: '#0f4c5c', card_payments: way === 'card' },
})
