import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { address } from '@solana/kit'
import type { Browser } from 'playwright-core'
import { build } from 'vite'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startLocalChains } from '../../local/chains.ts'
import type { Call } from '../../server/chains/evm/call.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { TestBurner } from '../../server/chains/evm/contracts/artifacts/TestBurner.ts'
import { feeCollector, guard, operator, owner } from '../../local/chains/accounts.ts'
import type { Anvil } from '../../local/chains/anvil.ts'
import { createMutex, type Mutex } from '../../local/chains/mutex.ts'
import { removePostgres, startPostgres } from '../../local/postgres.ts'
import { solanaFacts } from '../../server/chains/presets/solana.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { postgresPatch } from '../../check/patch-postgres.ts'
import { putOrganization } from '../../server/organizations/organizations.ts'
import { bitcoin as onBitcoin, bitcoinEnv } from '../chains/bitcoin/support.ts'
import { solanaEnv } from '../chains/solana/support.ts'
import { tableTokens, testChain, type TestChain } from '../chains/support.ts'
import { orderEvents } from '../../src/wire/event.ts'
import { cardSecret, startCards, type CardProvider } from '../support/service/cards.ts'
import { type Client, createClient } from '../support/client/client.ts'
import { newAddress, solanaChain } from '../support/service/solana-stage.ts'
import { openBrowser } from '../support/browser/browser.ts'
import { startPrices } from '../support/service/prices.ts'
import { root } from '../support/root.ts'
import { keyHashAccount, taprootAccount } from '../support/wallets/bitcoin-wallet.ts'
import { until } from '../support/wait.ts'
import { type BitcoinChain, bitcoinChainEntry, startBitcoinChain } from './bitcoin-chain.ts'
import { startFrontDoor, type FrontDoor } from './front-door.ts'
import { retryUntilAnswered } from './insist.ts'
import { startListener, type Listener } from './listener.ts'
import { startNode, type Node } from './node.ts'
import { createPages, type Pages } from './pages.ts'
import type { Paid } from './paying.ts'
import { createProcess, type ServiceProcess } from './processes.ts'
import { startWebhookReceiver, type WebhookReceiver } from './receiver.ts'
import { createRouter, type Router } from './router.ts'
import { type SolanaChain, solanaChainEntry, startSolanaChain } from './solana-chain.ts'
import { usdcOnSolana } from './solana-order.ts'
import { createWallet, honestPayers, hostilePayer, type Wallet } from './wallets.ts'

/** Everything that a campaign breaks and checks. None of it is shared with other tests. */
export interface World {
  readonly sql: Sql
  readonly base: CampaignChain
  readonly ethereum: CampaignChain
  readonly bitcoin: BitcoinChain
  readonly solana: SolanaChain
  readonly door: FrontDoor
  readonly processes: readonly ServiceProcess[]
  readonly database: Database
  readonly merchant: Merchant
  readonly hostile: Hostile
  readonly cards: CardProvider
  readonly pages: Pages
  /**
   * Orders whose payout a deep reorganisation has undone. The service sends it again at once, and if it is mined before the payer's transaction
   * it fails, which the log has to say, and the order is settled again.
   */
  readonly undone: Set<string>
  /** Ends the order's payment window. */
  expire(orderId: string): Promise<unknown>
  /** Makes the next try of what could not be settled due, as if its first wait had passed. */
  retryFailed(): Promise<unknown>
  close(): Promise<void>
}

/** An organisation of the service with its own keys and recipient. */
export interface Organization {
  readonly client: ReturnType<typeof retryUntilAnswered>
  readonly recipient: string
  readonly inBitcoin: { readonly recipient: string; readonly feeCollector: string }
  readonly onSolana: { readonly recipient: string; readonly feeCollector: string }
  readonly organizationId: string
}

/** The organisation with honest payers, whose outcomes the campaign checks. */
export interface Merchant extends Organization {
  readonly listener: Listener
  readonly receiver: WebhookReceiver
  readonly webhookSecret: string
}

