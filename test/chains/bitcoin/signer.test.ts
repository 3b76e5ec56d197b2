import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import * as btc from '@scure/btc-signer'
import { afterEach, describe, expect, test } from 'vitest'
import * as z from 'zod'
import { HDKey } from '@scure/bip32'
import { orderScript } from '../../../server/chains/bitcoin/order-script.ts'
import { orderKey } from '../../../server/chains/bitcoin/order-key.ts'
import { createBitcoinSigner } from '../../../server/chains/bitcoin/signer.ts'
import { keyHashAccount } from '../../support/wallets/bitcoin-wallet.ts'
import { bitcoinConfig, testAccount } from './support.ts'

const signal = new AbortController().signal
const publicKey = testAccount.publicExtendedKey
const merchant = keyHashAccount('merchant').script

function unsignedOf(...orderIds: string[]): btc.Transaction {
  const transaction = new btc.Transaction()
  for (const [index, orderId] of orderIds.entries()) {
    const { script } = orderScript(testAccount, orderId, 'local')
    transaction.addInput({ txid: 'ab'.repeat(32), index, witnessUtxo: { script, amount: 10_000n } })
  }
  transaction.addOutput({ script: merchant, amount: 9_000n })
  return transaction
}

let server: Server | undefined
afterEach(() => void server?.close())

/** A signer of its own that finds the keys by the paths in the PSBT, as a hardware security module would. */
async function remote(change: (psbt: btc.Transaction) => string = (psbt) => Buffer.from(psbt.toPSBT(0)).toString('base64')) {
  const Ask = z.object({ method: z.literal('walletprocesspsbt'), params: z.tuple([z.string()]) })
  server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { params } = Ask.parse(JSON.parse(Buffer.concat(chunks).toString()))
      const psbt = btc.Transaction.fromPSBT(Buffer.from(params[0], 'base64'))
      for (let input = 0; input < psbt.inputsLength; input++) {
        const [, { fingerprint, path }] = psbt.getInput(input).bip32Derivation![0]!
        expect(fingerprint).toBe(testAccount.fingerprint)
        psbt.signIdx(path.reduce((key, index) => key.deriveChild(index), testAccount).privateKey!, input)
      }
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result: { psbt: change(psbt), complete: true } }))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.number() }).parse(server.address())
  const { account } = bitcoinConfig({ account: { remote_signer_url: `http://127.0.0.1:${port}`, xpub: publicKey } })
  expect(account.key.privateKey).toBeNull()
  return createBitcoinSigner(account)
}

describe('the signer of orders’ coins', () => {
  test('default: a local key and a remote one sign the same transaction, each input with its order’s key', async () => {
    const unsigned = unsignedOf('a', 'b', 'a')
    const orders = ['a', 'b', 'a']
    const [here, there] = [
      await createBitcoinSigner(bitcoinConfig().account).sign(unsigned, orders, signal),
      await (await remote()).sign(unsigned, orders, signal),
    ]
    expect(there.id).toBe(here.id)
    expect(Buffer.from(there.hex)).toEqual(Buffer.from(here.hex))
  })

  test('error: what the signer has changed, not signed or signed with another key is not broadcast', async () => {
    const psbtOf = (transaction: btc.Transaction) => Buffer.from(transaction.toPSBT(0)).toString('base64')
    const stranger = HDKey.fromMasterSeed(new Uint8Array(32).fill(7))
    const elsewhere = (psbt: btc.Transaction) => {
      const other = new btc.Transaction()
      const { txid, index, witnessUtxo } = psbt.getInput(0)
      other.addInput({ txid, index, witnessUtxo })
      other.addOutput({ script: keyHashAccount('thief').script, amount: 9_000n })
      other.signIdx(orderKey(testAccount, 'a').privateKey!, 0)
      return psbtOf(other)
    }
    const cases: readonly [(psbt: btc.Transaction) => string, RegExp][] = [
      [elsewhere, /different transaction/],
      [() => psbtOf(unsignedOf('a')), /has not signed input 0/],
      [
        (psbt) => {
          const signature = psbt.getInput(0).partialSig![0]![1]
          const foreign = unsignedOf('a')
          foreign.updateInput(0, { partialSig: [[stranger.publicKey!, signature]] })
          return psbtOf(foreign)
        },
        /has not signed input 0/,
      ],
      [() => 'bm8gcHNidA==', /./],
    ]
    for (const [change, message] of cases) {
      await expect((await remote(change)).sign(unsignedOf('a'), ['a'], signal)).rejects.toThrow(message)
      server?.close()
    }
  })
})
