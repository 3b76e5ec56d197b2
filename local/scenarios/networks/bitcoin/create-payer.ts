import { setTimeout as sleep } from 'node:timers/promises'
import * as btc from '@scure/btc-signer'
import { pubECDSA, randomPrivateKeyBytes } from '@scure/btc-signer/utils.js'
import * as z from 'zod'
import type { LocalBitcoin } from '../../../bitcoin/start-local-bitcoin.ts'
import { regtest } from '../../../bitcoin/script.ts'
import { CannotPlay } from '../../cannot-play.ts'
import type { Payer } from '../network.ts'

/** The payer keeps this much for fees, and a rest that is more than dust. */
const reserve = 20_000n
const fees = { usual: 600n, higher: 6_000n }

/** Creates a wallet with one coin, which pays once and can replace that payment while it waits for a block. */
export async function createPayer({ rpc, faucet, mutex }: LocalBitcoin, amount: bigint): Promise<Payer> {
  const key = randomPrivateKeyBytes()
  const payment = btc.p2wpkh(pubECDSA(key), regtest)
  const address = payment.address!
  const held = amount + reserve
  // The faucet may mine a block, so it waits while a scenario mines by hand.
  const txid = await mutex(() => faucet.pay(address, held))
  await waitUntilMined(rpc, txid)
  const send = async (to: string, fee: bigint): Promise<string> => {
    const transaction = new btc.Transaction()
    transaction.addInput({ txid, index: 0, sequence: 0xfffffffd, witnessUtxo: { script: payment.script, amount: held } })
    transaction.addOutputAddress(to, amount, regtest)
    transaction.addOutputAddress(address, held - amount - fee, regtest)
    transaction.sign(key)
    transaction.finalize()
    return rpc.call('sendrawtransaction', [transaction.hex], z.string())
  }
  return { address, send: (to) => send(to, fees.usual), replace: (to) => send(to, fees.higher) }
}

const timeoutMs = 60_000
const intervalMs = 100
const Coin = z.object({ confirmations: z.number() }).nullable()

/** Resolves once the faucet's payment, whose first output is the payer's, is in a block. */
async function waitUntilMined(rpc: LocalBitcoin['rpc'], txid: string): Promise<void> {
  for (let waited = 0; waited < timeoutMs; waited += intervalMs) {
    if (await rpc.call('gettxout', [txid, 0, false], Coin)) return
    await sleep(intervalMs)
  }
  throw new CannotPlay(`The transaction ${txid} did not go through.`)
}
