import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import pino from 'pino'
import { privateKeyToAddress } from 'viem/accounts'
import { afterAll, expect, test } from 'vitest'
import { factoryOf } from '../../server/chains/evm/factory.ts'
import { defaultGuardPolicy } from '../../server/chains/guard-policy.ts'
import { ChainTableInvalid, isEvm, parseChainTable } from '../../server/chains/table.ts'
import { GuardConfigInvalid, readGuardConfig } from '../../server/guard/guard-config.ts'
import { remoteGuard } from '../../server/guard/remote-guard.ts'
import { keysTogether } from '../../server/guard/service-guards.ts'
import { startGuard } from '../../server/guard/start-guard.ts'
import { apiKey, asked, dollar, guardKey, merchantRequest, now, recipient, refund, secret, signerOf, surplus, termsOf } from './support.ts'

const folder = mkdtempSync(join(tmpdir(), 'till-guard-'))
afterAll(() => rmSync(folder, { recursive: true }))
const owner = `0x${'0f'.repeat(20)}`
const token = 'a-token-that-is-long-enough-0123456789'

let rulesFiles = 0
function rulesFile(more: object = {}): string {
  const path = join(folder, `rules-${++rulesFiles}.json`)
  writeFileSync(
    path,
    JSON.stringify({
      owner,
      chains: [
        {
          chain_id: 8453,
          exchange: { router: `0x${'e1'.repeat(20)}`, wrapped: `0x${'e7'.repeat(20)}` },
          tokens: [{ address: dollar, decimals: 6, price_id: 'USDC' }],
        },
      ],
      organisations: [{ id: 'org_1', recipients: [recipient], keys: [{ api_key: apiKey, secret_env: 'SECRET_1' }] }],
      ...more,
    }),
  )
  return path
}
const env = (more: Record<string, string> = {}) => ({
  GUARD_KEY: guardKey,
  GUARD_TOKEN: token,
  GUARD_RULES: rulesFile(),
  GUARD_LEDGER: join(folder, 'moves.jsonl'),
  GUARD_PORT: '0',
  PRICES_URL: 'https://prices.example/prices',
  PRICES_SINGLE_SOURCE: 'true',
  SECRET_1: secret,
  ...more,
})

function mistakes(given: Record<string, string>): readonly string[] {
  try {
    readGuardConfig(given)
  } catch (error) {
    if (error instanceof GuardConfigInvalid) return error.mistakes
    throw error
  }
  return []
}

test('default: a process with this environment signs, and signs the same after a restart', async () => {
  const config = readGuardConfig(env())
  expect(config).toMatchObject({
    port: 0,
    host: '127.0.0.1',
    rules: { factory: factoryOf(owner).address, limits: { surplus: { perMove: 5_000_000_000n } } },
  })
  const parts = { config, log: pino({ level: 'silent' }), clock: () => now, prices: { get: async () => ({ usd: '1', asOf: now }) } }
  const request = { ...refund(merchantRequest(asked)), terms: termsOf({ factory: config.rules.factory }) }
  for (let i = 0; i < 2; i++) {
    const running = await startGuard(parts)
    const guard = remoteGuard(`http://127.0.0.1:${running.port}`, token, running.address)
    expect(await guard.sign(request, AbortSignal.timeout(60_000))).toBe(await signerOf.sign(request, AbortSignal.timeout(60_000)))
    const other = { ...request, move: { ...surplus().move, nonce: 1n, legs: [{ to: recipient, amount: 1n }] } }
    await expect(guard.sign(other, AbortSignal.timeout(60_000))).rejects.toThrow('another move with this nonce')
    await running.stop()
  }
})

test('behavior: tokens come from the preset where the rules name none', () => {
  const config = readGuardConfig(
    env({ GUARD_RULES: rulesFile({ chains: [{ chain_id: 8453 }], limits: { surplus: { per_move_usd: '12.5', per_hour_usd: null } } }) }),
  )
  expect(config.tokens).toContainEqual({ chainId: 8453, address: null, decimals: 18, priceId: 'ETH' })
  expect(config.rules).toMatchObject({
    limits: { merchant: { perMove: 10_000_000_000n }, surplus: { perMove: 12_500_000n, perHourInAll: 50_000_000_000n } },
    needsSignedBody: false,
  })
})

test('error: for an empty environment everything that is missing is named', () => {
  expect(mistakes({}).map((mistake) => mistake.split(' ')[0])).toEqual(['GUARD_RULES', 'GUARD_TOKEN', 'GUARD_KEY', 'GUARD_LEDGER'])
})

