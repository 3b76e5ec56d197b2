import type { Logger } from 'pino'
import type { Chain } from '../chains/chain.ts'
import { isEvm } from '../chains/table.ts'
import type { Config } from '../config.ts'
import { httpBank } from '../providers/bank.ts'
import { httpCard } from '../providers/card.ts'
import { httpIdentity } from '../providers/identity.ts'
import { openPrices } from '../providers/price-sources/open-prices.ts'
import { smtpMail } from '../providers/smtp-mail.ts'
import { keysTogether, serviceGuards } from '../guard/service-guards.ts'
import { refuseOtherFactories } from '../orders/other-factories.ts'
import { keysOf } from '../organizations/keys.ts'
import type { BuiltPage } from './built-page.ts'
import { openChains } from './open-chains.ts'
import { type Running, startService } from './service.ts'
import { elapsed } from './service-parts.ts'
import { connect } from '../database/connect.ts'
import { migrate } from '../database/migrate.ts'
import { whenReachable } from '../database/unreachable.ts'

/** Anybody knows the fixed keys of local mode, so a production service refuses to start on a database that contains them. */
const knownKeys = ['pk_test_till', 'pk_test_internal', 'pk_test_guarded', 'sk_test_till', 'sk_test_internal', 'sk_test_guarded']

export interface ProductionParts {
  readonly config: Extract<Config, { mode: 'service' }>
  readonly log: Logger
  readonly page: BuiltPage
  readonly clientDir: string
}

/** Starts one production process. Any number of them may share a database, because jobs coordinate through it. */
export async function startProduction({ config, log, page, clientDir }: ProductionParts): Promise<Running> {
  await whenReachable(
    () => migrate(config.databaseUrl),
    (error) => log.warn({ err: error }, 'cannot reach the database; trying again'),
  )
  const stopping = new AbortController()
  const sql = connect(config.databaseUrl, 20)
  try {
    const [known] = await sql`select 1 from api_keys where api_key = any(${knownKeys}) or secret = any(${knownKeys})`
    if (known)
      throw new Error('This database holds the fixed keys of a local mode. Anyone knows them: use a database of its own, or remove them.')
    let chains: readonly Chain[] = []
    const ids = config.chains.flatMap(({ tokens }) => tokens.map(({ priceId }) => priceId))
    const prices = openPrices({ config: config.prices, ids, chains: () => chains, log, clock: Date.now })
    const guard = serviceGuards({ chains: config.chains, sql, keys: keysOf(sql, elapsed), prices, clock: Date.now })
    const warning = keysTogether(config.chains)
    if (warning) log.warn(warning)
    const factory = config.chains.find(isEvm)?.factory.address
    await refuseOtherFactories(sql, factory)
    chains = await openChains(config.chains, { guard, log, signal: stopping.signal })
    const mail = config.smtpUrl === undefined ? undefined : smtpMail(config.smtpUrl)
    const running = await startService({
      config,
      sql,
      chains,
      prices,
      guard,
      log,
      render: page.render,
      receiptSheet: page.receiptSheet,
      invoicing: { words: page.invoiceWords, mail, sender: config.mailFrom },
      stylesheet: page.sheet,
      clientDir,
      factory,
      bank: config.bank && httpBank(config.bank),
      identity: config.identity && httpIdentity(config.identity),
      card: config.card && httpCard(config.card),
      isLocal: false,
    })
    return {
      ...running,
      stop: () => {
        stopping.abort()
        return running.stop()
      },
    }
  } catch (error) {
    stopping.abort()
    await sql.end({ timeout: 3 })
    throw error
  }
}
