import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Order } from '../../src/wire/order.ts'
import type { Client } from '../support/client/client.ts'
import { checkout, expireUntil, untilOrder, untilStatus } from '../support/orders/payments.ts'
import { bitcoin } from '../chains/bitcoin/support.ts'
import { recordNodes } from '../support/service/bitcoin-nodes.ts'
import { type BitcoinStage, confirmations, startBitcoinStage } from '../support/service/bitcoin-stage.ts'
import type { Service } from '../support/service/service.ts'
import { keyHashAccount, spend, taprootAccount } from '../support/wallets/bitcoin-wallet.ts'
import { until } from '../support/wait.ts'

/** Orders that are paid in bitcoin, on a real chain against the real service. Only the payer's wallet signs for payments. */

const { recorded, say } = recordNodes()
afterAll(() => say('The orders that are paid in bitcoin'))

let stage: BitcoinStage
let service: Service
beforeAll(async () => {
  stage = await startBitcoinStage()
  await recorded(stage.node)
  service = await stage.start()
})
afterAll(async () => {
  await stage?.close()
})

const price = { amount: '42.50', fiat_unit: 'usd' }
const transfersOf = ({ payment }: Order) => payment?.funding?.transactions ?? []
const seenIs = (count: number) => (order: Order) => transfersOf(order).filter(({ state }) => state === 'seen').length === count
const read = (client: Client, id: string) => client.ask('getOrder', { params: { order_id: id } })

/** Mines until the order has this status, since what it waits for are blocks. */
const minedUntil = (client: Client, id: string, status: Order['status']) =>
  until(
    async () => {
      const order = await read(client, id)
      if (order.status === status) return order
      await stage.faucet.mine(1)
      return undefined
    },
    { every: 150, what: `order ${id} is ${status}` },
  )

async function booksOf(id: string) {
  const rows = await stage.sql`select account, sum(amount)::text as sum from ledger where order_id = ${id} group by account`
  return Object.fromEntries(rows.map(({ account, sum }) => [account, BigInt(sum)]))
}

