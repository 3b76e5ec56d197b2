import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Anvil, startAnvil } from '../../local/chains/anvil.ts'
import { moveDigest } from '../../server/chains/evm/move-digest.ts'
import { GuardRefused } from '../../server/chains/guard.ts'
import { isEvm, parseChainTable } from '../../server/chains/table.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { contractGuard } from '../../server/guard/contract-guard.ts'
import { guards } from '../../server/guard/guards.ts'
import { keySigner } from '../../server/guard/move-signer.ts'
import { serviceGuards } from '../../server/guard/service-guards.ts'
import { operate } from '../../server/operator/operate.ts'
import { organizationById } from '../../server/organizations/organizations.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { address, surplus, termsOf } from './support.ts'

/** Merchants whose own wallets or keys sign, on two chains. */

const signal = new AbortController().signal
const folder = mkdtempSync(join(tmpdir(), 'till-guard-'))
const file = join(folder, 'chains.json')
const [operator, owner, merchant] = [generatePrivateKey(), generatePrivateKey(), generatePrivateKey()]
let database: TestDatabase
let sql: Sql
let anvils: Anvil[]
let env: Record<string, string>
const output: string[] = []
const run = (...args: string[]) => operate(args, env, (line) => output.push(line))

/** Contracts by hand: the first approves a signature of one byte, the second any, the third none, and the last is none. */
const wallet = '0x604435600114631626ba7e0260e01b60005260206000f3'
const credulous = '0x631626ba7e60e01b60005260206000f3'
const silent = '0x60006000fd'
const strictWallet = `0x7f${'ab'.repeat(32)}60005260206000fd`

beforeAll(async () => {
  ;[database, ...anvils] = await Promise.all([createDatabase(), startAnvil({ chainId: 8453 }), startAnvil({ chainId: 1 })])
  sql = connect(database.url, 2)
  env = { DATABASE_URL: database.url, TILL_CHAINS: file, OPERATOR: operator }
  const entry = ({ chainId, rpcUrl }: Anvil) => ({ chain_id: chainId, rpc_url: rpcUrl, operator: { env: 'OPERATOR' } })
  writeFileSync(file, JSON.stringify({ owner: privateKeyToAddress(owner), chains: anvils.map(entry) }))
})
afterAll(async () => {
  await sql?.end()
  await Promise.all([database?.drop(), ...(anvils ?? []).map((anvil) => anvil.stop())])
  rmSync(folder, { recursive: true })
})
beforeEach(() => {
  output.length = 0
})

const settlements = ['--settlement', `8453:USDC:${address('a1')}`, '--settlement', `1:USDC:${address('a1')}`]
async function create(...more: string[]): Promise<string> {
  await run('organisation', '--name', 'Northwind', ...settlements, ...more)
  return output.findLast((line) => line.startsWith('organisation'))!.split(/ +/)[1]!
}
const guardOf = async (id: string) => (await organizationById(sql, id)).guard
let contracts = 0xc0de
async function deploy(code: string, chains = anvils): Promise<string> {
  const at = address((++contracts).toString(16))
  for (const anvil of chains) await anvil.ask(['anvil_setCode', at, code])
  return at
}

test('default: an organisation gets a guard, keeps it through other changes, and goes back to the operator’s', async () => {
  const at = await deploy(wallet)
  const id = await create('--guard', at)
  expect(await guardOf(id)).toBe(at)
  await run('organisation', '--id', id, '--fee-bps', '10')
  expect(await guardOf(id)).toBe(at)
  const key = privateKeyToAddress(merchant)
  await run('organisation', '--id', id, '--guard', key)
  expect(await guardOf(id)).toBe(keySigner(merchant).address)
  await run('organisation', '--id', id, '--guard', 'operator')
  expect(await guardOf(id)).toBeUndefined()
})

test('behavior: a wallet that reverts with a reason, and a key that delegates to a contract, are guards', async () => {
  for (const at of [await deploy(strictWallet), await deploy(`0xef0100${'11'.repeat(20)}`, anvils.slice(1))])
    expect(await guardOf(await create('--guard', at))).toBe(at)
})

test.each<[string, () => Promise<string>, string]>([
  ['no address', async () => 'me', '--guard must be an EVM address or "operator"'],
  ['nobody', async () => address('0'), '--guard is the zero address'],
  [
    'a mistyped address',
    async () => '0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914',
    '--guard 0x833589fCD6eDb6E08f4c7C32D4f71b54bdA02914 has a wrong checksum',
  ],
  ['a contract on one chain alone', () => deploy(wallet, anvils.slice(0, 1)), 'is a contract on chain 8453 and has no code on chain 1'],
  ['a contract that does not know ERC-1271', () => deploy(silent), 'does not answer isValidSignature'],
  ['a contract that approves everything', () => deploy(credulous), 'approves an empty signature'],
  ['the operator', async () => privateKeyToAddress(operator), 'is the operator of chain'],
  ['the owner of the factory', async () => privateKeyToAddress(owner), 'is the factory or its owner'],
])('error: %s is refused and nothing is changed', async (_, at, message) => {
  const before = await sql`select id from organizations`
  await expect(create('--guard', await at())).rejects.toThrow(message)
  const id = await create()
  await expect(run('organisation', '--id', id, '--guard', await at())).rejects.toThrow(message)
  expect(await guardOf(id)).toBeUndefined()
  expect(await sql`select id from organizations`).toHaveLength(before.length + 1)
})

