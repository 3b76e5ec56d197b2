import { HDKey } from '@scure/bip32'
import { writeFileSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { operate } from '../../server/operator/operate.ts'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { isEvm, parseChainTable } from '../../server/chains/table.ts'
import { startAnvil, type Anvil } from '../../local/chains/anvil.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { keysOf } from '../../server/organizations/keys.ts'
import { transaction } from '../../server/database/transaction.ts'
import { organizationById } from '../../server/organizations/organizations.ts'
import { askForSettlements, pendingSettlements } from '../../server/organizations/settlements.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'

/** The operator's commands, on a chain without our contracts and a database without tables. */

const usdc = '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913'
const router = '0x00000000000000000000000000000000000000e1'
const folder = mkdtempSync(join(tmpdir(), 'till-operator-'))
const file = join(folder, 'chains.json')
let database: TestDatabase
let anvil: Anvil
let sql: Sql
let env: Record<string, string>
let owner: `0x${string}`
const output: string[] = []
const run = (...args: string[]) => operate(args, env, (line) => output.push(line))
const printed = (label: string) =>
  output
    .find((line) => line.startsWith(label))
    ?.slice(14)
    .split(' ')[0] ?? ''

const fund = (address: string) => anvil.ask(['anvil_setBalance', address, `0x${(10n ** 18n).toString(16)}`])
const chains = () => parseChainTable(table(), env).filter(isEvm)
const table = () => ({
  owner: privateKeyToAddress(owner),
  chains: [
    {
      chain_id: 8453,
      rpc_url: anvil.rpcUrl,
      confirmations: 3,
      operator: { env: 'OPERATOR' },
      tokens: [
        { address: usdc, symbol: 'USDC', name: 'USD Coin', decimals: 6 },
        { address: null, symbol: 'ETH', name: 'Ether', decimals: 18 },
      ],
      exchange: { router, quoter: router, factory: router, wrapped: router },
    },
  ],
})

beforeAll(async () => {
  ;[database, anvil] = await Promise.all([createDatabase({ migrated: false }), startAnvil({ chainId: 8453 })])
  sql = connect(database.url, 1)
  await anvil.ask(['evm_setAutomine', true])
})
afterAll(async () => {
  await sql?.end()
  await Promise.all([database?.drop(), anvil?.stop()])
  rmSync(folder, { recursive: true })
})
/** Each test has another owner and therefore another factory address. */
beforeEach(() => {
  owner = generatePrivateKey()
  output.length = 0
  env = { DATABASE_URL: database.url, TILL_CHAINS: file, OPERATOR: generatePrivateKey() }
  writeFileSync(file, JSON.stringify(table()))
})

const isReady = () => createEvmChain(chains()[0]!).checkFactory(AbortSignal.timeout(60_000))

test('behavior: without --send it prints what is missing and sends nothing', async () => {
  await run('deploy-factory')
  const [, ...todo] = output
  expect(todo.map((line) => line.split('\n')[0])).toEqual([
    '  to do, by anyone: deploy the factory',
    `  to do, by the owner: setOperator(${privateKeyToAddress(env.OPERATOR as `0x${string}`).toLowerCase()}, true)`,
    `  to do, by the owner: setRouter(${router}, true)`,
  ])
  await expect(isReady()).rejects.toThrow('has no factory')
})

test('behavior: with the owner’s key everything is set up and the service can start, and a second run does nothing', async () => {
  env.TILL_DEPLOYER_KEY = owner
  await fund(privateKeyToAddress(owner))
  await run('deploy-factory', '--send')
  await isReady()
  expect(output.filter((line) => line.startsWith('  done'))).toHaveLength(3)
  const nonce = () => anvil.ask(['eth_getTransactionCount', privateKeyToAddress(owner), 'latest'])
  const before = await nonce()
  output.length = 0
  await run('deploy-factory', '--send')
  expect(output.slice(1)).toEqual(['  ready'])
  expect(await nonce()).toEqual(before)
})

test('behavior: with any other key the factory is deployed, and the transactions for the owner to sign are printed', async () => {
  env.TILL_DEPLOYER_KEY = generatePrivateKey()
  await fund(privateKeyToAddress(env.TILL_DEPLOYER_KEY as `0x${string}`))
  await expect(run('deploy-factory', '--send')).rejects.toThrow('owner still has to sign')
  const calls = output.flatMap((line) => [...line.matchAll(/to {3}(\S+)\n {4}data (\S+)/g)].map(([, to, data]) => ({ to, data })))
  expect(calls).toHaveLength(2)
  const from = privateKeyToAddress(owner)
  await fund(from)
  await anvil.ask(['anvil_impersonateAccount', from])
  for (const call of calls) await anvil.ask(['eth_sendTransaction', { from, ...call }])
  // anvil answers before it mines.
  await until(() => isReady().then(() => true))
})

test('behavior: another operator is added and the previous one removed', async () => {
  env.TILL_DEPLOYER_KEY = owner
  await fund(privateKeyToAddress(owner))
  await run('deploy-factory', '--send')
  const before = privateKeyToAddress(env.OPERATOR as `0x${string}`).toLowerCase()
  const then = { ...env }
  env.OPERATOR = generatePrivateKey()
  output.length = 0
  await run('deploy-factory', '--send', '--revoke', before)
  expect(output.filter((line) => line.startsWith('  done')).map((line) => line.split(' (')[0])).toEqual([
    `  done: setOperator(${before}, false)`,
    `  done: setOperator(${privateKeyToAddress(env.OPERATOR as `0x${string}`).toLowerCase()}, true)`,
  ])
  await isReady()
  env = then
  await expect(isReady()).rejects.toThrow('is not an operator')
  await expect(run('deploy-factory', '--revoke', 'him')).rejects.toThrow('--revoke takes an address')
})

test('error: deploying with a wrong key or on a node of another chain is refused', async () => {
  env.TILL_DEPLOYER_KEY = 'secret'
  await expect(run('deploy-factory', '--send')).rejects.toThrow(/TILL_DEPLOYER_KEY must hold a private key[^]*deploy-factory \[--send]/)
  const other = table()
  other.chains[0]!.chain_id = 10
  writeFileSync(file, JSON.stringify(other))
  await expect(run('deploy-factory')).rejects.toThrow('The node configured for chain 10 serves chain 8453.')
})

const recipient = '0x00000000000000000000000000000000000000A1'
const make = (...more: string[]) =>
  run('organisation', '--name', 'Northwind', '--chain', '8453', '--token', 'USDC', '--recipient', recipient, ...more)

test('behavior: the operator sets the gas allowance per order, and whether the publishable key alone makes orders', async () => {
  await make('--gas-usd', '0.05', '--unsigned-orders', 'on')
  const id = printed('organisation')
  const now = () => organizationById(sql, id)
  expect(await now()).toMatchObject({ fees: { customBps: 0, gasUsd: '0.05' }, unsignedOrders: true })
  await run('organisation', '--id', id, '--fee-bps', '50')
  expect(await now()).toMatchObject({ fees: { customBps: 50, gasUsd: '0.05' }, unsignedOrders: true })
  await run('organisation', '--id', id, '--unsigned-orders', 'off', '--gas-usd', '0')
  expect(await now()).toMatchObject({ fees: { customBps: 50, gasUsd: '0' }, unsignedOrders: false })
  for (const wrong of ['-1', '1001', '1e3', '0.0000001', 'much', ''])
    await expect(run('organisation', '--id', id, `--gas-usd=${wrong}`)).rejects.toThrow('--gas-usd must be an amount of dollars')
  await expect(run('organisation', '--id', id, '--unsigned-orders', 'yes')).rejects.toThrow('--unsigned-orders is on or off')
})

test('behavior: the operator sets what is printed on invoices, and removes it with an empty text', async () => {
  await make('--address', 'Kai 7\n20457 Hamburg', '--tax-number', 'DE 811 907 980')
  const id = printed('organisation')
  const now = () => organizationById(sql, id)
  expect(await now()).toMatchObject({ address: 'Kai 7\n20457 Hamburg', taxNumber: 'DE 811 907 980' })
  await run('organisation', '--id', id, '--address', '')
  expect(await now()).not.toHaveProperty('address')
  expect(await now()).toMatchObject({ taxNumber: 'DE 811 907 980' })
  await expect(run('organisation', '--id', id, '--address', '1\n2\n3\n4\n5\n6\n7')).rejects.toThrow('--address must have from 1 to 6 lines')
  await expect(run('organisation', '--id', id, '--tax-number', 'x'.repeat(65))).rejects.toThrow('--tax-number')
})

test('behavior: creates an organisation with its first key in a database without tables', async () => {
  await make('--embed-origin', 'https://shop.example', '--fee-bps', '50')
  const id = printed('organisation')
  expect(await organizationById(sql, id)).toEqual({
    id,
    name: 'Northwind',
    isLive: true,
    settlements: [{ chainId: 8453, address: usdc, recipient: recipient.toLowerCase(), feeCollector: recipient.toLowerCase() }],
    fees: { customBps: 50, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
    toleranceBps: 0,
    embedOrigins: ['https://shop.example'],
    unsignedOrders: false,
  })
  expect(await keysOf(sql, Date.now).find(printed('api key'))).toMatchObject({ organizationId: id, secret: printed('api secret') })
})

test('behavior: an organisation is paid on several chains, each with its own recipient and collector', async () => {
  const [elsewhere, collector] = [`0x${'5e'.repeat(20)}`, `0x${'fe'.repeat(20)}`]
  await run('organisation', '--name', 'Northwind', '--email', 'billing@northwind.example', '--settlement', `8453:USDC:${recipient}`)
  const id = printed('organisation')
  const [first] = (await organizationById(sql, id)).settlements
  await run('organisation', '--id', id, '--settlement', `8453:USDC:${recipient}`, '--settlement', `8453:ETH:${elsewhere}:${collector}`)
  const second = { chainId: 8453, address: null, recipient: elsewhere, feeCollector: collector }
  expect(await organizationById(sql, id)).toMatchObject({ email: 'billing@northwind.example', settlements: [first, second] })
  // Options for one settlement change the first, and the others stay.
  await run('organisation', '--id', id, '--recipient', elsewhere)
  expect((await organizationById(sql, id)).settlements).toEqual([{ ...first, recipient: elsewhere }, second])
  await run('organisation', '--id', id, '--fee-collector', collector)
  expect((await organizationById(sql, id)).settlements).toEqual([{ ...first, recipient: elsewhere, feeCollector: collector }, second])
  const wrong: readonly (readonly [settlements: readonly string[], message: string])[] = [
    [[`8453:USDC`], 'CHAIN:TOKEN:RECIPIENT'],
    [[`999:USDC:${recipient}`], 'not in TILL_CHAINS'],
    [[`8453:NONE:${recipient}`], 'must name one token'],
    [[`8453:USDC:0x12`], 'must be an address'],
    [[`8453:USDC:${recipient}`, `8453:USDC:${elsewhere}`], 'the same token'],
  ]
  for (const [settlements, message] of wrong)
    await expect(run('organisation', '--id', id, ...settlements.flatMap((text) => ['--settlement', text]))).rejects.toThrow(message)
  await expect(run('organisation', '--id', id, '--settlement', `8453:USDC:${recipient}`, '--chain', '8453')).rejects.toThrow('Use either')
  await expect(run('organisation', '--id', id, '--email', 'nobody')).rejects.toThrow('--email must be a mail address')
})

test('behavior: a command cancels a pending change of the settlements only if it names them, and says so', async () => {
  await make()
  const id = printed('organisation')
  const [settlement] = (await organizationById(sql, id)).settlements
  const ask = () =>
    transaction(sql, (tx) => askForSettlements(tx, id, { settlements: [settlement], delaySeconds: 60, token: `cancel_${Math.random()}` }))
  await ask()
  await run('organisation', '--id', id, '--fee-bps', '5')
  expect(await pendingSettlements(sql, id)).toMatchObject({ settlements: [settlement] })
  output.length = 0
  await run('organisation', '--id', id, '--recipient', recipient)
  expect(await pendingSettlements(sql, id)).toBeUndefined()
  expect(output[0]).toContain('pending is cancelled')
})

test('behavior: a change keeps the members it does not name and prints no secret', async () => {
  await make('--test')
  const id = printed('organisation')
  const before = await organizationById(sql, id)
  output.length = 0
  await run('organisation', '--id', id, '--token', 'ETH')
  expect(await organizationById(sql, id)).toEqual({ ...before, settlements: [{ ...before.settlements[0], address: null }] })
  expect(output).toEqual([
    'No order can be paid on chain 8453: with --test it sees testnets alone.',
    `organisation  ${id}  Northwind (test)`,
  ])
})

test.each([20_000_000_000_101, 20_000_000_000_102])(
  'behavior: only a test organisation is paid on Bitcoin’s test network %i',
  async (chain_id) => {
    const account = HDKey.fromMasterSeed(new Uint8Array(32).fill(7), { private: 0x04358394, public: 0x043587cf })
    const bitcoin = { chain_id, nodes: [{ rpc_url: anvil.rpcUrl }], account: { env: 'ACCOUNT' } }
    writeFileSync(file, JSON.stringify({ chains: [bitcoin] }))
    env = { ...env, ACCOUNT: account.privateExtendedKey }
    const to = 'tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx'
    const settled = ['--name', 'Northwind', '--chain', String(chain_id), '--token', 'BTC', '--recipient', to]
    await run('organisation', ...settled, '--test')
    expect(output.join()).not.toContain('No order can be paid')
    expect((await organizationById(sql, printed('organisation'))).settlements).toEqual([
      { chainId: chain_id, address: null, recipient: to, feeCollector: to },
    ])
    output.length = 0
    await run('organisation', ...settled)
    expect(output[0]).toBe(`No order can be paid on chain ${chain_id}: a live organisation sees no testnet.`)
    const ofMain = settled.map((part) => (part === to ? 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4' : part))
    await expect(run('organisation', ...ofMain, '--test')).rejects.toThrow('--recipient')
  },
)

test('behavior: adds a second key and switches off the first', async () => {
  await make()
  const [organizationId, keyId, first] = [printed('organisation'), printed('key'), printed('api key')]
  output.length = 0
  await run('api-key', '--organisation', organizationId, '--label', 'Second')
  expect(printed('api key')).not.toBe(first)
  await run('api-key', '--off', keyId)
  const keys = keysOf(sql, Date.now)
  expect(await keys.find(first)).toBeUndefined()
  expect(await keys.find(printed('api key'))).toMatchObject({ organizationId })
  await expect(run('api-key', '--off', keyId)).rejects.toThrow(`There is no active key ${keyId}.`)
})

const count = async () => (await sql`select id from organizations`).length

test.each([
  ['a token that is not configured', ['--token', 'DOGE'], 'TILL_CHAINS has USDC, ETH'],
  ['a chain that is not configured', ['--chain', '1'], '--chain 1 is not in TILL_CHAINS'],
  ['a mistyped address', ['--recipient', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914'], 'has a wrong checksum'],
  ['a mistyped collector', ['--fee-collector', '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914'], '--fee-collector 0x833589'],
  ['nobody', ['--recipient', `0x${'0'.repeat(40)}`], '--recipient is the zero address'],
  ['no address', ['--recipient', 'me'], '--recipient must be an address on chain 8453'],
  ['a tolerance beyond ten percent', ['--tolerance-bps', '2000'], '--tolerance-bps must be a whole number from 0 to 1000'],
  ['a path as an origin', ['--embed-origin', 'https://shop.example/cart'], '--embed-origin is an origin'],
  ['an option there is not', ['--logo', 'x'], "Unknown option '--logo'"],
])('error: %s', async (_, more, message) => {
  const before = await count()
  await expect(make(...more)).rejects.toThrow(message)
  expect(await count()).toBe(before)
})

test('error: an unknown command is refused', async () => {
  await expect(run('deploy')).rejects.toThrow(/There is no command "deploy"\. There are:[^]*deploy-factory[^]*organisation[^]*api-key/)
})
