import type { EvmConfig, GuardConfig } from '../chains/evm/evm-config.ts'
import { type ChainConfig, isEvm } from '../chains/table.ts'
import type { Guard } from '../chains/guard.ts'
import type { Sql } from '../database/connect.ts'
import type { Keys } from '../http/access.ts'
import type { Prices } from '../providers/prices.ts'
import { contractGuard } from './contract-guard.ts'
import { createGuard } from './create-guard.ts'
import { databaseLedger } from './database-ledger.ts'
import { type Guards, guards } from './guards.ts'
import { keySigner } from './move-signer.ts'
import { databaseOrganizations } from './organizations.ts'
import { isPricedToken, priceOfTokens } from './prices.ts'
import { remoteGuard } from './remote-guard.ts'

export interface ServiceGuardsParts {
  readonly chains: readonly ChainConfig[]
  readonly sql: Sql
  readonly keys: Pick<Keys, 'find'>
  readonly prices: Prices
  readonly clock: () => number
}

/** Creates the guards of a service from its table of chains. */
export function serviceGuards(parts: ServiceGuardsParts): Guards {
  const chains = parts.chains.filter(isEvm)
  const [first] = chains
  return guards({
    own: first?.guard && ownGuard(first.guard, first.factory.address, { ...parts, chains }),
    ofOrganization: (address) => contractGuard(parts.sql, address),
  })
}

function ownGuard(
  guard: GuardConfig,
  factory: string,
  { chains, sql, keys, prices, clock }: Omit<ServiceGuardsParts, 'chains'> & { readonly chains: readonly EvmConfig[] },
): Guard {
  switch (guard.kind) {
    case 'remote':
      return remoteGuard(guard.url, guard.token, guard.address)
    case 'local': {
      const tokens = chains.flatMap((chain) => chain.tokens)
      return createGuard({
        signer: keySigner(guard.privateKey),
        rules: {
          ...guard.policy,
          factory,
          exchanges: new Map(chains.flatMap(({ chainId, exchange }) => (exchange ? [[chainId, exchange] as const] : []))),
        },
        organizations: databaseOrganizations(sql, keys),
        priceOf: priceOfTokens(tokens, prices, clock),
        isPriced: isPricedToken(tokens),
        ledger: databaseLedger(sql),
        clock,
      })
    }
    default:
      return guard satisfies never
  }
}

/** Returns what the log should say at start about where the keys are, or undefined if they are apart. */
export function keysTogether(configs: readonly ChainConfig[]): string | undefined {
  const chains = configs.filter(isEvm)
  if (chains.length === 0) return undefined
  const guard = chains[0]?.guard
  if (!guard)
    return 'TILL_CHAINS names no guard: orders of organisations without a guard of their own can have no refunds and no conversions'
  if (guard.kind === 'remote' || chains.every(({ operator }) => operator.kind === 'remote')) return undefined
  return 'this process holds the operator’s key and the guard’s: whoever takes it over can send what lies at deposit addresses anywhere; docs/guard.md says how to run the guard elsewhere'
}
