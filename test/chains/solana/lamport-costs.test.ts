import { address } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Chain, CostOf } from '../../../server/chains/chain.ts'
import { lamportCosts } from '../../../server/chains/solana/lamport-costs.ts'
import { TOKEN_2022_PROGRAM_ADDRESS } from '../../../server/chains/solana/mints.ts'
import { solanaFacts } from '../../../server/chains/presets/solana.ts'
import { type SolanaSends, startSolanaSends } from '../../outgoing/solana-support.ts'
import { solanaWallets } from '../../support/wallets/solana-wallet.ts'
import { startSolanaNode } from '../../../local/solana/start-solana-node.ts'

/** What payouts and payments cost on the real runtime, compared with what is planned for them. */

/**
 * In millionths of a lamport for each compute unit: the least that the service offers, what recent blocks ask for when many want to be in them, and the
 * most that it offers.
 */
const unitPrices = [10_000n, 200_000n, 2_000_000n]
const token2022 = { program: TOKEN_2022_PROGRAM_ADDRESS, extensions: ['metadataPointer'] } as const

/** A plan that is too low loses money, and one that is far too high takes it from the payer. */
function expectPlanned({ cost }: Pick<Chain, 'cost'>, what: CostOf, token: string | null, unitPrice: bigint, measured: bigint): void {
  const planned = cost(what, { address: token }, unitPrice)
  expect(planned).toBeGreaterThanOrEqual(measured)
  expect(planned).toBeLessThanOrEqual(2n * measured)
}

describe.each(unitPrices)('%s millionths of a lamport for a compute unit', (unitPrice) => {
  const kinds = [
    { name: 'coins', kind: {}, isCoin: true, amount: 1_000_000_000n },
    { name: 'a token', kind: {}, isCoin: false, amount: 50_000_000n },
    { name: 'a token of Token-2022', kind: token2022, isCoin: false, amount: 50_000_000n },
  ] as const

  describe.each(kinds)('$name', ({ name, kind, isCoin, amount }) => {
    let sends: SolanaSends
    let token: string | null
    let costs: ReturnType<typeof lamportCosts>
    beforeAll(async () => {
      sends = await startSolanaSends({ least: unitPrice, most: unitPrice }, kind)
      token = isCoin ? null : sends.solana.mint
      costs = lamportCosts(sends.solana.tokens)
    })
    afterAll(() => sends?.close())

    /** Pays two legs to those who have accounts or have not, and leaves what is more than both. */
    async function measured(receivers: readonly [string, string], part: bigint) {
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

    test('default: a settlement costs no more than is planned, and no less than half', async () => {
      const payees = [sends.solana.newAddress(), sends.solana.newAddress()] as const
      // They have had their first order.
      await measured(payees, amount)
      const { fee, units } = await measured(payees, amount)
      console.log(`A settlement in ${name} costs ${fee} lamports at ${unitPrice}, and uses ${units} compute units.`)
      expectPlanned(costs, 'settle', token, unitPrice, fee)
      expect(costs.settlementGas({ address: token })).toBeGreaterThanOrEqual(units)
    })

    test('default: a refund costs what is planned, also the account of the payer', async () => {
      const { newAddress } = sends.solana
      const collector = newAddress()
      await measured([newAddress(), collector], amount)
      // The rest of the money stays, and with it the rent of the deposit address.
      const { paid } = await measured([newAddress(), collector], amount / 2n)
      expectPlanned(costs, 'refund', token, unitPrice, paid)
    })
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
    const costs = lamportCosts([])
    expectPlanned(costs, 'receive', null, 0n, inCoins)
    expectPlanned(costs, 'receive', mint, 0n, inToken)
  } finally {
    await node.stop()
  }
})
