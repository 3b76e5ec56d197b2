import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { operate } from '../../server/operator/operate.ts'
import { type Prices, startPrices } from '../support/service/prices.ts'

/** The command, with a price service of the operator's. No exchange can be reached from a test. */

const folder = mkdtempSync(join(tmpdir(), 'till-check-prices-'))
const file = join(folder, 'chains.json')
let prices: Prices
const output: string[] = []
const check = (env: Record<string, string> = {}) =>
  operate(
    ['check-prices'],
    { TILL_CHAINS: file, OPERATOR: generatePrivateKey(), PRICES_URL: prices.url, PRICES_SINGLE_SOURCE: 'true', ...env },
    (line) => output.push(line),
  )

beforeAll(async () => {
  prices = await startPrices()
  writeFileSync(
    file,
    JSON.stringify({
      owner: privateKeyToAddress(generatePrivateKey()),
      chains: [{ chain_id: 8453, rpc_url: 'http://127.0.0.1:9', operator: { env: 'OPERATOR' } }],
    }),
  )
})
beforeEach(() => void (output.length = 0))
afterAll(async () => {
  await prices?.close()
  rmSync(folder, { recursive: true })
})

test('default: prints the price of every token and fiat unit once, and what each source says', async () => {
  prices.known.set('mxn', { usd: '0.054945054945054945054945054945054945', ageMs: 120_000 })
  await check()
  expect(output.map((line) => line.split(' ')[0])).toEqual(['usdc', 'eth', 'dai', 'eur', 'mxn', 'brl', 'gbp', 'cop'])
  expect(output[1]).toMatch(/^eth {4}2500 +service 2500 \(\d s old\)$/)
  expect(output[4]).toMatch(/^mxn {4}0\.054945054 +service 0\.054945054 \(1[12]\d s old\)$/)
})

test('error: fails where the service would have no price, and says why', async () => {
  prices.known.set('dai', { usd: '1', ageMs: 61_000 })
  prices.known.delete('cop')
  await expect(check()).rejects.toThrow('There is no price for dai, cop')
  expect(output[2]).toMatch(/^dai {4}none +service 1 \(6\d s old, stale\)$/)
  expect(output.at(-1)).toMatch(/^cop {4}none +service does not have it$/)
})

test('error: a source that does not answer is distinguished from one that has no such price', async () => {
  await expect(check({ PRICES_URL: 'http://127.0.0.1:9/' })).rejects.toThrow('There is no price')
  expect(output[0]).toMatch(/^usdc +none +service does not answer$/)
})

test('error: a configuration with which the service would not start is named', async () => {
  await expect(check({ PRICES_SINGLE_SOURCE: '' })).rejects.toThrow('PRICES_SINGLE_SOURCE must be true')
})
