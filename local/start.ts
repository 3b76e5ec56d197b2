import { join } from 'node:path'
import type { Logger } from 'pino'
import { createChain } from '../server/chains/create-chain.ts'
import { createEvmChain } from '../server/chains/evm/create-evm-chain.ts'
import type { BuiltPage } from '../server/compose/built-page.ts'
import type { Config, Shared } from '../server/config.ts'
import { type Running, startService } from '../server/compose/service.ts'
import { serviceGuards } from '../server/guard/service-guards.ts'
import { keysOf } from '../server/organizations/keys.ts'
import { smtpMail } from '../server/providers/smtp-mail.ts'
import { elapsed } from '../server/compose/service-parts.ts'
import { connect } from '../server/database/connect.ts'
import { migrate } from '../server/database/migrate.ts'
import { bitcoinMerchant } from './bitcoin/accounts.ts'
import { startLocalBitcoin } from './bitcoin/start-local-bitcoin.ts'
import { startLocalChains } from './chains.ts'
import { openDataFolder, recordUrl } from './datafolder.ts'
import { merchant } from './chains/accounts.ts'
import { factory } from './chains/tokens.ts'
import { solanaMerchant } from './solana/accounts.ts'
import { startLocalSolana } from './solana/start-local-solana.ts'
import { solanaTestWalletRoutes, withSolanaTestWallet } from './solana/test-wallet.ts'
import { solanaNetwork } from './scenarios/networks/solana/solana-network.ts'
import { mailRoutes, startMailbox } from './mailbox.ts'
import { startPostgres } from './postgres.ts'
import { startSimulators } from './simulators/start.ts'
import { localPrices } from './prices.ts'
import { clockRoutes } from './clock.ts'
import { localRoutes } from './routes.ts'
import { bitcoinNetwork } from './scenarios/networks/bitcoin/bitcoin-network.ts'
import { evmNetworks } from './scenarios/networks/evm/evm-networks.ts'
import { simulateRoutes, withScenario } from './scenarios/page.ts'
import { createPlayer, type Player } from './scenarios/player.ts'
import { scenarioRoutes } from './scenarios/routes.ts'
import { localKeys, seedLocal, seedWebhook } from './seed.ts'
import { testWalletRoutes, withTestWallet } from './test-wallet.ts'

/** The demo shop is a merchant's program and not ours, so it is built separately and passed in. */
export type StartShop = (keys: () => ShopKeys, port: number) => Promise<{ readonly url: string; stop(): Promise<void> }>

interface ShopKeys {
  readonly baseUrl: string
  readonly apiKey: string
  readonly apiSecret: string
  readonly webhookSecret: string
  readonly recipients: readonly string[]
  readonly factory: string
}

export interface LocalParts {
  readonly config: Shared & Pick<Extract<Config, { mode: 'local' }>, 'dataFolder' | 'blockMs' | 'bitcoind'>
  readonly log: Logger
  readonly page: BuiltPage
  readonly clientDir: string
  readonly startShop: StartShop
  readonly say: (line: string) => void
}

/** Solana's blocks come faster than those of other chains. */
const slotsPerBlock = 10

