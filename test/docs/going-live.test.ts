import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { erc20Abi, createPublicClient, http } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'
import { payers } from '../../local/chains/accounts.ts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { presetOf } from '../../server/chains/presets/presets.ts'
import type { Preset } from '../../server/chains/presets/preset.ts'
import { becomeLike } from '../chains/preset-chain.ts'
import { tableTokens } from '../chains/support.ts'
import { builtDist } from '../support/service/build.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { freePort } from '../support/service/free-port.ts'
import { startStage, type Stage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'
import { type Block, blocksOf } from './blocks.ts'
import { expectShown } from './expect.ts'
import { makeMerchantFolder, type MerchantFolder } from './merchant-folder.ts'
import { production } from './production.ts'
import { openShell, type Shell } from './shell.ts'

/** Follows the operator guides to the letter, from an empty database and a chain without a factory to a settled dollar. */

const unrunnable: Readonly<Record<string, string>> = {
  systemd: 'a unit needs systemd as the first process; the command it starts is run above it',
  nginx: 'nginx comes by no package of ours',
  backup: 'pg_dump has to be as new as the server, and comes by no package of ours',
}

let stage: Stage
let database: TestDatabase
let folder: MerchantFolder
let shell: Shell
let here: (text: string) => string
beforeAll(async () => {
  ;[stage, database, folder] = await Promise.all([startStage(), createDatabase({ migrated: false }), makeMerchantFolder()])
  const room = folder.room('going-live')
  shell = openShell(room)
  const dist = await builtDist()
  const [first, second, metrics, moreMetrics] = await freePorts()
  const replaced: readonly (readonly [string, string])[] = [
    ['dist/server/main.js', join(dist, 'server/main.js')],
    ['https://rpc-a.example', stage.base.anvil.rpcUrl],
    ['"operator": {', `"tokens": ${JSON.stringify(tableTokens(stage.base.config))}, "operator": {`],
    ['0x1111111111111111111111111111111111111111', privateKeyToAddress(keys.owner)],
    ['postgres://till:secret@db.internal/till', database.url],
    ['https://prices.internal/prices', stage.pricesUrl],
    ['https://pay.example', `http://127.0.0.1:${first}`],
    ['http://127.0.0.1:4020', `http://127.0.0.1:${first}`],
    ['PORT=4020', `PORT=${first}`],
    ['METRICS_PORT=9464', `METRICS_PORT=${metrics}`],
    ['http://127.0.0.1:9464', `http://127.0.0.1:${metrics}`],
    ['METRICS_PORT=9465', `METRICS_PORT=${moreMetrics}`],
    ['PORT=4120', `PORT=${second}`],
    ['http://127.0.0.1:4120', `http://127.0.0.1:${second}`],
  ]
  here = (text) => replaced.reduce((now, [written, real]) => now.replaceAll(written, real), text)
  await becomeLike(stage.base.anvil, withoutOurs(presetOf(8453)))
  for (const key of Object.values(keys))
    await stage.base.anvil.ask(['anvil_setBalance', privateKeyToAddress(key), `0x${(10n ** 18n).toString(16)}`])
}, 120_000)
afterAll(async () => {
  await shell?.close()
  await Promise.all([stage?.close(), database?.drop()])
  folder?.remove()
})

/** The stage already has a Multicall3 that works. */
const withoutOurs = ({ contracts: { multicall3: _ours, ...contracts }, ...preset }: Preset): Preset => ({ ...preset, contracts })

/** The keys that the guides' files contain. */
const keys = { operator: `0x${'a11'.padStart(64, '0')}`, owner: `0x${'b22'.padStart(64, '0')}` } as const
const recipient = '0x2222222222222222222222222222222222222222'

/** The ports are found together because consecutive look-ups may return the same one. */
async function freePorts() {
  const ports = new Set<number>()
  while (ports.size < 4) ports.add(await freePort())
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

test('default: from an empty database and a bare chain to a settled dollar, by two processes', { timeout: 180_000 }, async () => {
  for (const block of production.flatMap(blocksOf)) {
    const reason = unrunnable[block.kind] ?? unrunnable[block.what ?? '']
    if (reason !== undefined) {
      console.warn(`${block.name} is not run: ${reason}`)
      continue
    }
    const run = Object.hasOwn(runners, block.kind) ? runners[block.kind] : undefined
    if (!run) throw new Error(`${block.name}: nothing runs ${JSON.stringify(block.kind)}`)
    await run(block).catch((error: unknown) => {
      throw new Error(`${block.name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error })
    })
  }
  const pay = here('https://pay.example')
  const [order] = await database.sql<
    { id: string; api_key: string }[]
  >`select o.id, k.api_key from orders o join api_keys k using (organization_id)`
  const ask = async (path: string, body?: object) => {
    const headers = { 'x-api-key': order!.api_key, 'content-type': 'application/json' }
    const answer = await fetch(`${pay}/v3/orders/${order!.id}${path}`, {
      method: body ? 'POST' : 'GET',
      headers,
      body: body && JSON.stringify(body),
    })
    return (await answer.json()) as { status: string; data: { steps: { data: { deposit_address: string; amount: string } }[] } }
  }
  const source = { payment_rail: 'CRYPTO', currency: { chain_id: 8453, address: stage.base.token('USDC') } }
  const { deposit_address: to, amount } = (await ask('/payment', { source })).data.steps[0]!.data
  await stage.base.sendToken(payers[0]!, 'USDC', to, BigInt(amount))
  await until(async () => (await stage.base.mine(), (await ask('')).status === 'COMPLETED'), {
    timeout: 60_000,
    every: 100,
    what: 'the order is settled',
  })
  const chain = createPublicClient({ transport: http(stage.base.anvil.rpcUrl) })
  const args = [recipient] as const
  expect(await chain.readContract({ address: stage.base.token('USDC'), abi: erc20Abi, functionName: 'balanceOf', args })).toBe(1_000_000n)
})
