import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Address, createPublicClient, erc20Abi, http } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { payers } from '../../local/chains/accounts.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestChain, type TestChain } from '../chains/support.ts'
import { builtDist } from '../support/service/build.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { freePort } from '../support/service/free-port.ts'
import { startStage, type Stage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'
import { type Block, blocksOf } from './blocks.ts'
import { expectShown } from './expect.ts'
import { makeMerchantFolder, type MerchantFolder } from './merchant-folder.ts'
import { placePresetTokens } from './preset-tokens.ts'
import { production } from './production.ts'
import { openShell, type Shell } from './shell.ts'

/**
 * Follows the operator guides to the letter, from an empty database and chains without a factory to settled dollars. The local chains have the
 * presets' tokens at the presets' addresses, so the guide's tables of chains are used as they are, apart from their nodes and owners.
 */

const unrunnable: Readonly<Record<string, string>> = {
  systemd: 'a unit needs systemd as the first process; the command it starts is run above it',
  nginx: 'nginx comes by no package of ours',
  backup: 'pg_dump has to be as new as the server, and comes by no package of ours',
}

let stage: Stage
let testnet: TestChain
let database: TestDatabase
let testDatabase: TestDatabase
let folder: MerchantFolder
let shell: Shell
let here: (text: string) => string
beforeAll(async () => {
  ;[stage, testnet, database, testDatabase, folder] = await Promise.all([
    startStage(),
    startTestChain({ chainId: 84532 }),
    createDatabase({ migrated: false }),
    createDatabase({ migrated: false }),
    makeMerchantFolder(),
  ])
  const room = folder.room('going-live')
  shell = openShell(room)
  const dist = await builtDist()
  const [first, second, third, metrics, moreMetrics, testMetrics] = await freePorts()
  const replaced: readonly (readonly [string, string])[] = [
    ['dist/server/main.js', join(dist, 'server/main.js')],
    ['https://base.rpc.example', stage.base.anvil.rpcUrl],
    ['https://ethereum.rpc.example', stage.ethereum.anvil.rpcUrl],
    ['https://base-sepolia.rpc.example', testnet.anvil.rpcUrl],
    ['0x1111111111111111111111111111111111111111', privateKeyToAddress(keys.owner)],
    ['0x3333333333333333333333333333333333333333', privateKeyToAddress(keys.tester)],
    ['postgres://till:secret@db.internal/till_testnet', testDatabase.url],
    ['postgres://till:secret@db.internal/till', database.url],
    // Exchanges cannot be reached from a test.
    ['PAY_URL=', `PRICES_URL=${stage.pricesUrl}\nPRICES_SINGLE_SOURCE=true\nPAY_URL=`],
    ['https://pay.example', `http://127.0.0.1:${first}`],
    ['http://127.0.0.1:4020', `http://127.0.0.1:${first}`],
    ['PORT=4020', `PORT=${first}`],
    ['METRICS_PORT=9464', `METRICS_PORT=${metrics}`],
    ['http://127.0.0.1:9464', `http://127.0.0.1:${metrics}`],
    ['METRICS_PORT=9465', `METRICS_PORT=${moreMetrics}`],
    ['PORT=4120', `PORT=${second}`],
    ['http://127.0.0.1:4120', `http://127.0.0.1:${second}`],
    ['http://localhost:4220', `http://localhost:${third}`],
    ['PORT=4220', `PORT=${third}`],
    ['METRICS_PORT=9466', `METRICS_PORT=${testMetrics}`],
  ]
  here = (text) => replaced.reduce((now, [written, real]) => now.replaceAll(written, real), text)
  for (const chain of [stage.base, stage.ethereum, testnet]) {
    usdc.set(chain, await placePresetTokens(chain, payers[0]!.address))
    for (const key of Object.values(keys))
      await chain.anvil.ask(['anvil_setBalance', privateKeyToAddress(key), `0x${(10n ** 18n).toString(16)}`])
  }
})
afterAll(async () => {
  await shell?.close()
  await Promise.all([stage?.close(), testnet?.stop(), database?.drop(), testDatabase?.drop()])
  folder?.remove()
})

/** The presets' USDC of each chain. */
const usdc = new Map<TestChain, Address>()

/** The keys that the guides' files contain. */
const keys = {
  operator: `0x${'a11'.padStart(64, '0')}`,
  owner: `0x${'b22'.padStart(64, '0')}`,
  tester: `0x${'c33'.padStart(64, '0')}`,
} as const
const recipient = '0x2222222222222222222222222222222222222222'

/** The ports are found together because consecutive look-ups may return the same one. */
async function freePorts() {
  const ports = new Set<number>()
  while (ports.size < 6) ports.add(await freePort())
  return [...ports]
}

const room = () => folder.room('going-live')
let shown = ''
let started = 0

const runners: Readonly<Record<string, (block: Block) => Promise<void>>> = {
  json: async ({ text, file }) => writeFileSync(join(room(), file ?? ''), here(text)),
  ini: async ({ text, file }) => writeFileSync(join(room(), file ?? ''), here(text)),
  text: async ({ text }) => expectShown(shown, here(text)),
  async sh({ text, what }) {
    const log = `service-${++started}.log`
    const serve = `${here(text)} > ${log} 2>&1 &\nuntil grep -q '^ready' ${log}; do kill -0 $! || { cat ${log} >&2; exit 1; }; sleep 0.1; done; cat ${log}`
    shown = await shell.run(what === 'serve' ? serve : here(text))
  },
}

async function run(block: Block): Promise<void> {
  const runner = Object.hasOwn(runners, block.kind) ? runners[block.kind] : undefined
  if (!runner) throw new Error(`${block.name}: nothing runs ${JSON.stringify(block.kind)}`)
  await runner(block).catch((error: unknown) => {
    throw new Error(`${block.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
  })
}

/** Pays an order that a guide has made, in the USDC of this chain, and waits until the recipient has the dollar there. */
async function payAndSettle({ sql }: TestDatabase, orderUrl: string, chain: TestChain): Promise<void> {
  const [, origin = '', id = ''] = /^(.*)\/pay\/(.*)$/.exec(orderUrl)!
  const [row] = await sql<{ api_key: string }[]>`select k.api_key from orders o join api_keys k using (organization_id) where o.id = ${id}`
  const ask = async (path: string, body?: object) => {
    const headers = { 'x-api-key': row!.api_key, 'content-type': 'application/json' }
    const init = { method: body ? 'POST' : 'GET', headers, body: body && JSON.stringify(body) }
    return (await (await fetch(`${origin}/v3/orders/${id}${path}`, init)).json()) as {
      status: string
      is_live: boolean
      data: { steps: { data: { deposit_address: string; amount: string } }[] }
    }
  }
  const token = usdc.get(chain)!
  const source = { payment_rail: 'CRYPTO', currency: { chain_id: chain.chain.id, address: token } }
  const { deposit_address: to, amount } = (await ask('/payment', { source })).data.steps[0]!.data
  await chain.call(payers[0]!, { address: token, abi: erc20Abi, functionName: 'transfer', args: [to, BigInt(amount)] })
  await until(async () => (await chain.mine(), (await ask('')).status === 'COMPLETED'), {
    timeout: 60_000,
    every: 100,
    what: `the order is settled on chain ${chain.chain.id}`,
  })
  expect((await ask('')).is_live).toBe(chain !== testnet)
  const client = createPublicClient({ transport: http(chain.anvil.rpcUrl) })
  expect(await client.readContract({ address: token, abi: erc20Abi, functionName: 'balanceOf', args: [recipient] })).toBe(1_000_000n)
}

test('default: from an empty database and bare chains to settled dollars on two chains and a testnet', async () => {
  const orders: string[] = []
  for (const block of production.flatMap(blocksOf)) {
    const reason = unrunnable[block.kind] ?? unrunnable[block.what ?? '']
    if (reason !== undefined) {
      console.warn(`${block.name} is not run: ${reason}`)
      continue
    }
    await run(block)
    if (!block.text.includes('POST/orders')) continue
    orders.push(shown.trim())
    // The guide's merchant is paid on two chains, so a second order is paid on the other one.
    if (orders.length > 1) continue
    await run(block)
    orders.push(shown.trim())
  }
  const [first = '', second = '', third = ''] = orders
  await payAndSettle(database, first, stage.base)
  await payAndSettle(database, second, stage.ethereum)
  await payAndSettle(testDatabase, third, testnet)
})
