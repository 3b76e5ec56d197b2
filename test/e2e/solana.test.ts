import { address } from '@solana/kit'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Order } from '../../src/wire/order.ts'
import type { Client } from '../support/client/client.ts'
import { checkout, untilOrder, untilStatus } from '../support/orders/payments.ts'
import type { Service } from '../support/service/service.ts'
import { newAddress, solanaChain, type SolanaStage, startSolanaStage } from '../support/service/solana-stage.ts'

/** Orders that are paid on Solana, on the real runtime against the real service. The payer has only the official client. */

let stage: SolanaStage
let service: Service
beforeAll(async () => {
  stage = await startSolanaStage()
  service = await stage.start()
})
afterAll(async () => {
  await stage?.close()
})

const price = { amount: '42.50', fiat_unit: 'usd' }
/** The least that an account may have. */
const rent = 890_880n
const sol = { chain_id: solanaChain.chain_id, address: null }
const transfersOf = ({ payment }: Order) => payment?.funding?.transactions ?? []

async function booksOf(id: string) {
  const rows = await stage.sql`select account, sum(amount)::text as sum from ledger where order_id = ${id} group by account`
  return Object.fromEntries(rows.map(({ account, sum }) => [account, BigInt(sum)]))
}

/** Creates an order with instructions to pay in coins or in USDC. */
async function orderIn(client: Client, token: 'SOL' | 'USDC', change = {}) {
  const currency = token === 'SOL' ? sol : { chain_id: solanaChain.chain_id, address: stage.usdc }
  return checkout(client, price, { source: currency, ...change })
}