test.each<[string, Record<string, string>, string]>([
  ['a key that is none', { GUARD_KEY: '0x12' }, 'GUARD_KEY must be a private key'],
  ['a key of zero', { GUARD_KEY: `0x${'0'.repeat(64)}` }, 'GUARD_KEY must be a private key'],
  ['a key in two places', { GUARD_SIGNER_URL: 'https://signer.example' }, 'exclude each other'],
  ['a signer without an address', { GUARD_KEY: '', GUARD_SIGNER_URL: 'https://signer.example' }, 'GUARD_SIGNER_URL with GUARD_ADDRESS'],
  [
    'a signer with a wrong address',
    { GUARD_KEY: '', GUARD_SIGNER_URL: 'https://signer.example', GUARD_ADDRESS: '0x1' },
    'GUARD_ADDRESS must be',
  ],
  ['a short token', { GUARD_TOKEN: 'short' }, 'GUARD_TOKEN must have 32'],
  ['a port that is none', { GUARD_PORT: '70000' }, 'GUARD_PORT must be'],
  ['no price service', { PRICES_URL: 'ftp://prices' }, 'PRICES_URL must be'],
  ['one source of prices', { PRICES_SINGLE_SOURCE: '' }, 'PRICES_SINGLE_SOURCE must be true'],
  ['feeds on chains that a guard does not have', { PRICE_SOURCES: 'kraken,chainlink', PRICES_URL: '' }, 'holds "chainlink"'],
  ['rules that are not there', { GUARD_RULES: '/nowhere.json' }, 'GUARD_RULES: /nowhere.json cannot be read'],
  ['a secret that is missing', { SECRET_1: '' }, 'SECRET_1 must hold the secret of pk_live_1'],
])('error: %s', (_, more, message) => {
  expect(mistakes(env(more)).join('\n')).toContain(message)
  expect(mistakes(env(more)).join('\n')).not.toContain(guardKey)
})

test('error: mistakes in the rules are named by their path', () => {
  const wrong = rulesFile({ owner: 'me', chains: [{ chain_id: 999 }], limits: { surplus: { per_move_usd: '-1' } }, colour: 1 })
  expect(mistakes(env({ GUARD_RULES: wrong })).map((mistake) => mistake.slice(`GUARD_RULES ${wrong}: `.length))).toEqual([
    expect.stringContaining('owner: must be an EVM address'),
    expect.stringContaining('chains.0.chain_id: is not an EVM chain'),
    expect.stringContaining('limits.surplus.per_move_usd: must be an amount of dollars'),
    expect.stringContaining('colour'),
  ])
  const shared = ['org_1', 'org_2'].map((id) => ({ id, recipients: [recipient] }))
  expect(mistakes(env({ GUARD_RULES: rulesFile({ organisations: shared }) }))[0]).toContain('is a recipient of org_1 and of org_2')
})

const chain = { chain_id: 8453, rpc_url: 'https://mainnet.base.org', operator: { env: 'OPERATOR' } }
const keys = { OPERATOR: `0x${'11'.repeat(32)}` as const, GUARD: guardKey, TOKEN: token }
const parse = (guard?: object, more: object = {}) =>
  parseChainTable({ owner, chains: [chain], ...(guard && { guard }), ...more }, keys).filter(isEvm)

function tableMistakes(guard: object, more?: object): Record<string, string> {
  try {
    parse(guard, more)
  } catch (error) {
    if (error instanceof ChainTableInvalid) return Object.fromEntries(error.issues.map(({ path, message }) => [path, message]))
    throw error
  }
  return {}
}

test('behavior: the table of chains names the guard, and the log says what it means where both keys are together', () => {
  const [local] = [parse({ env: 'GUARD' })]
  expect(local[0]!.guard).toEqual({ kind: 'local', privateKey: guardKey, address: signerOf.address, policy: defaultGuardPolicy })
  // The service has its merchants' secrets, so a guard elsewhere limits what is signed with them.
  expect(defaultGuardPolicy.limits.merchant).toEqual({})
  const limited = parse({ env: 'GUARD', limits: { merchant: { per_hour_usd: '7' } }, require_signed_body: true })
  expect(limited[0]!.guard).toMatchObject({ policy: { limits: { merchant: { perHour: 7_000_000n } }, needsSignedBody: true } })
  expect(keysTogether(local)).toContain('holds the operator’s key and the guard’s')
  const remote = parse({ url: 'https://guard.example/', token_env: 'TOKEN', address: recipient })
  expect(remote[0]!.guard).toEqual({ kind: 'remote', url: 'https://guard.example', token, address: recipient })
  expect(keysTogether(remote)).toBeUndefined()
  expect(parse()[0]!.guard).toBeUndefined()
  expect(keysTogether(parse())).toContain('names no guard')
})

test('error: a guard that is the operator or the owner, or has no key or token', () => {
  const operator = privateKeyToAddress(keys.OPERATOR)
  expect(tableMistakes({ env: 'OPERATOR' })).toEqual({ 'guard.env': expect.stringContaining('is the operator of chain 8453') })
  expect(tableMistakes({ url: 'https://g.example', token_env: 'TOKEN', address: operator })).toEqual({
    'guard.address': expect.stringContaining('is the operator of chain 8453'),
  })
  expect(tableMistakes({ env: 'GUARD' }, { owner: signerOf.address })).toEqual({ 'guard.env': expect.stringContaining('owner') })
  expect(tableMistakes({ env: 'MISSING' })).toEqual({ 'guard.env': expect.stringContaining('MISSING must hold a private key') })
  expect(tableMistakes({ url: 'https://g.example', token_env: 'NONE', address: owner })).toEqual({
    'guard.token_env': expect.stringContaining('NONE must hold'),
  })
  expect(tableMistakes({})).toEqual({ guard: expect.stringContaining('{"env": "NAME"}') })
})