describe('an order that is paid in bitcoin', () => {
  test('default: it is seen in the mempool, final after its blocks, and settled to the merchant exactly', async () => {
    const { recipient, collector, at } = await stage.merchant()
    const client = at(service)
    const { id, deposit, required, payment } = await checkout(client, price)
    expect(deposit).toMatch(/^bcrt1q/)
    expect(payment.estimated_duration_seconds).toBe(2 * confirmations * 600)
    const gas = BigInt(payment.input!.breakdown.gas.raw)
    expect(gas).toBeGreaterThan(0n)
    const coin = await stage.payerWith(required + 1_000n)
    const { id: txid } = await pay(coin, [[deposit, required]])
    const seen = await untilOrder(client, id, seenIs(1))
    expect(seen.status).toBe('AWAITING_CONFIRMATION')
    expect(transfersOf(seen)).toMatchObject([{ tx_hash: txid, confirmations: 0, required_confirmations: confirmations }])
    const done = await minedUntil(client, id, 'COMPLETED')
    const output = BigInt(done.payment!.output!.amount.raw)
    expect(await stage.balance(recipient)).toBe(output)
    expect(output + gas).toBe(required)
    const left = await stage.balance(collector)
    expect(left).toBeLessThan(gas)
    expect(await stage.balance(deposit)).toBe(0n)
    const books = await booksOf(id)
    expect(books).toMatchObject({ payers: -required, deposit: 0n, recipient: output, fees: gas, collector: left - gas, gas: gas - left })
  })

  test('behavior: a partial payment is shown as one, and the remainder completes it', async () => {
    const { recipient, at } = await stage.merchant()
    const client = at(service)
    const { id, deposit, required } = await checkout(client, price)
    await stage.faucet.pay(deposit, required / 2n)
    await stage.faucet.mine(confirmations)
    const part = await untilStatus(client, id, 'PARTIAL_PAYMENT')
    const rest = BigInt(part.payment!.funding!.remaining_amount.raw)
    expect(rest).toBe(required - required / 2n)
    await stage.faucet.pay(deposit, rest)
    const done = await minedUntil(client, id, 'COMPLETED')
    expect(await stage.balance(recipient)).toBe(BigInt(done.payment!.output!.amount.raw))
  })

  test('behavior: too much goes back to the address that the payer gave, and to no other', async () => {
    const { at } = await stage.merchant()
    const client = at(service)
    const back = taprootAccount('refund').address
    const { id, deposit, required } = await checkout(client, price, { refund_address: back.toUpperCase() })
    await stage.faucet.pay(deposit, required + 50_000n)
    await minedUntil(client, id, 'COMPLETED')
    const refunded = await until(async () => {
      await stage.faucet.mine(1)
      const order = await read(client, id)
      return order.payment?.refunds?.some(({ state }) => state === 'confirmed') ? order : undefined
    })
    expect(refunded.payment?.refund).toMatchObject({ address: back, reason: 'overpaid' })
    const got = await stage.balance(back)
    expect(got).toBeGreaterThan(45_000n)
    expect(got).toBeLessThan(50_000n)
    expect((await booksOf(id)).deposit).toBe(0n)
  })

  test('behavior: a surplus that is dust stays nowhere: it is shown, and the books know that the fees took it', async () => {
    const { collector, at } = await stage.merchant()
    const client = at(service)
    const { id, deposit, required } = await checkout(client, price, { refund_address: keyHashAccount('dust').address })
    await stage.faucet.pay(deposit, required + 200n)
    const done = await minedUntil(client, id, 'COMPLETED')
    expect(done.payment?.surplus).toMatchObject({ raw: '200' })
    expect(done.payment?.held).toBeUndefined()
    const { fees, collector: taken, ...books } = await booksOf(id)
    expect(books.deposit).toBe(await stage.balance(deposit))
    expect(fees! + taken!).toBe(await stage.balance(collector))
    expect(done.payment?.refunds).toBeUndefined()
  })

  test('behavior: a wallet that raises its fee is one step: no snapshot in between is unpaid', async () => {
    const { at } = await stage.merchant()
    const client = at(service)
    const { id, deposit, required } = await checkout(client, price)
    const coin = await stage.payerWith(required + 20_000n)
    const first = await pay(coin, [
      [deposit, required],
      [coin.owner.address, 19_000n],
    ])
    await untilOrder(client, id, seenIs(1))
    const second = await pay(coin, [
      [deposit, required],
      [coin.owner.address, 10_000n],
    ])
    const after = await untilOrder(client, id, (order) => transfersOf(order).some(({ tx_hash }) => tx_hash === second.id))
    expect(transfersOf(after)).toHaveLength(1)
    expect(after.payment?.replaced).toMatchObject([{ tx_hash: first.id, replaced_by: second.id }])
    const bodies = await stage.sql`select body from events where order_id = ${id} order by seq`
    const statuses = bodies.map(({ body }) => (JSON.parse(body) as { order: Order }).order.status)
    expect(statuses.slice(statuses.indexOf('AWAITING_CONFIRMATION'))).not.toContain('AWAITING_PAYMENT')
    await minedUntil(client, id, 'COMPLETED')
  })

  test('behavior: a double spend before the first block is asked for again, and nothing was settled', async () => {
    const { recipient, at } = await stage.merchant()
    const client = at(service)
    const { id, deposit, required } = await checkout(client, price)
    const coin = await stage.payerWith(required + 20_000n)
    await pay(coin, [[deposit, required]])
    await untilOrder(client, id, seenIs(1))
    const theft = await pay(coin, [[keyHashAccount('elsewhere').address, required - 20_000n]])
    const again = await untilStatus(client, id, 'AWAITING_PAYMENT')
    expect(again.payment?.replaced).toMatchObject([{ replaced_by: theft.id }])
    expect(again.payment?.funding).toMatchObject({ received_amount: { raw: '0' }, remaining_amount: { raw: String(required) } })
    await stage.faucet.mine(confirmations + 1)
    expect(await stage.balance(recipient)).toBe(0n)
    await stage.faucet.pay(deposit, required)
    await minedUntil(client, id, 'COMPLETED')
  })

  test('behavior: late money counts at the price of its arrival', async () => {
    const { at } = await stage.merchant()
    const client = at(service)
    const { id, deposit, required } = await checkout(client, price)
    await expireUntil({ database: { sql: stage.sql } } as never, client, id)
    stage.prices.set('btc', { usd: '130000' })
    try {
      // Prices may come from a cache for some seconds.
      await until(async () => (await checkout(client, price)).required < (required * 2n) / 3n, { every: 500 })
      await stage.faucet.pay(deposit, required)
      const done = await minedUntil(client, id, 'COMPLETED')
      expect(BigInt(done.payment!.surplus!.raw)).toBeGreaterThan(required / 3n)
    } finally {
      stage.prices.set('btc', { usd: '65000' })
    }
  })

  test('behavior: the merchant refunds to an address of this network, and no other is accepted', async () => {
    const { at } = await stage.merchant()
    const client = at(service)
    const { id, deposit, required } = await checkout(client, price)
    await stage.faucet.pay(deposit, required / 2n)
    await stage.faucet.mine(confirmations)
    await untilStatus(client, id, 'PARTIAL_PAYMENT')
    const asked = (recipient: string) => ({
      params: { order_id: id },
      body: { amount: part(required), recipient },
      headers: { 'idempotency-key': `${id}-${recipient}` },
    })
    for (const wrong of [
      'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4',
      'bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt08x',
      `0x${'11'.repeat(20)}`,
    ])
      await client.refused('refundOrder', 422, asked(wrong))
    const back = keyHashAccount('merchant refund').address
    await client.ask('refundOrder', asked(back))
    await until(async () => {
      await stage.faucet.mine(1)
      return (await read(client, id)).status === 'REFUNDED'
    })
    expect(await stage.balance(back)).toBeGreaterThan(required / 2n - 4_000n)
  })
  const part = (required: bigint) => `0.${String(required / 2n).padStart(8, '0')}`

  test('behavior: an organisation may want more confirmations than the chain', async () => {
    const { at } = await stage.merchant({ confirmations: [{ chainId: bitcoin.chain_id, steps: [{ blocks: 4 }] }] })
    const client = at(service)
    const { id, deposit, required } = await checkout(client, price)
    await stage.faucet.pay(deposit, required)
    const seen = await untilOrder(client, id, seenIs(1))
    expect(transfersOf(seen)[0]).toMatchObject({ required_confirmations: 4 })
    await stage.faucet.mine(3)
    await untilOrder(client, id, (order) => transfersOf(order)[0]?.confirmations === 3)
    expect((await read(client, id)).status).toBe('AWAITING_CONFIRMATION')
    await minedUntil(client, id, 'COMPLETED')
  })

  test('behavior: a service that was away finds what was paid, in the mempool and in blocks', async () => {
    const { at } = await stage.merchant()
    const [paid, waiting] = [await checkout(at(service), price), await checkout(at(service), price)]
    await service.close()
    await stage.faucet.pay(paid.deposit, paid.required)
    await stage.faucet.mine(1)
    await stage.faucet.pay(waiting.deposit, waiting.required)
    service = await stage.start()
    const client = at(service)
    await untilStatus(client, paid.id, 'AWAITING_CONFIRMATION')
    await untilStatus(client, waiting.id, 'AWAITING_CONFIRMATION')
    await minedUntil(client, paid.id, 'COMPLETED')
    await minedUntil(client, waiting.id, 'COMPLETED')
  })

  test('behavior: find my payment knows a transaction that waits, and counts it once', async () => {
    const { at } = await stage.merchant()
    const client = at(service)
    const { id, deposit, required } = await checkout(client, price)
    const txid = await stage.faucet.pay(deposit, required)
    const found = await client.ask('findTransaction', { params: { order_id: id }, body: { tx_hash: txid.toUpperCase() } })
    expect(found).toMatchObject({ found: true, transaction: { tx_hash: txid } })
    const done = await minedUntil(client, id, 'COMPLETED')
    expect(transfersOf(done)).toHaveLength(1)
  })
})

async function pay(coin: Awaited<ReturnType<BitcoinStage['payerWith']>>, outputs: readonly (readonly [string, bigint])[]) {
  const transaction = spend([coin], { outputs })
  await stage.broadcast(transaction.hex)
  return transaction
}
