import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { json } from 'node:stream/consumers'
import { parseTransaction, recoverTransactionAddress, type TransactionSerializedEIP1559 } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { localSigner, remoteSigner, type Signer, type UnsignedTransaction } from '../../server/chains/evm/signer.ts'
import { alice, bob, signal } from './support.ts'

const transaction: UnsignedTransaction = {
  chainId: 8453,
  nonce: 0,
  to: bob.address,
  data: '0xABCDEF01',
  value: 0n,
  gas: 21_000n,
  maxFeePerGas: 2_000_000_000n,
  maxPriorityFeePerGas: 0n,
}

let url: string
let stop: () => void
/** Lets each test change what the remote signing service returns. */
interface KeyService {
  change(requested: UnsignedTransaction): UnsignedTransaction
  wrap(raw: string): unknown
  key: typeof alice.private_key
}
let service: KeyService
beforeEach(() => {
  service = { change: (requested) => requested, wrap: (raw) => raw, key: alice.private_key }
})

beforeAll(async () => {
  const server = createServer(async (request, response) => {
    const { id, method, params } = (await json(request)) as { id: number; method: string; params: [Record<string, string>] }
    expect(method).toBe('eth_signTransaction')
    const { chainId, nonce, to, data, value, gas, maxFeePerGas, maxPriorityFeePerGas } = params[0]
    const requested = {
      chainId: Number(chainId),
      nonce: Number(nonce),
      to: to!,
      data: data!,
      value: BigInt(value!),
      gas: BigInt(gas!),
      maxFeePerGas: BigInt(maxFeePerGas!),
      maxPriorityFeePerGas: BigInt(maxPriorityFeePerGas!),
    }
    const result = service.wrap(await localSigner(service.key).sign(service.change(requested), signal))
    response.end(JSON.stringify({ jsonrpc: '2.0', id, result }))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  stop = () => {
    server.closeAllConnections()
    server.close()
  }
})
afterAll(() => stop?.())

function signerContract(name: string, create: () => Signer): void {
  describe(`signer contract: ${name}`, () => {
    test('behavior: signs the given transaction with its stated account', async () => {
      const signer = create()
      expect(signer.address).toBe(alice.address)
      for (const given of [transaction, { ...transaction, nonce: 300, value: 10n ** 18n, maxPriorityFeePerGas: 1n }]) {
        const raw = (await signer.sign(given, signal)) as TransactionSerializedEIP1559
        expect((await recoverTransactionAddress({ serializedTransaction: raw })).toLowerCase()).toBe(alice.address)
        const { to, value = 0n, nonce = 0, gas, chainId } = parseTransaction(raw)
        expect({ to: to?.toLowerCase(), value, nonce, gas, chainId }).toEqual({
          to: given.to,
          value: given.value,
          nonce: given.nonce,
          gas: given.gas,
          chainId: 8453,
        })
      }
    })

    test('behavior: signs the same bytes each time', async () => {
      expect(await create().sign(transaction, signal)).toBe(await create().sign(transaction, signal))
    })
  })
}

signerContract('local key', () => localSigner(alice.private_key))
signerContract('remote signer', () => remoteSigner(8453, url, alice.address))

describe('remote signer', () => {
  const remote = () => remoteSigner(8453, url, alice.address)

  test('behavior: also accepts the answer format of Geth and Clef', async () => {
    service.wrap = (raw) => ({ raw, tx: {} })
    expect(await remote().sign(transaction, signal)).toMatch(/^0x02/)
  })

  test.each<[string, Partial<UnsignedTransaction>]>([
    ['recipient', { to: alice.address }],
    ['value', { value: 1n }],
    ['nonce', { nonce: 1 }],
    ['data', { data: '0x' }],
    ['fee', { maxFeePerGas: 9n * 10n ** 9n }],
    ['chain', { chainId: 1 }],
  ])('error: a signed transaction with another %s is refused', async (_, over) => {
    service.change = (requested) => ({ ...requested, ...over })
    await expect(remote().sign(transaction, signal)).rejects.toMatchObject({ code: 'remote_signer' })
  })

  test('error: a transaction signed by another account is refused', async () => {
    service.key = bob.private_key
    await expect(remote().sign(transaction, signal)).rejects.toThrow(/signed as/)
  })
})