/** A second organisation of the same service that tries to harm the first. */
export interface Hostile extends Organization {
  /** Accepts deliveries and never answers. Its webhooks are active only during the fault that uses them. */
  readonly receiver: WebhookReceiver
  readonly webhookIds: readonly string[]
  readonly wallet: Wallet
  readonly walletOnEthereum: Wallet
  readonly burners: Burners
  /** Payments to the hostile organisation that must succeed anyway. */
  readonly paid: Paid[]
  /** Orders whose payment it reverted after completion. The log has an expected error for each. */
  readonly takenBack: Set<string>
  /** Sends a call with a key that settles, like the service's own, in the wrong hands. */
  readonly steal: (chain: TestChain, call: Pick<Call, 'to' | 'data'>) => Promise<unknown>
  /** Orders whose money somebody else has moved, so that the service settles only what is left. */
  readonly moved: Set<string>
}

/** Contract wallets that hold the price, accept any signature and burn gas while they verify it. */
export interface Burners {
  readonly expensiveToSimulate: string
  readonly expensiveToMine: string
}

/** A chain with its wallets, and the node proxy through which the service reads it. */
export interface CampaignChain extends TestChain {
  readonly node: Node
  /** Mining or reverting blocks by hand has to wait for the miner. */
  readonly turns: Mutex
  readonly wallets: readonly Wallet[]
  readonly router: Router
}

export interface Database {
  restart(): Promise<void>
  /** Kills the database server, which then recovers from its log. */
  crash(): Promise<void>
}

/** Ordinary reorganisations of the campaign are shallower than this. */
export const confirmations = 6
const silentWebhooks = 6