/** Starts everything on this machine. Stopping goes in reverse order, since later parts depend on earlier ones. */
export async function startLocal({
  config,
  log,
  page,
  clientDir,
  startShop,
  say,
}: LocalParts): Promise<Running & { readonly shopUrl: string }> {
  const stops: (() => unknown)[] = []
  const stopAll = async () => {
    for (const stop of stops.splice(0).toReversed()) await stop()
  }
  try {
    const folder = await openDataFolder(config.dataFolder)
    stops.push(folder.release)
    say('starting PostgreSQL and four local chains…')
    const [postgres, chains, bitcoin, solana] = await started([
      startPostgres({ folder: join(folder.path, 'postgres'), log: say }).then((postgres) => (stops.push(postgres.stop), postgres)),
      startLocalChains({
        folder: join(folder.path, 'chains'),
        mining: { seconds: config.blockMs / 1000 },
        confirmations: 3,
        pollMs: 100,
      }).then((chains) => (stops.push(chains.stop), chains)),
      startLocalBitcoin({
        env: config.bitcoind,
        folder: join(folder.path, 'chains', 'bitcoin'),
        mining: { blockMs: config.blockMs },
      }).then((bitcoin) => (stops.push(bitcoin.stop), bitcoin)),
      startLocalSolana({
        folder: join(folder.path, 'chains', 'solana'),
        slots: { ms: config.blockMs / slotsPerBlock },
      }).then((solana) => (stops.push(solana.stop), solana)),
    ])
    say('bringing the database up to date…')
    await migrate(postgres.url)
    const sql = connect(postgres.url, 20)
    stops.push(() => sql.end({ timeout: 3 }))
    const prices = await localPrices(sql, Date.now)
    const guard = serviceGuards({ chains: chains.configs, sql, keys: keysOf(sql, elapsed), prices, clock: Date.now })
    const evm = chains.configs.map((config) => createEvmChain(config, guard))
    const served = [...evm, createChain(bitcoin.config), createChain(solana.config)]
    await Promise.all(served.map((chain) => chain.check(AbortSignal.timeout(60_000))))
    const networks = [...evmNetworks(chains), bitcoinNetwork(bitcoin, prices), solanaNetwork(solana, prices)]
    const dollar = evm.find((chain) => chain.id === 8453)?.tokens.find((token) => token.eip3009)?.address
    if (!dollar) throw new Error('the local chains have no dollar token')
    let payUrl = ''
    const keys = (): ShopKeys => ({
      baseUrl: `${payUrl}/v3`,
      apiKey: localKeys.apiKey,
      apiSecret: localKeys.secret,
      webhookSecret: localKeys.webhookSecret,
      recipients: [merchant.address, bitcoinMerchant, solanaMerchant],
      factory: factory.address,
    })
    const shop = await startShop(keys, config.port === 0 ? 0 : config.port + 1)
    stops.push(shop.stop)
    await seedLocal(sql, [shop.url], dollar)
    await seedWebhook(sql, `${shop.url}/webhook`)
    const mailbox = await startMailbox()
    stops.push(mailbox.stop)
    const [rpcUrl] = chains.chains.filter((chain) => chain.chain_id === 8453).map((chain) => chain.rpc_url)
    const simulators = await startSimulators({
      payUrl: () => payUrl,
      rpcUrl: rpcUrl ?? '',
      rpcUrls: new Map(chains.chains.map((chain) => [chain.chain_id, chain.rpc_url])),
      prices,
      dollar,
      folder: folder.path,
    })
    stops.push(simulators.stop)
    let player: Player | undefined
    const running: Running = await startService({
      config,
      sql,
      chains: served,
      prices,
      guard,
      log,
      render: withScenario(withSolanaTestWallet(withTestWallet(page.render)), (orderId) => player?.of(orderId)),
      receiptSheet: page.receiptSheet,
      invoicing: { words: page.invoiceWords, mail: smtpMail(mailbox.url) },
      stylesheet: page.sheet,
      clientDir,
      factory: factory.address,
      isLocal: true,
      extraRoutes: (app, engine) => {
        player = createPlayer({ engine, networks, dropSockets: (orderId) => running.sockets.dropConnections(orderId) })
        scenarioRoutes(app, player)
        simulateRoutes(app, player)
        clockRoutes(app, engine)
        localRoutes(app, { chains, bitcoin, solana, networks, prices, shopUrl: shop.url })
        testWalletRoutes(app, chains)
        solanaTestWalletRoutes(app, solana)
        mailRoutes(app, mailbox)
        app.route('/', simulators.controls)
      },
      bank: simulators.bank,
      identity: simulators.identity,
      card: simulators.card,
    })
    payUrl = running.payUrl
    stops.push(running.stop, recordUrl(folder.path, payUrl), () => player?.stop())
    // The service knows a chain by the blocks that it has read, and a kill must not lose all of them.
    await chains.save()
    Promise.race([chains.failed, bitcoin.failed]).catch((error: unknown) => {
      log.fatal({ err: error }, 'a local chain has stopped; stopping the service')
      process.kill(process.pid, 'SIGTERM')
    })
    return { ...running, shopUrl: shop.url, stop: stopAll }
  } catch (error) {
    await stopAll()
    throw error
  }
}

/** Starts all or none: if one fails, the others are awaited first so that they can be stopped. */
async function started<A, B, C, D>(all: [Promise<A>, Promise<B>, Promise<C>, Promise<D>]): Promise<[A, B, C, D]> {
  await Promise.allSettled(all)
  return Promise.all(all)
}
