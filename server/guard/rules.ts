import type { Exchange } from '../chains/evm/exchange/exchange.ts'
import type { GuardPolicy } from '../chains/guard-policy.ts'

export type GuardExchange = Pick<Exchange, 'router' | 'wrapped'>

/** What a guard holds against whoever asks it. */
export interface GuardRules extends GuardPolicy {
  readonly factory: string
  /** A conversion may only use the exchange of its chain. */
  readonly exchanges: ReadonlyMap<number, GuardExchange>
}
