import type { ChainFamily } from '../../src/wire/chain-facts.ts'
import type { OrderStatus } from '../../src/wire/order.ts'
import { dollar } from '../chains/tokens.ts'
import type { Stage, Start } from './stage.ts'

/** A scenario plays something that happens to payments in practice on an order, while somebody watches its page. */
export interface Scenario {
  /** `?simulate=` and `npm run scenario --` use this name. */
  readonly name: string
  readonly title: string
  readonly sentence: string
  readonly way: Way
  /** It can happen on networks of these families. */
  readonly families: readonly ChainFamily[]
  /** The order settles in one currency alone, so that money on another network does not pay it. */
  readonly settlesOnce?: true
  readonly parameter?: Parameter
  play(stage: Stage): Promise<void>
  /** Returns the state in which the order must end, given its state when the play began. */
  ends(start: Start): Ending
}

/** A scenario may be played in a certain measure, which stands behind its name and a colon. */
export interface Parameter {
  readonly example: string
  /** What may stand there, as part of a sentence. */
  readonly expected: string
  /** Returns the scenario in this measure, whose name is again one that finds it, or undefined for any other text. */
  apply(text: string): Scenario | undefined
}

/** The order is paid in the settlement currency, in the native coin, or by card. */
export type Way = 'direct' | 'coin' | 'card'

export interface Ending {
  readonly status: OrderStatus
  /** Amounts are in the smallest unit of the currency that the order is paid in. */
  readonly received: bigint
  readonly remaining: bigint
  readonly surplus?: bigint
  /** The API gives this reason why a transfer is `held`: it is neither counted nor settled. */
  readonly held?: string
  readonly card?: string
}

export const orderFor = ({ way, settlesOnce }: Scenario) => ({
  mode: 'SALE',
  amount: '42.50',
  fiat_unit: 'usd',
  ...(settlesOnce && { currency: { chain_id: 8453, address: dollar.address } }),
  metadata: {
    reference: 'NW-20418',
    items: [
      { name: 'Ethiopia Guji, whole bean', description: '1 kg', quantity: 1, unit_price: 28.5, currency: 'usd' },
      { name: 'Porcelain dripper, size 02', quantity: 1, unit_price: 14, currency: 'usd' },
    ],
  },
  settings: { theme_color: '#0f4c5c', card_payments: way === 'card' },
})
