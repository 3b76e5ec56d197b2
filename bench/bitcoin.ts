import { buildTransaction, type Part } from '../server/chains/bitcoin/payouts/build-transaction.ts'
import { orderScript } from '../server/chains/bitcoin/order-script.ts'
import { createBitcoinSigner } from '../server/chains/bitcoin/signer.ts'
import { testAccount, testConfig } from '../test/chains/bitcoin/support.ts'
import { keyHashAccount, spend } from '../test/support/wallets/bitcoin-wallet.ts'
import type { Figure } from './figures.ts'
import type { Fixture } from './fixture.ts'
import { mempoolFigures } from './mempool.ts'

export const bitcoinFigures = async (fixture: Fixture): Promise<Figure[]> => [...(await sizeFigures()), ...(await mempoolFigures(fixture))]

/** Measures how large the settlement of an order is. The merchant, and the collector of fees, have addresses of the kind that exchanges and wallets give out. */
async function sizeFigures(): Promise<Figure[]> {
  const payer = keyHashAccount('payer')
  const coin = { owner: payer, txid: 'ab'.repeat(32), vout: 0, amount: 100_000n }
  const plain = spend([coin], {
    outputs: [
      [keyHashAccount('merchant').address, 50_000n],
      [payer.address, 49_000n],
    ],
  }).vsize
  const by = 'a wallet’s own payment, with change'
  const [alone, ten] = [await sizeOf(1), await sizeOf(10)]
  return [
    { what: 'a settled order in bitcoin, alone', unit: 'vB', till: alone, plain, by },
    { what: '… in a transaction of ten', unit: 'vB', till: ten / 10, plain, by },
  ]
}

async function sizeOf(orders: number): Promise<number> {
  const parts = Array.from({ length: orders }, (_, index) => partOf(`order-${index}`, index))
  const built = buildTransaction(parts, { wanted: 2_000n, least: 1_000n })
  if ('why' in built) throw new Error(`a settlement cannot be built: ${built.why}`)
  const signed = await createBitcoinSigner(testConfig.account).sign(built.unsigned, built.orderIds, AbortSignal.timeout(60_000))
  return signed.vsize
}

const scriptOf = (name: string): Uint8Array => keyHashAccount(name).script

const partOf = (orderId: string, index: number): Part => ({
  payoutId: orderId,
  orderId,
  script: orderScript(testAccount, orderId, 'local').script,
  coins: [{ txid: index.toString(16).padStart(64, '0'), vout: 0, amount: 100_000n }],
  legs: [
    { script: scriptOf('merchant'), amount: 98_000n, paysNetwork: false },
    { script: scriptOf('collector'), amount: 2_000n, paysNetwork: true },
  ],
})
