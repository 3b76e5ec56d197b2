import * as fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type Built, buildTransaction, type Part } from '../../../server/chains/bitcoin/payouts/build-transaction.ts'
import { orderScript } from '../../../server/chains/bitcoin/order-script.ts'
import { dustOf } from '../../../server/chains/bitcoin/dust.ts'
import { createBitcoinSigner } from '../../../server/chains/bitcoin/signer.ts'
import { testAccount, testConfig } from './support.ts'
import { keyHashAccount, taprootAccount } from '../../support/wallets/bitcoin-wallet.ts'

const account = testAccount
const merchant = taprootAccount('merchant').script
const collector = keyHashAccount('collector').script
const rates = { wanted: 2_000n, least: 1_000n }
const signal = new AbortController().signal

const scriptOfOrder = (orderId: string) => orderScript(account, orderId, 'local').script
const txidOf = (index: number) => index.toString(16).padStart(64, '0')

function partOf(index: number, amounts: readonly bigint[], recipient: bigint, fee: bigint): Part {
  const [first = 0n, ...others] = amounts
  const coin = (amount: bigint, vout: number) => ({ txid: txidOf(index + 1), vout, amount })
  return {
    payoutId: `p${index}`,
    orderId: `o${index}`,
    script: scriptOfOrder(`o${index}`),
    coins: [coin(first, 0), ...others.map((amount, i) => coin(amount, i + 1))],
    legs: [
      { script: merchant, amount: recipient, paysNetwork: false },
      { script: collector, amount: fee, paysNetwork: true },
    ],
  }
}

function built(parts: readonly Part[], given = rates, leastFee = 0n): Built {
  const result = buildTransaction(parts, given, leastFee)
  if ('why' in result) throw new Error(result.why)
  return result
}

const outputsOf = ({ unsigned }: Built) =>
  Array.from({ length: unsigned.outputsLength }, (_, i) => {
    const { script, amount } = unsigned.getOutput(i)
    return { script: Buffer.from(script ?? []).toString('hex'), amount: amount ?? 0n }
  })
const paidTo = (transaction: Built, script: Uint8Array) =>
  outputsOf(transaction).reduce(
    (total, output) => (output.script === Buffer.from(script).toString('hex') ? total + output.amount : total),
    0n,
  )

describe('transactions that pay for themselves', () => {
  test('default: the recipient gets all that is due, the fee collector what the network leaves, and a surplus stays at the address', () => {
    const transaction = built([partOf(0, [150_000n], 120_000n, 2_000n)])
    expect(paidTo(transaction, merchant)).toBe(120_000n)
    expect(paidTo(transaction, scriptOfOrder('o0'))).toBe(28_000n)
    expect(paidTo(transaction, collector)).toBe(2_000n - transaction.fee)
    expect(transaction.shares).toEqual([{ payoutId: 'p0', fee: transaction.fee }])
    expect(transaction.fee).toBe((transaction.vsize * rates.wanted) / 1000n)
  })

  test('behavior: what is left for the fee collector goes to the network if it is dust', () => {
    const transaction = built([partOf(0, [100_000n], 99_500n, 500n)])
    expect(paidTo(transaction, collector)).toBe(0n)
    expect(transaction.shares).toEqual([{ payoutId: 'p0', fee: 500n }])
  })

  test('behavior: what is left of the coins goes to the network if it is dust, before the fee leg does', () => {
    const transaction = built([partOf(0, [100_200n], 97_000n, 3_000n)])
    expect(paidTo(transaction, scriptOfOrder('o0'))).toBe(0n)
    expect(paidTo(transaction, collector)).toBe(3_200n - transaction.fee)
  })

  test('behavior: ten orders of one merchant share two outputs and cost less than 80 virtual bytes each', () => {
    const alone = built([partOf(0, [100_000n], 98_000n, 2_000n)])
    const ten = built(Array.from({ length: 10 }, (_, i) => partOf(i, [100_000n], 98_000n, 2_000n)))
    expect(outputsOf(ten)).toHaveLength(2)
    expect(ten.vsize / 10n).toBeLessThan(80n)
    expect(alone.vsize).toBeLessThan(160n)
  })

  test('error: a fee that the legs cannot pay, and a leg that is dust, are named', () => {
    expect(buildTransaction([partOf(0, [100_000n], 99_900n, 100n)], rates)).toMatchObject({ why: 'fee', available: 100n })
    expect(buildTransaction([partOf(0, [100_000n], 300n, 2_000n)], rates)).toEqual({ why: 'dust', payoutId: 'p0', amount: 300n })
    expect(buildTransaction([partOf(0, [100_000n], 98_000n, 2_000n)], rates, 2_001n)).toMatchObject({ why: 'fee', needed: 2_001n })
  })

  const amount = fc.bigInt({ min: 1n, max: 10n ** 7n })
  const someParts = fc.array(
    fc.record({ coins: fc.array(amount, { minLength: 1, maxLength: 4 }), fee: fc.bigInt({ min: 0n, max: 20_000n }), share: fc.nat(100) }),
    { minLength: 1, maxLength: 6 },
  )

  test('property: nothing is lost, nobody gets less than is due, no output is dust, and the signed transaction is no larger than planned', async () => {
    await fc.assert(
      fc.asyncProperty(someParts, fc.bigInt({ min: 1_000n, max: 50_000n }), async (given, wanted) => {
        const parts = given.flatMap(({ coins, fee, share }, i) => {
          const total = coins.reduce((sum, coin) => sum + coin, 0n)
          const recipient = ((total - fee) * BigInt(share)) / 100n
          return recipient > 0n ? [partOf(i, coins, recipient, fee)] : []
        })
        fc.pre(parts.length > 0)
        const result = buildTransaction(parts, { wanted, least: 1_000n })
        if ('why' in result) return
        const inputs = parts.flatMap(({ coins }) => coins).reduce((sum, coin) => sum + coin.amount, 0n)
        const outputs = outputsOf(result)
        expect(outputs.reduce((sum, output) => sum + output.amount, 0n)).toBe(inputs - result.fee)
        expect(paidTo(result, merchant)).toBe(parts.reduce((sum, { legs }) => sum + legs[0]!.amount, 0n))
        for (const { script, amount: paid } of outputs) expect(paid).toBeGreaterThanOrEqual(dustOf(Buffer.from(script, 'hex')))
        expect(result.fee).toBeGreaterThanOrEqual((result.vsize * 1_000n) / 1000n)
        const most = new Map(parts.map(({ payoutId, legs: [, feeLeg], script }) => [payoutId, feeLeg!.amount + dustOf(script)]))
        for (const { payoutId, fee } of result.shares) expect(fee).toBeLessThan(most.get(payoutId)!)
        expect(result.shares.reduce((sum, { fee }) => sum + fee, 0n)).toBe(result.fee)
        const signed = await createBitcoinSigner(testConfig.account).sign(result.unsigned, result.orderIds, signal)
        expect(BigInt(signed.vsize)).toBeLessThanOrEqual(result.vsize)
        expect(signed.fee).toBe(result.fee)
      }),
      { numRuns: 60 },
    )
  })
})
