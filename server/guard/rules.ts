import type { GuardPolicy } from '../chains/guard-policy.ts'

/** What a guard holds against whoever asks it. */
export interface GuardRules extends GuardPolicy {
  readonly factory: string
  /** A conversion may only use these, by chain. */
  readonly routers: ReadonlyMap<number, readonly string[]>
}
