import { checkOwnGuard, type GuardedChain } from '../guard/check-own-guard.ts'
import { GuardMisconfigured } from '../guard/check-guard.ts'
import type { SettlementRules } from '../orders/routes/settlements.ts'

const timeoutMs = 6_000

export const guardProblem =
  (chains: readonly GuardedChain[]): SettlementRules['guardProblem'] =>
  async (guard, settlements) => {
    try {
      await checkOwnGuard(guard, settlements, chains, AbortSignal.timeout(timeoutMs))
      return undefined
    } catch (error) {
      if (error instanceof GuardMisconfigured) return error.message
      throw error
    }
  }
