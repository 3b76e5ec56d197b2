import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { startLocalChains } from '../../../local/chains.ts'
import { feeCollector, guard, operator, owner } from '../../../local/chains/accounts.ts'
import { operate } from '../../../server/operator/operate.ts'
import type { Organization } from '../../../server/organizations/organizations.ts'
import type { OrganizationSettlement } from '../../../server/organizations/settlements.ts'
import type { Anvil } from '../../../local/chains/anvil.ts'
import { tableTokens, testChain, type TestChain } from '../../chains/support.ts'
import { type Client, createClient, type Keys } from '../client/client.ts'
import { createDatabase, type TestDatabase } from './database.ts'
import { freePort } from './free-port.ts'
import { createMerchant } from './merchant.ts'
import { startPrices, type Prices } from './prices.ts'
import { startService, type Service } from './service.ts'

/** A service in production's configuration, with a database, chains and prices that the test controls. */
export interface Stage {
  readonly database: TestDatabase
  readonly base: TestChain
  readonly ethereum: TestChain
  /** Dollars by price id, read by the service with each quote. Delete an id to have no price. */
  readonly prices: Prices['known']
  readonly pricesUrl: string
  /** Starts another process on the same database. */
  start(env?: Record<string, string | undefined>): Promise<Process>
  /** Creates an organisation with its own keys and a recipient that no other test uses. */
  merchant(change?: Partial<Organization> & { readonly settlement?: Partial<OrganizationSettlement> }): Promise<Merchant>
  /** Runs an operator's command with the service's environment, and returns what it prints. */
  operate(...args: string[]): Promise<string[]>
  close(): Promise<void>
}

export interface Process {
  readonly service: Service
  readonly baseUrl: string
}

export interface Merchant {
  readonly keys: Keys
  readonly organization: Organization
  readonly recipient: string
  at(process: Process): Client
}

export interface StageOptions {
  /** Seconds between blocks while there is work. With 'manual' the test mines each block. */
  readonly mining?: { readonly seconds: number } | 'manual' | 'auto'
  readonly confirmations?: number
  readonly sweepEveryBlocks?: number
  /** The URL of a second node of Base. */
  readonly secondNode?: string
  /** Entries of the table for chains of other families, whose environment `start` has to get. */
  readonly otherChains?: readonly object[]
}

export async function startStage({
  mining = { seconds: 0.1 },
  confirmations = 3,
  sweepEveryBlocks = 5,
  secondNode,
  otherChains = [],
}: StageOptions = {}): Promise<Stage> {
  const [database, local, prices] = await Promise.all([
    createDatabase(),
    startLocalChains({ mining, confirmations, pollMs: 100 }),
    startPrices(),
  ])
  const [base, ethereum] = [testChain(local, 0, mining !== 'manual'), testChain(local, 1, mining !== 'manual')]
  // A low base fee, as on an idle chain, makes fees independent of the chain's age.
  await Promise.all([base, ethereum].map(({ anvil }) => anvil.ask(['anvil_setNextBlockBaseFeePerGas', '0x1'], ['evm_mine'])))
  const folder = mkdtempSync(join(tmpdir(), 'till-stage-'))
  const table = join(folder, 'chains.json')
  const chains = local.anvils.map((anvil) => entry(anvil, base, confirmations, sweepEveryBlocks))
  if (secondNode) chains[0] = { ...chains[0]!, rpc_url: [base.anvil.rpcUrl, secondNode] }
  writeFileSync(table, JSON.stringify({ owner: owner.address, guard: { env: 'TEST_GUARD' }, chains: [...chains, ...otherChains] }))
  const running = new Set<Service>()
  const shared = {
    DATABASE_URL: database.url,
    TILL_CHAINS: table,
    TEST_OPERATOR: operator.private_key,
    TEST_GUARD: guard.private_key,
    PRICES_URL: prices.url,
    PRICES_SINGLE_SOURCE: 'true',
  }

  return {
    database,
    base,
    ethereum,
    prices: prices.known,
    pricesUrl: prices.url,
    async start(env) {
      const port = Number(env?.PORT ?? (await freePort()))
      const service = await startService({
        env: {
          ...shared,
          PAY_URL: `http://127.0.0.1:${port}`,
          HOST: '127.0.0.1',
          PORT: String(port),
          RATE_PER_SECOND: '100000',
          RATE_BURST: '100000',
          LOG_LEVEL: 'info',
          ...env,
        },
      })
      running.add(service)
      return { service, baseUrl: `http://127.0.0.1:${port}/v3` }
    },
    async merchant({ settlement, ...change } = {}) {
      const name = randomBytes(6).toString('hex')
      const recipient = privateKeyToAddress(generatePrivateKey()).toLowerCase()
      const { keys, organization } = await createMerchant(database.sql, name, {
        settlements: [{ chainId: 8453, address: base.token('USDC'), recipient, feeCollector: feeCollector.address, ...settlement }],
        ...change,
      })
      return { keys, organization, recipient: organization.settlements[0].recipient, at: (process) => createClient(process.baseUrl, keys) }
    },
    async operate(...args) {
      const lines: string[] = []
      await operate(args, shared, (line) => lines.push(line))
      return lines
    },
    async close() {
      await Promise.all([...running].map((service) => service.close()))
      await Promise.all([database.drop(), local.stop(), prices.close()])
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const entry = (anvil: Anvil, { config }: TestChain, confirmations: number, sweepEveryBlocks: number) => ({
  chain_id: anvil.chainId,
  rpc_url: [anvil.rpcUrl],
  confirmations,
  tokens: tableTokens(config),
  operator: { env: 'TEST_OPERATOR' },
  poll_ms: 40,
  sweep_every_blocks: sweepEveryBlocks,
  replace_after_ms: 5_000,
  exchange: config.exchange,
})