test('error: a contract that is only on a chain where the organisation is not paid is refused as well', async () => {
  const at = await deploy(wallet, anvils.slice(0, 1))
  const elsewhere = ['--name', 'Northwind', '--settlement', `1:USDC:${address('a1')}`]
  await expect(run('organisation', ...elsewhere, '--guard', at)).rejects.toThrow('has no code on chain 1')
})

test.each<[string, () => Promise<{ at: string; right: (digest: `0x${string}`) => Promise<string> }>]>([
  ['contract wallet', async () => ({ at: await deploy(wallet), right: async () => '0x07' })],
  ['key', async () => ({ at: keySigner(merchant).address, right: (hash) => privateKeyToAccount(merchant).sign({ hash }) })],
])('behavior: a merchant’s %s signs when its people have, through the operator’s command', async (_, create1) => {
  const { at, right } = await create1()
  const guard = contractGuard(sql, at)
  expect(guard.isMachine).toBe(false)
  const request = {
    ...surplus({ deadline: BigInt(Math.floor(Date.now() / 1000) + 600) }),
    terms: termsOf({ guard: at, order_id: `ord_${at}` }),
  }
  const digest = moveDigest(request)
  for (let i = 0; i < 2; i++) await expect(guard.sign(request, signal)).rejects.toMatchObject({ code: 'guard_not_yet' })
  await run('guard-moves')
  const shown = output.find((line) => line.includes(digest))!
  expect(shown).toContain(`order ord_${at}, chain 8453, guard ${at}`)
  expect(JSON.parse(shown.split('\n')[2]!)).toMatchObject({ primaryType: 'Move', message: { nonce: '1' } })
  await expect(run('guard-moves', '--sign', digest, '--signature', `0x${'07'.repeat(65)}`)).rejects.toThrow(
    'does not accept this signature',
  )
  await expect(run('guard-moves', '--sign', `0x${'00'.repeat(32)}`, '--signature', '0x07')).rejects.toThrow('waits for a signature')
  await expect(run('guard-moves', '--sign', digest)).rejects.toThrow('belong together')
  await expect(guard.sign(request, signal)).rejects.toMatchObject({ code: 'guard_not_yet' })
  const signature = await right(digest)
  await run('guard-moves', '--sign', digest, '--signature', signature)
  expect(await guard.sign(request, signal)).toBe(signature)
  output.length = 0
  await run('guard-moves')
  expect(output.join('\n')).not.toContain(digest)
})

test('behavior: the guard that the terms name signs', async () => {
  const own = { ...contractGuard(sql, address('1')), isMachine: true, sign: async () => '0x01' as const }
  const all = guards({ own, ofOrganization: (at) => ({ ...own, address: at, isMachine: false, sign: async () => '0x02' as const }) })
  const ask = (guard: string) => all.sign({ ...surplus(), terms: termsOf({ guard }) }, signal)
  expect([await ask(own.address), await ask(address('2'))]).toEqual(['0x01', '0x02'])
  await expect(ask(address('0'))).rejects.toBeInstanceOf(GuardRefused)
  expect(all.forNewOrders({})).toMatchObject({ address: own.address, isMachine: true })
  expect(all.forNewOrders({ guard: address('2') })).toMatchObject({ address: address('2'), isMachine: false })
})

test('behavior: the service’s own guard comes from the table of chains, and one without has none', async () => {
  const table = {
    owner: privateKeyToAddress(owner),
    chains: anvils.map(({ chainId, rpcUrl }) => ({ chain_id: chainId, rpc_url: rpcUrl, operator: { env: 'OPERATOR' } })),
  }
  const parts = {
    sql,
    keys: { find: async () => undefined },
    clock: Date.now,
    prices: { get: async () => ({ usd: '1', asOf: Date.now() }) },
  }
  const chains = parseChainTable({ ...table, guard: { env: 'GUARD' } }, { ...env, GUARD: merchant }).filter(isEvm)
  const all = serviceGuards({ ...parts, chains })
  const [usdc] = chains[0]!.tokens
  const request = surplus(
    { tokenIn: usdc!.address, tokenOut: usdc!.address, deadline: BigInt(Math.floor(Date.now() / 1000) + 600) },
    { guard: all.address, factory: chains[0]!.factory.address, order_id: 'ord_own' },
  )
  expect(await all.sign(request, signal)).toBe(await keySigner(merchant).sign(request, signal))
  expect(await sql`select organization from guard_moves`).toEqual([{ organization: `recipient ${request.terms.default_recipient}` }])
  const none = serviceGuards({ ...parts, chains: parseChainTable(table, env) })
  expect(none.forNewOrders({})).toBeUndefined()
})
