import type { OrderStatus } from '../../src/wire/order.ts'
import type { Stage, Start } from './stage.ts'

/** Something that happens to payments in practice, played on an order while the payer watches. */
export interface Scenario {
  /** The name used by `?simulate=` and `npm run scenario --`. */
  readonly name: string
  readonly title: string
  /** What happens, in one sentence. */
  readonly sentence: string
  readonly way: Way
  play(stage: Stage): Promise<void>
  /** The state that the order must end in, given its state when the play began. */
  ends(start: Start): Ending
}

/** Paid in the settlement currency, in the native coin, or by card. */
export type Way = 'direct' | 'coin' | 'card'

export interface Ending {
  readonly status: OrderStatus
  /** In the smallest unit of the currency that is paid with. */
  readonly received: bigint
  readonly remaining: bigint
  readonly surplus?: bigint
  /** The API's reason why money is held and does not count. */
  readonly held?: string
  /** The card session's status. */
  readonly card?: string
}

/** The order that a scenario creates, as a merchant's server would. */
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
