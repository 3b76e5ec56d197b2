import type { Logger } from 'pino'
import { listen } from '../http/listen.ts'
import { openPrices } from '../providers/price-sources/open-prices.ts'
import type { Prices } from '../providers/prices.ts'
import { createGuard } from './create-guard.ts'
import { fileLedger } from './file-ledger.ts'
import type { GuardProcessConfig } from './guard-config.ts'
import { guardServer } from './guard-server.ts'
import { keySigner, typedDataSigner } from './move-signer.ts'
import { listedOrganizations } from './organizations.ts'
import { isPricedToken, priceOfTokens } from './prices.ts'

export interface RunningGuard {
  readonly address: string
  readonly port: number
  stop(): Promise<void>
}

export interface GuardProcessParts {
  readonly config: GuardProcessConfig
  readonly log: Logger
  readonly clock: () => number
  readonly prices?: Prices
}

/** Starts a guard as a process of its own, which knows nothing of the service and of its database. */
export async function startGuard({
  config,
  log,
  clock,
  prices = openPrices({ config: config.prices, ids: config.tokens.map(({ priceId }) => priceId), log, clock }),
}: GuardProcessParts): Promise<RunningGuard> {
  const ledger = await fileLedger(config.ledger)
  const guard = createGuard({
    signer: config.key.kind === 'local' ? keySigner(config.key.privateKey) : typedDataSigner(config.key.url, config.key.address),
    rules: config.rules,
    organizations: listedOrganizations(config.organizations),
    priceOf: priceOfTokens(config.tokens, prices, clock),
    isPriced: isPricedToken(config.tokens),
    ledger,
    clock,
  })
  const server = await listen(guardServer({ guard, token: config.token, log }), { host: config.host, port: config.port }).catch(
    async (error: unknown) => {
      await ledger.close()
      throw error
    },
  )
  return {
    address: guard.address,
    port: server.port,
    stop: async () => {
      await server.close()
      await ledger.close()
    },
  }
}