export async function startWorld(dist: string): Promise<World> {
  const folder = mkdtempSync(join(tmpdir(), 'till-campaign-'))
  chmodSync(folder, 0o711)
  const stops: (() => unknown)[] = [() => rmSync(folder, { recursive: true, force: true })]
  const close = async () => {
    for (const stop of stops.splice(0).toReversed()) await stop()
  }
  const keep = async <T>(starting: Promise<T>, stop: (resource: T) => unknown): Promise<T> => {
    const resource = await starting
    stops.push(() => stop(resource))
    return resource
  }
  try {
    const [built, database, local, bitcoin, solana, prices, door, receiver, silentReceiver, browser] = await settled([
      keep(buildProcess(), (built) => built.remove()),
      keep(startDatabase(join(folder, 'postgres')), (database) => database.close()),
      keep(startLocalChains({ mining: { seconds: 0.1 }, confirmations, pollMs: 20, rewindable: 500 }), (chains) => chains.stop()),
      keep(startBitcoinChain(folder), (chain) => chain.close()),
      keep(startSolanaChain(), (chain) => chain.close()),
      keep(startPrices(), (prices) => prices.close()),
      keep(startFrontDoor(), (door) => door.close()),
      keep(startWebhookReceiver(), (receiver) => receiver.close()),
      keep(startWebhookReceiver(), (receiver) => receiver.close()),
      keep(openBrowser(), (browser: Browser) => browser.close()),
    ])
    const startChain = async (index: number): Promise<CampaignChain> => {
      const chain = testChain(local, index)
      const node = await keep(startNode(chain.anvil.rpcUrl), (node) => node.close())
      return {
        ...chain,
        node,
        turns: local.mutexes.get(chain.anvil.chainId)!,
        wallets: honestPayers.map((account) => createWallet(account, chain.anvil)),
        router: await createRouter(chain.anvil),
      }
    }
    const [base, ethereum] = [await startChain(0), await startChain(1)]
    const rpcUrls = new Map(local.anvils.map((anvil: Anvil) => [anvil.chainId as number, anvil.rpcUrl]))
    prices.known.set('btc', { usd: '65000' })
    prices.known.set('sol', { usd: '150' })
    const cards = await keep(
      startCards(rpcUrls, () => door.url),
      (provider) => provider.stop(),
    )

    const table = join(folder, 'chains.json')
    writeFileSync(
      table,
      JSON.stringify({
        owner: owner.address,
        guard: { env: 'CAMPAIGN_GUARD' },
        chains: [...[base, ethereum].map(chainEntry), bitcoinChainEntry(bitcoin), solanaChainEntry(solana)],
      }),
    )
    const env = {
      ...bitcoinEnv,
      ...solanaEnv,
      DATABASE_URL: database.url,
      TILL_CHAINS: table,
      CAMPAIGN_OPERATOR: operator.private_key,
      CAMPAIGN_GUARD: guard.private_key,
      PRICES_URL: prices.url,
      PRICES_SINGLE_SOURCE: 'true',
      CARD_URL: cards.url,
      CARD_SECRET: cardSecret,
      PAY_URL: door.url,
      RELEASE_AFTER_DAYS: '7',
      RATE_PER_SECOND: '100000',
      RATE_BURST: '100000',
      LOG_LEVEL: 'info',
      BASE_URL: undefined,
      API_KEY: undefined,
      API_SECRET: undefined,
    }
    const processes = await Promise.all(
      [1, 2].map(() => keep(createProcess(built.file, dist, env), (serviceProcess) => serviceProcess.stop())),
    )
    await Promise.all(processes.map((process) => process.start()))
    door.targets = processes.map(({ port }) => port)

    const sql = connect(database.url, 4)
    stops.push(() => sql.end({ timeout: 1 }))
    bitcoin.waitForReader(async () => {
      const [cursor] = await sql<{ block: number }[]>`select block::int from chain_cursors where chain_id = ${onBitcoin.chain_id}`
      return cursor?.block ?? Infinity
    })
    stops.push(() => bitcoin.waitForReader(async () => Infinity))
    const baseUrl = `${door.url}/v3`
    const organization = async (name: string, title: string, ...more: CampaignChain[]): Promise<Organization> => {
      const keys = { apiKey: `pk_${name}`, secret: `sk_${name}` }
      const recipient = privateKeyToAddress(generatePrivateKey()).toLowerCase()
      const inBitcoin = { recipient: taprootAccount(name).address, feeCollector: keyHashAccount(`fees of ${name}`).address }
      const onSolana = { recipient: newAddress(), feeCollector: newAddress() }
      // What a small order pays in coins is less than an account must have, so these have had their first order.
      for (const owner of Object.values(onSolana)) await solana.local.node.faucet.pay(address(owner), solanaFacts.leastCoins)
      const at = (chain: CampaignChain) => ({
        chainId: chain.chain.id,
        address: chain.token('USDC'),
        recipient,
        feeCollector: feeCollector.address,
      })
      await putOrganization(
        sql,
        {
          id: `org_${name}`,
          name: title,
          isLive: true,
          settlements: [
            at(base),
            ...more.map(at),
            { chainId: onBitcoin.chain_id, address: null, ...inBitcoin },
            ...[usdcOnSolana, null].map((address) => ({ chainId: solanaChain.chain_id, address, ...onSolana })),
          ],
          fees: { customBps: 60, protocolBps: 25, relayerUsd: '0.05', gasUsd: '0.02' },
          toleranceBps: 0,
          embedOrigins: [],
          unsignedOrders: true,
        },
        [{ id: `key_${name}`, ...keys, label: 'Campaign' }],
      )
      return { client: retryUntilAnswered(createClient(baseUrl, keys)), recipient, inBitcoin, onSolana, organizationId: `org_${name}` }
    }
    const [honest, other] = [
      await organization('campaign', 'Northwind Coffee'),
      await organization('hostile', 'Southwind Coffee', ethereum),
    ]
    const webhook = await honest.client.ask('createWebhook', { body: { url: receiver.url, events: [...orderEvents] } })
    const listener = startListener(baseUrl, honest.client)
    stops.push(() => listener.stop())
    const hostile = await hostileParts(other.client, silentReceiver, base, ethereum)
    return {
      sql,
      base,
      ethereum,
      bitcoin,
      solana,
      door,
      processes,
      database,
      merchant: { ...honest, listener, receiver, webhookSecret: webhook.secret },
      hostile: { ...other, ...hostile, receiver: silentReceiver, paid: [], takenBack: new Set(), moved: new Set() },
      cards,
      pages: createPages(browser),
      undone: new Set(),
      expire: (orderId) =>
        until(
          async () =>
            (
              await sql`
                update orders set state = jsonb_set(state, '{expiresAt}', to_jsonb((extract(epoch from now()) * 1000)::bigint - 60000)), next_tick = now()
                where id = ${orderId} returning id`
            ).length === 1,
          { timeout: 30_000 },
        ),
      retryFailed: () =>
        sql`
          update orders set next_tick = now(),
            state = jsonb_set(state, '{failure}', state->'failure' || jsonb_build_object('at', 0, 'attempts', 1))
          where status = 'FAILED' and (state->'failure'->>'at')::bigint > 0`,
      close,
    }
  } catch (error) {
    await close()
    throw error
  }
}

