import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { execFileSync } from 'node:child_process'
import fc from 'fast-check'
import { pad, type Hex } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { releaseOtherCall, settleCall } from '../../server/chains/evm/factory-calls.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { codeCall } from '../../server/chains/evm/rpc-calls.ts'
import { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { termsAddress, termsHash } from '../../src/wire/terms/terms-hash.ts'
import { full, seed } from '../support/full.ts'
import { root } from '../support/root.ts'
import { abi, chainId, startFactoryBench, type FactoryBench } from './factory-support.ts'
import { operator, owner, signal } from './support.ts'
import { randomTerms } from './terms-arbitrary.ts'

interface Vector {
  readonly terms: OrderTerms
  readonly hash: string
  readonly address: string
}

const script = join(root, 'test/chains/terms-by-the-book.mjs')
const vectors = JSON.parse(readFileSync(join(root, 'test/chains/terms-vectors.json'), 'utf8')) as Vector[]
const byTheBook = (all: readonly OrderTerms[]) =>
  execFileSync(process.execPath, [script], { input: JSON.stringify(all), encoding: 'utf8' })
    .trim()
    .split('\n')
    .map((line) => line.split(' '))

let bench: FactoryBench
beforeAll(async () => {
  bench = await startFactoryBench()
})
afterAll(() => bench?.setup.stop())

/** Settles nothing, so that the contract's event tells the hash that it computed. */
async function hashOnChain(terms: OrderTerms): Promise<unknown> {
  const { token } = terms.settlements.find((each) => each.chain_id === chainId)!
  const sent = await bench.send(settleCall({ terms, chainId, token, toRecipient: 0n, fee: 0n }), operator, { gas: 600_000n })
  return sent.ok ? sent.events[0]![1].terms : sent.error
}

test('default: our code gives the hashes and addresses of the published vectors', () => {
  expect(vectors).toHaveLength(20)
  for (const { terms, hash, address } of vectors) {
    expect(OrderTerms.parse(terms)).toEqual(terms)
    expect([`0x${termsHash(terms)}`, termsAddress(terms)]).toEqual([hash, address])
  }
})

test('behavior: so does a verifier that was written from docs/terms.md alone', () => {
  expect(byTheBook(vectors.map(({ terms }) => terms))).toEqual(vectors.map(({ hash, address }) => [hash, address]))
})

test('behavior: so does the contract, of every vector with a settlement on its chain', async () => {
  const ours = vectors.filter(({ terms }) => terms.settlements.some((each) => each.chain_id === chainId))
  expect(ours.length).toBeGreaterThan(10)
  const { factory } = ours[0]!.terms
  // The factory has no immutables, so its code works at any address.
  await bench.setup.anvil.ask(
    ['anvil_setCode', factory, TillFactory.deployedBytecode],
    ['anvil_setStorageAt', factory, '0x0', pad(owner.address as Hex)],
  )
  await bench.send(bench.call('setOperator', [operator.address, true], { address: factory, abi }), owner)
  for (const { terms, hash, address } of ours) {
    expect(terms.factory).toBe(factory)
    expect(await hashOnChain(terms)).toBe(hash)
    expect((await bench.setup.chain.rpc.read(signal, codeCall(address)))[0]).toHaveLength(2 + 2 * 56)
  }
})

test('property: contract, our code and the second verifier agree on random terms, by path and by the whole list', async () => {
  const seen: OrderTerms[] = []
  await fc.assert(
    fc.asyncProperty(randomTerms({ factory: bench.factory, chainId }), async (terms) => {
      seen.push(terms)
      const hash = `0x${termsHash(terms)}`
      expect(await hashOnChain(terms)).toBe(hash)
      expect((await bench.read<string>('addressOf', [hash])).toLowerCase()).toBe(termsAddress(terms))
      // The whole list gives the same root: its first recipient finds the coin that lies at that address.
      const first = terms.settlements.find((each) => each.chain_id === chainId && each.first_of_chain)!
      const token = terms.settlements.some((each) => each.chain_id === chainId && each.token === null) ? bench.setup.token('USDC') : null
      const released = { ...terms, release_at: 1 }
      await bench.give(termsAddress(released), token, 5n)
      await bench.setup.anvil.ask(['anvil_setBalance', first.recipient, '0xde0b6b3a7640000'])
      expect(await bench.send(releaseOtherCall(released, token), { address: first.recipient }, { gas: 600_000n })).toMatchObject({
        ok: true,
        events: [['Paid', { terms: `0x${termsHash(released)}`, amount: 5n }]],
      })
    }),
    { numRuns: full ? 1_000 : 40, seed },
  )
  expect(byTheBook(seen)).toEqual(seen.map((terms) => [`0x${termsHash(terms)}`, termsAddress(terms)]))
})
