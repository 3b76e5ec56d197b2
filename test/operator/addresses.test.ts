import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { DepositAsk } from '../../server/chains/chain.ts'
import { addressPool } from '../../server/chains/solana/address-pool.ts'
import { deriveKey } from '../../server/chains/solana/derive-key.ts'
import { addressOfKey, createSolanaSigner } from '../../server/chains/solana/signer.ts'
import { addresses } from '../../server/operator/addresses.ts'
import { solanaConfig, solanaEntry, solanaEnv } from '../chains/solana/support.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'

/** Whoever has the seed and this list can take what lies at the addresses of orders, with an ordinary wallet. */

let database: TestDatabase
let folder: string
beforeAll(async () => {
  database = await createDatabase()
  folder = mkdtempSync(join(tmpdir(), 'till-addresses-'))
})
afterAll(async () => {
  await database?.drop()
  rmSync(folder, { recursive: true, force: true })
})

async function run(args: readonly string[]): Promise<readonly string[]> {
  const table = join(folder, 'chains.json')
  writeFileSync(table, JSON.stringify({ chains: [solanaEntry()] }))
  const said: string[] = []
  await addresses.run(args, { ...solanaEnv, TILL_CHAINS: table, DATABASE_URL: database.url }, (line) => said.push(line))
  return said
}

const chain = ['--chain', '30000000000001']

test('default: each order of Solana has a line with its address and the path from which a seed’s wallet derives the key', async () => {
  expect(await run(chain)).toEqual([])
  const { keys } = solanaConfig()
  const pool = addressPool({ signer: createSolanaSigner(keys), size: 5 })
  await pool.fill(database.sql, AbortSignal.timeout(60_000))
  for (const orderId of ['ord_b', 'ord_a']) await database.sql.begin((tx) => pool.reserve(tx as never, { orderId } as DepositAsk))
  const other = addressPool({ signer: createSolanaSigner({ ...keys, seed: Buffer.alloc(32, 7) } as typeof keys), size: 1 })
  await other.fill(database.sql, AbortSignal.timeout(60_000))
  await database.sql.begin((tx) => other.reserve(tx as never, { orderId: 'ord_of_another_seed' } as DepositAsk))

  const lines = await run(chain)
  if (keys.kind !== 'local') throw new Error('the test has the seed')
  const addressOf = (index: number) => addressOfKey(deriveKey(keys.seed, index))
  expect(lines).toEqual([`${addressOf(1)}  ord_b  m/44'/501'/1'/0'`, `${addressOf(2)}  ord_a  m/44'/501'/2'/0'`])
})

test('error: another chain, and descriptors of Solana, are refused before anything is read', async () => {
  await expect(run(['--chain', '8453'])).rejects.toThrow('--chain names a Bitcoin or Solana chain of TILL_CHAINS, not "8453".')
  await expect(run([])).rejects.toThrow('not ""')
  await expect(run([...chain, '--descriptors'])).rejects.toThrow('--descriptors needs a Bitcoin chain.')
})
