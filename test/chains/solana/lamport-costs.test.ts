import { address } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { CostOf } from '../../../server/chains/chain.ts'
import { lamportCost, settlementUnits } from '../../../server/chains/solana/lamport-costs.ts'
import { solanaFacts } from '../../../server/chains/presets/solana.ts'
import { type SolanaSends, startSolanaSends } from '../../outgoing/solana-support.ts'
import { solanaWallets } from '../../support/wallets/solana-wallet.ts'
import { startSolanaNode } from '../../../local/solana/start-solana-node.ts'

/** What payouts and payments cost on the real runtime, compared with what is planned for them. */

/**
 * In millionths of a lamport for each compute unit: the least that the service offers, and what recent blocks ask for when many want to be in them. A
 * plan has room for compute units, because the derivation of each token account takes a few tries or many.
 */
const unitPrices = [10_000n, 200_000n]

/** A plan that is too low loses money, and one that is far too high takes it from the payer. */
function expectPlanned(what: CostOf, token: string | null, unitPrice: bigint, measured: bigint): void {
  const planned = lamportCost(what, { address: token }, unitPrice)
  expect(planned).toBeGreaterThanOrEqual(measured)
  expect(planned).toBeLessThanOrEqual(2n * measured)
}

describe.each(unitPrices)('%s millionths of a lamport for a compute unit', (unitPrice) => {
  let sends: SolanaSends
  beforeAll(async () => {
    sends = await startSolanaSends({ least: unitPrice, most: unitPrice })
  })
  afterAll(() => sends?.close())

  const assets = [
    { name: 'coins', tokenOf: () => null, amount: 1_000_000_000n },
    { name: 'a token', tokenOf: () => sends.solana.mint, amount: 50_000_000n },
  ] as const

  /** Pays two legs to those who have accounts or have not, and leaves what is more than both. */
  async function measured(token: string | null, amount: bigint, receivers: readonly [string, string], part: bigint) {
    const { orderId } = await sends.orderWith(token, amount)
    const before = sends.lamports(sends.operator)
    const [first, second] = [(part * 9n) / 10n, part / 10n]
    const legs = [
      { to: receivers[0], amount: first },
      { to: receivers[1], amount: second },
    ]
    const outcome = await sends.paid({ orderId, token, legs })
    if (outcome.state !== 'confirmed') throw new Error(`the payout is ${outcome.state}`)
    return { fee: outcome.fee, units: outcome.gasUsed, paid: before - sends.lamports(sends.operator) }
  }

  test.each(assets)('default: a settlement in $name costs no more than is planned, and no less than half', async ({ tokenOf, amount }) => {
    const { newAddress } = sends.solana
    const token = tokenOf()
    const payees = [newAddress(), newAddress()] as const
    // They have had their first order.
    await measured(token, amount, payees, amount)
    const { fee, units } = await measured(token, amount, payees, amount)
    expectPlanned('settle', token, unitPrice, fee)
    expect(settlementUnits({ address: token })).toBeGreaterThanOrEqual(units)
  })

  test.each(assets)('default: a refund in $name costs what is planned, also the account of the payer', async ({ tokenOf, amount }) => {
    const { newAddress } = sends.solana
    const token = tokenOf()
    const collector = newAddress()
    await measured(token, amount, [newAddress(), collector], amount)
    // The rest of the money stays, and with it the rent of the deposit address.
    const { paid } = await measured(token, amount, [newAddress(), collector], amount / 2n)
    expectPlanned('refund', token, unitPrice, paid)
  })
})

test('default: a payment costs what is planned, also the account of the order', async () => {
  const node = await startSolanaNode({ slots: { ms: 20 }, finalAfter: 3 })
  try {
    const wallets = solanaWallets(node.url, node.wsUrl)
    const payer = await wallets.payer()
    const mint = await wallets.createToken(payer, 1_000_000_000n)
    const balance = async () => (await wallets.rpc.getBalance(payer.address, { commitment: 'confirmed' }).send()).value
    const costOf = async (pay: () => Promise<unknown>, amount = 0n) => {
      const before = await balance()
      await pay()
      return before - (await balance()) - amount
    }
    const deposit = async () => address((await wallets.newAccount()).address)
    const coins = 2n * solanaFacts.leastCoins
    const [toCoins, toToken] = [await deposit(), await deposit()]
    const inCoins = await costOf(() => wallets.paySol(payer, toCoins, coins), coins)
    const inToken = await costOf(() => wallets.payToken(payer, mint, toToken, 5n))
    // These wallets offer nothing for compute units.
    expectPlanned('receive', null, 0n, inCoins)
    expectPlanned('receive', mint, 0n, inToken)
  } finally {
    await node.stop()
  }
})
