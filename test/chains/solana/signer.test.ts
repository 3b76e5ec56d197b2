import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type Blockhash, getBase64EncodedWireTransaction, getTransactionDecoder, type Transaction } from '@solana/kit'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { buildTransaction } from '../../../server/chains/solana/payouts/build-transaction.ts'
import { addressOfKey, createSolanaSigner } from '../../../server/chains/solana/signer.ts'

const signal = AbortSignal.timeout(60_000)
const hash = (text: string) => createHash('sha256').update(text).digest()
const [seed, operatorKey] = [hash('seed'), hash('operator')]
const operator = addressOfKey(operatorKey)
const local = createSolanaSigner({ kind: 'local', seed, operatorKey })

async function unsignedOf(index: number, amount = 5n): Promise<Transaction> {
  const [deposit] = await local.addresses(index, 1, signal)
  const lifetime = { blockhash: operator as string as Blockhash, lastValidBlockHeight: 10 }
  const legs = [{ index: 0, to: addressOfKey(hash('shop')), amount, isOpened: false, isNoted: false }]
  const part = { operator, deposit: deposit!, legs, note: '', isClosed: false }
  return (await buildTransaction(part, lifetime, { units: 1_000, unitPrice: 1n })).unsigned
}

test('default: the operator and the order’s key sign, and nobody else', async () => {
  const unsigned = await unsignedOf(7)
  const signed = await local.sign(unsigned, [7], signal)
  const [deposit] = await local.addresses(7, 1, signal)
  expect(Object.keys(signed.signatures).sort()).toEqual([operator, deposit!].sort())
  expect(Object.values(signed.signatures).every((signature) => signature?.length === 64)).toBe(true)
})

test('error: a key that is not the order’s does not sign for it', async () => {
  await expect(local.sign(await unsignedOf(7), [8], signal)).rejects.toMatchObject({ code: 'remote_signer' })
})

describe('a signer in another service', () => {
  /** Answers in place of the honest signer. */
  let answer: ((method: string, params: readonly unknown[]) => unknown) | undefined
  let asked: unknown[]
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { method, params } = JSON.parse(Buffer.concat(chunks).toString()) as { method: string; params: [never, never] }
      asked.push([method, params])
      void honest(method, params).then((result) => response.end(JSON.stringify({ result: answer ? answer(method, params) : result })))
    })
  })
  async function honest(method: string, [first, second]: readonly [never, never]): Promise<unknown> {
    if (method === 'getAddresses') return local.addresses(first, second, signal)
    return getBase64EncodedWireTransaction(await local.sign(getTransactionDecoder().decode(Buffer.from(first, 'base64')), second, signal))
  }
  const remote = () =>
    createSolanaSigner({ kind: 'remote', url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, operator, first: local.first })

  beforeAll(() => new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve)))
  afterAll(() => server.close())
  beforeEach(() => {
    answer = undefined
    asked = []
  })

  test('default: it makes addresses and signs, and has the same result as the key', async () => {
    expect(await remote().addresses(3, 4, signal)).toEqual(await local.addresses(3, 4, signal))
    const unsigned = await unsignedOf(4)
    const [theirs, ours] = [await remote().sign(unsigned, [4], signal), await local.sign(unsigned, [4], signal)]
    expect(getBase64EncodedWireTransaction(theirs)).toBe(getBase64EncodedWireTransaction(ours))
    expect(asked).toEqual([
      ['getAddresses', [3, 4]],
      ['signTransaction', [getBase64EncodedWireTransaction(unsigned), [4]]],
    ])
  })

  test.each([
    [
      'another transaction',
      async () => getBase64EncodedWireTransaction(await local.sign(await unsignedOf(4, 6n), [4], signal)),
      /different/,
    ],
    ['no signature', async () => getBase64EncodedWireTransaction(await unsignedOf(4)), /has not signed/],
    ['a wrong signature', async () => forged(await local.sign(await unsignedOf(4), [4], signal)), /has not signed/],
    ['what is no transaction', async () => Buffer.from('nothing').toString('base64'), /not a transaction/],
    ['what is no text', async () => 5, /no result/],
  ])('error: %s is refused', async (_, make, message) => {
    const made = await make()
    answer = () => made
    await expect(remote().sign(await unsignedOf(4), [4], signal)).rejects.toThrow(message)
  })

  test('error: too few addresses, the same twice, and what is no address are refused', async () => {
    const [one] = await local.addresses(1, 1, signal)
    for (const given of [[one], [one, one], ['one', 'two'], undefined]) {
      answer = () => given
      await expect(remote().addresses(1, 2, signal)).rejects.toMatchObject({ code: 'remote_signer' })
    }
  })
})

const forged = (signed: Transaction): string =>
  getBase64EncodedWireTransaction({
    ...signed,
    signatures: Object.fromEntries(Object.keys(signed.signatures).map((key) => [key, new Uint8Array(randomBytes(64))])) as never,
  })