describe('an order that is paid on Solana', () => {
  test('default: USDC is seen when it is confirmed, final a moment later, and settled to the merchant exactly', async () => {
    const { recipient, collector, at } = await stage.merchant()
    const { id, deposit, required, payment } = await orderIn(at(service), 'USDC')
    expect(deposit).toMatch(/^[1-9A-HJ-NP-Za-km-z]{32,44}$/)
    expect(required).toBeGreaterThanOrEqual(42_500_000n)
    const payer = await stage.wallets.payer()
    await stage.giveTokens(payer.address, required)
    const signature = await stage.wallets.payToken(payer, stage.usdc, address(deposit), required)
    const seen = await untilOrder(at(service), id, (order) => transfersOf(order).length === 1)
    expect(transfersOf(seen)).toMatchObject([{ tx_hash: signature, required_confirmations: 32 }])
    const done = await untilStatus(at(service), id, 'COMPLETED')
    const output = BigInt(done.payment!.output!.amount.raw)
    expect(await stage.balance(recipient, stage.usdc)).toBe(output)
    expect(output + (await stage.balance(collector, stage.usdc))).toBe(required)
    expect(payment.estimated_duration_seconds).toBeGreaterThan(12)
    expect((await booksOf(id)).deposit).toBe(0n)
  })

  test('default: SOL is settled to the last lamport, and the operator pays the fee', async () => {
    const { recipient, collector, at } = await stage.merchant()
    await stage.giveCoins(recipient, rent)
    await stage.giveCoins(collector, rent)
    const { id, deposit, required } = await orderIn(at(service), 'SOL')
    const payer = await stage.wallets.payer()
    await stage.wallets.paySol(payer, address(deposit), required)
    const done = await untilStatus(at(service), id, 'COMPLETED')
    const output = BigInt(done.payment!.output!.amount.raw)
    expect(await stage.balance(recipient)).toBe(rent + output)
    expect(await stage.balance(collector)).toBe(rent + required - output)
    expect(await stage.balance(deposit)).toBe(0n)
    const { deposit: left, gas } = await booksOf(id)
    expect(left).toBe(0n)
    expect(gas ?? 0n).toBeGreaterThanOrEqual(0n)
  })

  test('behavior: a partial payment is shown as one, and the remainder completes it, from another wallet too', async () => {
    const { recipient, at } = await stage.merchant()
    const { id, deposit, required } = await orderIn(at(service), 'USDC')
    const pay = async (amount: bigint) => {
      const payer = await stage.wallets.payer()
      await stage.giveTokens(payer.address, amount)
      await stage.wallets.payToken(payer, stage.usdc, address(deposit), amount)
    }
    await pay(required / 2n)
    const part = await untilStatus(at(service), id, 'PARTIAL_PAYMENT')
    const rest = BigInt(part.payment!.funding!.remaining_amount.raw)
    expect(rest).toBe(required - required / 2n)
    await pay(rest)
    const done = await untilStatus(at(service), id, 'COMPLETED')
    expect(await stage.balance(recipient, stage.usdc)).toBe(BigInt(done.payment!.output!.amount.raw))
  })

  test('behavior: too much goes back to the address that the payer gave, less what an account for it costs', async () => {
    const { at } = await stage.merchant()
    const back = newAddress()
    const { id, deposit, required } = await orderIn(at(service), 'USDC', { refund_address: back })
    const payer = await stage.wallets.payer()
    await stage.giveTokens(payer.address, required + 10_000_000n)
    await stage.wallets.payToken(payer, stage.usdc, address(deposit), required + 10_000_000n)
    const done = await untilOrder(at(service), id, ({ payment }) => payment?.refunds?.some(({ state }) => state === 'confirmed') ?? false)
    expect(done.payment?.refund).toMatchObject({ address: back, reason: 'overpaid' })
    const got = await stage.balance(back, stage.usdc)
    expect(got).toBeGreaterThan(9_000_000n)
    expect(got).toBeLessThan(10_000_000n)
    expect((await booksOf(id)).deposit).toBe(await stage.balance(deposit, stage.usdc))
  })

  test('behavior: coins that the order does not take are held and shown, and it still waits', async () => {
    const [recipient, feeCollector] = [newAddress(), newAddress()]
    const { at } = await stage.merchant({
      settlements: [{ chainId: solanaChain.chain_id, address: stage.usdc, recipient, feeCollector }],
    })
    const { id, deposit } = await orderIn(at(service), 'USDC')
    const payer = await stage.wallets.payer()
    await stage.wallets.paySol(payer, address(deposit), 300_000_000n)
    const order = await untilOrder(at(service), id, (found) => transfersOf(found).some(({ state }) => state === 'held'))
    expect(order.status).toBe('AWAITING_PAYMENT')
    expect(transfersOf(order)).toMatchObject([{ state: 'held', currency: { symbol: 'SOL' } }])
  })

  test('behavior: an order that nobody pays expires although the chain never stands still, and late money counts', async () => {
    const { recipient, at } = await stage.merchant()
    const { id, deposit, required } = await orderIn(at(service), 'USDC')
    await stage.expire(id)
    await untilStatus(at(service), id, 'EXPIRED')
    const payer = await stage.wallets.payer()
    await stage.giveTokens(payer.address, required)
    await stage.wallets.payToken(payer, stage.usdc, address(deposit), required)
    const done = await untilStatus(at(service), id, 'COMPLETED')
    expect(await stage.balance(recipient, stage.usdc)).toBe(BigInt(done.payment!.output!.amount.raw))
  })

  test('error: an order in SOL that is smaller than the least that an account may have gets no instructions', async () => {
    const { at } = await stage.merchant()
    const client = at(service)
    const created = await client.ask('createOrder', { body: { mode: 'SALE', amount: '0.05', fiat_unit: 'usd' } })
    const asked = client.ask('requestPayment', {
      params: { order_id: created.id },
      body: { source: { currency: sol, payment_rail: 'CRYPTO' } },
    })
    await expect(asked).rejects.toMatchObject({ status: 422 })
  })
})

test('behavior: a service that is killed between payment and settlement goes on where it was', async () => {
  const { recipient, at } = await stage.merchant()
  const { id, deposit, required } = await orderIn(at(service), 'USDC')
  const payer = await stage.wallets.payer()
  await stage.giveTokens(payer.address, required)
  await stage.wallets.payToken(payer, stage.usdc, address(deposit), required)
  await untilOrder(at(service), id, (order) => transfersOf(order).length === 1)
  await service.kill9()
  service = await stage.start()
  const done = await untilStatus(at(service), id, 'COMPLETED')
  expect(await stage.balance(recipient, stage.usdc)).toBe(BigInt(done.payment!.output!.amount.raw))
})