async function hostileParts(client: Client, receiver: WebhookReceiver, base: CampaignChain, ethereum: CampaignChain) {
  const webhookIds: string[] = []
  for (let index = 0; index < silentWebhooks; index++) {
    const body = { url: `${receiver.url}/${index}`, events: [...orderEvents] }
    const { id } = await client.ask('createWebhook', { body })
    await client.ask('changeWebhook', { params: { webhook_id: id }, body: { active: false } })
    webhookIds.push(id)
  }
  const burner = async (whenAsked: bigint, whenSent: bigint): Promise<string> => {
    const address = (await base.deploy(TestBurner)).toLowerCase()
    await base.call(owner, { address, abi: TestBurner.abi, functionName: 'set', args: [whenAsked, whenSent, false] })
    await base.sendToken(hostilePayer, 'USDC', address, 1_000_000_000n)
    return address
  }
  const burners = { expensiveToSimulate: await burner(25_500_000n, 25_500_000n), expensiveToMine: await burner(0n, 10_000_000n) }
  const key = generatePrivateKey()
  const thief = { address: privateKeyToAddress(key), private_key: key }
  for (const { anvil } of [base, ethereum]) await anvil.ask(['anvil_setBalance', thief.address, `0x${(10n ** 21n).toString(16)}`])
  const { abi } = TillFactory
  await base.call(owner, { address: base.config.factory.address, abi, functionName: 'setOperator', args: [thief.address, true] })
  const wallets = { wallet: createWallet(hostilePayer, base.anvil), walletOnEthereum: createWallet(hostilePayer, ethereum.anvil) }
  const inTurn = createMutex()
  const steal: Hostile['steal'] = (chain, call) => inTurn(() => chain.send(thief, call))
  return { webhookIds, burners, steal, ...wallets }
}

const chainEntry = ({ anvil, config, node }: CampaignChain) => ({
  chain_id: anvil.chainId,
  rpc_url: node.url,
  confirmations,
  tokens: tableTokens(config),
  operator: { env: 'CAMPAIGN_OPERATOR' },
  poll_ms: 20,
  timeout_ms: 1_500,
  sweep_every_blocks: 10,
  replace_after_ms: 3_000,
  exchange: config.exchange,
})

/** This database is durable, unlike the shared test database, because faults kill it. */
async function startDatabase(folder: string) {
  let server = await startPostgres({ folder })
  const { url } = server
  const port = Number(new URL(url).port)
  const again = async () => {
    server = await startPostgres({ folder, port })
  }
  // Two faults may kill the database at once, and only a running server can be killed.
  const inTurn = createMutex()
  return {
    url,
    restart: () =>
      inTurn(async () => {
        await server.stop()
        await again()
      }),
    crash: () =>
      inTurn(async () => {
        process.kill(server.pid, 'SIGQUIT')
        await again()
      }),
    close: () => removePostgres(folder),
  }
}

/** Bundles the campaign's process entry as the service is bundled, so that it starts as fast. */
async function buildProcess(): Promise<{ readonly file: string; remove(): void }> {
  // The bundle is inside the repository so that it resolves packages by walking up.
  mkdirSync(join(root, '.cache'), { recursive: true })
  const outDir = mkdtempSync(join(root, '.cache/campaign-'))
  await build({
    configFile: false,
    root,
    logLevel: 'warn',
    plugins: [postgresPatch()],
    ssr: { noExternal: ['postgres'] },
    build: { ssr: 'test/campaign/process.ts', outDir, emptyOutDir: false, copyPublicDir: false, sourcemap: true, target: 'es2022' },
  })
  return { file: join(outDir, 'process.js'), remove: () => rmSync(outDir, { recursive: true, force: true }) }
}

/** Waits for all promises to settle, then returns their values or throws the first failure. */
async function settled<T extends readonly unknown[]>(starting: { readonly [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const all = await Promise.allSettled(starting)
  for (const result of all) if (result.status === 'rejected') throw result.reason
  return all.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T
}
