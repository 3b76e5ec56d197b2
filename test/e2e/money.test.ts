import { parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestSender } from '../../server/chains/evm/contracts/artifacts/TestSender.ts'
import { owner, payers } from '../../local/chains/accounts.ts'
import type { TestChain } from '../chains/support.ts'
import { type Client, signedHeaders } from '../support/client/client.ts'
import { full } from '../support/full.ts'
import { mineDuring } from '../support/mine-during.ts'
import { checkout, endWindowIn, expectBooks, expireUntil, untilOrder, untilStatus } from '../support/orders/payments.ts'
import { type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/** The money rules on real chains against the real service. Every test has its own merchant and payer. */

let stage: Stage
let process: Process
beforeAll(async () => {
  stage = await startStage()
  process = await stage.start()
})
afterAll(async () => {
  await stage?.close()
})

const someone = () => privateKeyToAddress(generatePrivateKey()).toLowerCase()
const units = (ui: string, decimals = 6) => parseUnits(ui, decimals)
async function balance({ chain }: TestChain, token: string | null, address: string) {
  const head = await chain.head(AbortSignal.timeout(60_000))
  return (await chain.balances([address], token, head.number, AbortSignal.timeout(60_000)))[0]
}
/** Tests wait for each other as little as they have to: transactions of one account are sent in turn. */
let taken = 0
const payer = () => payers[taken++ % payers.length]!
const refund = (client: Client, id: string, body: Record<string, unknown>, headers: Record<string, string> = {}) =>
  client.ask('refundOrder', {
    params: { order_id: id },
    body,
    headers: { 'idempotency-key': `${id}-${JSON.stringify(body)}`.replace(/[^\x21-\x7e]/g, ''), ...headers },
  })

describe.concurrent('on the settlement chain', () => {
  test('behavior: when only another token arrived, a refund returns all of it, and the order is REFUNDED', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
    await base.sendToken(payer(), 'USDT', order.deposit, units('20'))
    await untilOrder(client, order.id, (order) => order.payment?.funding?.transactions[0]?.state === 'held')
    await expireUntil(stage, client, order.id)
    const back = someone()
    await refund(client, order.id, { amount: '20', recipient: back })
    const done = await untilStatus(client, order.id, 'REFUNDED')
    expect(done.payment?.funding?.transactions[0]?.state).toBe('refunded')
    expect((await balance(base, base.token('USDT'), back))! > units('19')).toBe(true)
    await expectBooks(stage, [order.id])
  })

  test('behavior: money sent to the same address on another chain is seen, held and refunded from there', async () => {
    const { base, ethereum } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
    await ethereum.sendToken(payer(), 'USDC', order.deposit, units('20'))
    const seen = await untilOrder(client, order.id, (order) => order.payment?.funding?.transactions[0]?.state === 'held')
    expect(seen.payment?.funding).toMatchObject({
      received_amount: { raw: '0' },
      transactions: [{ chain_id: 1, state: 'held', reason: 'wrong_chain' }],
    })
    expect(seen.status).not.toBe('PARTIAL_PAYMENT')
    await expireUntil(stage, client, order.id)
    const back = someone()
    await refund(client, order.id, { amount: '20', recipient: back })
    await untilStatus(client, order.id, 'REFUNDED')
    expect((await balance(ethereum, ethereum.token('USDC'), back))! > units('19')).toBe(true)
    expect(await balance(base, base.token('USDC'), back)).toBe(0n)
    await expectBooks(stage, [order.id])
  })

  test('behavior: after expiry a new price is given, and late money is honoured', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const [late, fresh, short] = await Promise.all([1, 2, 3].map(() => checkout(client, { amount: '20', fiat_unit: 'usd' })))
    if (!late || !fresh || !short) throw new Error('three orders')
    const source = { source: { currency: { chain_id: 8453, address: base.token('USDC') }, payment_rail: 'CRYPTO' } }
    await Promise.all([late, fresh, short].map(({ id }) => expireUntil(stage, client, id)))
    const from = payer()
    // A repeated request restarts the clock for the same address.
    const { data } = await client.ask('requestPayment', { ...fresh.path, body: source })
    expect(data.steps).toEqual(fresh.payment.steps)
    expect(Date.parse(data.expires_at!)).toBeGreaterThan(Date.now())
    expect((await client.ask('getOrder', fresh.path)).status).toBe('AWAITING_PAYMENT')
    // Late money in the settlement asset counts even without a new request.
    await base.sendToken(from, 'USDC', late.deposit, late.required)
    await untilStatus(client, late.id, 'COMPLETED')
    await base.sendToken(from, 'USDC', short.deposit, units('19'))
    const partial = await untilStatus(client, short.id, 'PARTIAL_PAYMENT')
    expect(partial.payment?.funding?.remaining_amount.ui).toBe('1')
    await base.sendToken(from, 'USDC', short.deposit, units('1'))
    await untilStatus(client, short.id, 'COMPLETED')
    expect(await balance(base, base.token('USDC'), merchant.recipient)).toBe(units('40'))
    await expectBooks(stage, [late.id, fresh.id, short.id])
  })

  test('default: exact payment in each kind of token; the recipient gets exactly what was agreed', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const from = payer()
    for (const [symbol, decimals] of [
      ['USDC', 6],
      ['USDT', 6],
      ['DAI', 18],
    ] as const) {
      const currency = { chain_id: 8453, address: base.token(symbol) }
      const order = await checkout(client, { amount: '12.34', currency, recipient: merchant.recipient })
      expect(order.required).toBe(units('12.34', decimals))
      await base.sendToken(from, symbol, order.deposit, order.required)
      const done = await untilStatus(client, order.id, 'COMPLETED')
      expect(done.payment).toMatchObject({
        funding: { received_amount: { ui: '12.34' }, remaining_amount: { raw: '0' }, transactions: [{ state: 'applied' }] },
        destination_tx_hash: expect.stringMatching(/^0x/),
      })
      expect(done.payment?.surplus).toBeUndefined()
      expect(await balance(base, currency.address, merchant.recipient)).toBe(units('12.34', decimals))
      await expectBooks(stage, [order.id])
    }
  })

  test('behavior: fees are added to the payer’s amount, and the collector receives them', async () => {
    const { base } = stage
    const feeCollector = someone()
    const merchant = await stage.merchant({
      settlement: { feeCollector },
      fees: { customBps: 125, protocolBps: 30, relayerUsd: '0.05', gasUsd: '0.02' },
    })
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '99.99', fiat_unit: 'eur' })
    const output = BigInt(order.payment.output!.amount.raw)
    expect(output).toBeGreaterThanOrEqual(units('107.9892'))
    const { base: part, fees, gas, total } = order.payment.input!.breakdown!
    expect(BigInt(part.raw) + BigInt(fees.total_fee.raw) + BigInt(gas.raw)).toBe(BigInt(total.raw))
    expect(BigInt(fees.custom_fee.raw) + BigInt(fees.protocol_fee.raw) + BigInt(fees.relayer_fee.raw)).toBe(BigInt(fees.total_fee.raw))
    await base.sendToken(payer(), 'USDC', order.deposit, order.required)
    const done = await untilStatus(client, order.id, 'COMPLETED')
    expect(BigInt(done.fulfillment.amount.raw)).toBe(output)
    expect(await balance(base, base.token('USDC'), merchant.recipient)).toBe(output)
    expect(await balance(base, base.token('USDC'), feeCollector)).toBe(order.required - output)
    await expectBooks(stage, [order.id])
  })

  test('behavior: a DEPOSIT delivers exactly what was sent, less fees', async () => {
    const { base } = stage
    const feeCollector = someone()
    const merchant = await stage.merchant({
      settlement: { feeCollector },
      fees: { customBps: 100, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
    })
    const client = merchant.at(process)
    const recipient = someone()
    const order = await checkout(client, {
      mode: 'DEPOSIT',
      amount: '50',
      currency: { chain_id: 8453, address: base.token('USDC') },
      recipient,
    })
    expect(order.required).toBe(units('50'))
    await base.sendToken(payer(), 'USDC', order.deposit, order.required)
    await untilStatus(client, order.id, 'COMPLETED')
    expect(await balance(base, base.token('USDC'), recipient)).toBe(units('49.5'))
    expect(await balance(base, base.token('USDC'), feeCollector)).toBe(units('0.5'))
    await expectBooks(stage, [order.id])
  })

  test('behavior: an underpaid order is topped up by several transfers from several senders', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '100', fiat_unit: 'usd' })
    const [first, second] = [payer(), payer()]
    await base.sendToken(first, 'USDC', order.deposit, units('37'))
    const partial = await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
    expect(partial.payment?.funding).toMatchObject({ received_amount: { ui: '37' }, remaining_amount: { ui: '63' } })
    await base.sendToken(second, 'USDC', order.deposit, units('0.000001'))
    const more = await untilOrder(client, order.id, (order) => order.payment?.funding?.received_amount.ui === '37.000001')
    expect(more).toMatchObject({ status: 'PARTIAL_PAYMENT', payment: { funding: { remaining_amount: { ui: '62.999999' } } } })
    await Promise.all([
      base.sendToken(first, 'USDC', order.deposit, units('30')),
      base.sendToken(second, 'USDC', order.deposit, units('32.999999')),
    ])
    const done = await untilStatus(client, order.id, 'COMPLETED')
    expect(done.payment?.funding?.transactions.map(({ state }) => state)).toEqual(['applied', 'applied', 'applied', 'applied'])
    expect(await balance(base, base.token('USDC'), merchant.recipient)).toBe(units('100'))
    const events = await stage.database.sql`select event from events where order_id = ${order.id} and not socket_only order by xid, seq`
    // The event repeats for each incomplete payment. The last two may share a block.
    expect([2, 3]).toContain(events.filter(({ event }) => event === 'ORDER_PARTIAL_PAYMENT').length)
    await expectBooks(stage, [order.id])
  })

  test('behavior: overpaid with a refund address: the surplus is refunded, less the gas of sending it', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const back = someone()
    const order = await checkout(client, { amount: '10', fiat_unit: 'usd' }, { refund_address: back })
    await base.sendToken(payer(), 'USDC', order.deposit, units('17'))
    const done = await untilOrder(
      client,
      order.id,
      (order) => order.status === 'COMPLETED' && order.payment?.refunds?.[0]?.state === 'confirmed',
    )
    expect(done.payment?.refunds).toHaveLength(1)
    expect(done.payment?.refunds?.[0]?.amount.ui).toBe('7')
    expect(done.payment?.refund).toMatchObject({ address: back, tx_hash: expect.stringMatching(/^0x/) })
    const [usdc] = [base.token('USDC')]
    expect(await balance(base, usdc, merchant.recipient)).toBe(units('10'))
    const returned = (await balance(base, usdc, back))!
    expect(returned).toBeGreaterThan(units('6.5'))
    expect(returned).toBeLessThanOrEqual(units('7'))
    expect(await balance(base, usdc, order.deposit)).toBe(0n)
    await expectBooks(stage, [order.id])
  })

  test('behavior: overpaid without a refund address: the surplus is held and shown until the merchant names an address', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '10', fiat_unit: 'usd' })
    await base.sendToken(payer(), 'USDC', order.deposit, units('12.5'))
    const done = await untilStatus(client, order.id, 'COMPLETED')
    expect(done.payment?.surplus).toMatchObject({ raw: '2500000', ui: '2.5' })
    expect(await balance(base, base.token('USDC'), order.deposit)).toBe(units('2.5'))
    expect(await balance(base, base.token('USDC'), merchant.recipient)).toBe(units('10'))
    await expectBooks(stage, [order.id])

    // The payer's key can no longer set the address, but the merchant's refund can.
    const back = someone()
    await client.refused('refundOrder', 422, {
      ...order.path,
      body: { amount: '12.500001', recipient: back },
      headers: { 'idempotency-key': 'too-much' },
    })
    await refund(client, order.id, { amount: '2.5', recipient: back })
    const after = await untilOrder(client, order.id, (order) => order.payment?.refunds?.[0]?.state === 'confirmed')
    expect(after.status).toBe('COMPLETED')
    expect(after.payment?.refunds).toMatchObject([{ amount: { ui: '2.5' }, address: back }])
    expect(await balance(base, base.token('USDC'), order.deposit)).toBe(0n)
    await expectBooks(stage, [order.id])
  })

  test('behavior: money after completion is surplus: held, or refunded when there is an address', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '5', fiat_unit: 'usd' })
    const from = payer()
    await base.sendToken(from, 'USDC', order.deposit, order.required)
    await untilStatus(client, order.id, 'COMPLETED')
    await base.sendToken(from, 'USDC', order.deposit, units('4'))
    const late = await untilOrder(client, order.id, (order) => order.payment?.funding?.transactions[1]?.state === 'held')
    expect(late).toMatchObject({
      status: 'COMPLETED',
      payment: {
        surplus: { ui: '4' },
        funding: { received_amount: { ui: '5' }, transactions: [{ state: 'applied' }, { state: 'held', reason: 'after_settlement' }] },
      },
    })
    await expectBooks(stage, [order.id])
  })

  test('behavior: another token on the same chain is seen, held with its reason, and can be refunded', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
    const from = payer()
    await base.sendToken(from, 'USDT', order.deposit, units('20'))
    const seen = await untilOrder(client, order.id, (order) => order.payment?.funding?.transactions[0]?.state === 'held')
    expect(seen).toMatchObject({
      status: 'AWAITING_PAYMENT',
      payment: {
        funding: {
          received_amount: { raw: '0' },
          remaining_amount: { ui: '20' },
          transactions: [{ state: 'held', reason: 'wrong_token', currency: { symbol: 'USDT' } }],
        },
      },
    })
    await base.sendToken(from, 'USDC', order.deposit, order.required)
    await untilStatus(client, order.id, 'COMPLETED')
    expect(await balance(base, base.token('USDC'), merchant.recipient)).toBe(units('20'))
    expect(await balance(base, base.token('USDT'), order.deposit)).toBe(units('20'))
    await expectBooks(stage, [order.id])
  })

  test('behavior: native coin is received by transaction and from inside a contract', async () => {
    const { base } = stage
    const recipient = someone()
    const merchant = await stage.merchant({ settlement: { address: null, recipient } })
    const client = merchant.at(process)
    const from = payer()
    const order = await checkout(client, { amount: '1', currency: { chain_id: 8453, address: null } })
    expect(order.required).toBe(10n ** 18n)
    await base.sendNative(from, order.deposit, 4n * 10n ** 17n)
    await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
    const wallet = await base.deploy(TestSender, [from.address], 2n * 10n ** 18n)
    await base.call(from, { address: wallet, abi: TestSender.abi, functionName: 'send', args: [order.deposit, 6n * 10n ** 17n] })
    // Only the balance shows the transfer, and balances are read after more blocks.
    const done = await mineDuring(base, untilStatus(client, order.id, 'COMPLETED'))
    expect(done.payment?.funding?.transactions).toMatchObject([
      { amount: { ui: '0.4' }, state: 'applied' },
      {
        amount: { ui: '0.6' },
        state: 'applied',
        tx_hash: expect.stringMatching(/^balance:/),
        explorer_url: expect.stringMatching(/\/address\//),
      },
    ])
    expect(await balance(base, null, recipient)).toBe(10n ** 18n)
    await expectBooks(stage, [order.id])
  })

  test('behavior: money fixes the source, and another is 409 from then on', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
    const tether = { source: { currency: { chain_id: 8453, address: base.token('USDT') }, payment_rail: 'CRYPTO' } }
    await client.refused('requestPayment', 422, {
      ...order.path,
      body: { source: { currency: { chain_id: 30000000000001, address: null }, payment_rail: 'CRYPTO' } },
    })
    await base.sendToken(payer(), 'USDC', order.deposit, units('3'))
    await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
    const { message } = await client.refused('requestPayment', 409, { ...order.path, body: tether })
    expect(message).toMatch(/USDC/)
    const { data } = await client.ask('requestPayment', {
      ...order.path,
      body: { source: { currency: { chain_id: 8453, address: base.token('USDC') }, payment_rail: 'CRYPTO' } },
    })
    expect(data.steps).toEqual(order.payment.steps)
  })

  test('behavior: the payer may set the refund address until money is seen, afterwards only the merchant', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const [first, second, third] = [someone(), someone(), someone()]
    const order = await checkout(client, { amount: '20', fiat_unit: 'usd' }, { refund_address: first })
    const body = (refund_address: string) => ({
      source: { currency: { chain_id: 8453, address: base.token('USDC') }, payment_rail: 'CRYPTO' },
      refund_address,
    })
    const { data: changed } = await client.ask('requestPayment', { ...order.path, body: body(second) })
    expect(changed.refund?.address).toBe(second)
    for (const bad of [
      '0x0000000000000000000000000000000000000000',
      base.token('USDT'),
      order.deposit,
      '0x12',
      'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    ]) {
      await client.refused('requestPayment', 422, { ...order.path, body: body(bad) })
    }
    await base.sendToken(payer(), 'USDC', order.deposit, units('3'))
    await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
    await client.refused('requestPayment', 403, { ...order.path, body: body(third) })
    const { data: signed } = await client.ask('requestPayment', {
      ...order.path,
      body: body(third),
      headers: signedHeaders(merchant.keys, 'POST', `/orders/${order.id}/payment`),
    })
    expect(signed.refund?.address).toBe(third)
    const facts = await stage.database
      .sql`select fact from facts where order_id = ${order.id} and fact->>'type' = 'refund_address_set' order by number`
    expect(facts.map(({ fact }) => [fact.address, fact.signed])).toEqual([
      [first, false],
      [second, false],
      [third, true],
    ])
  })

  test('behavior: a refund before settlement comes from the deposit address; a full refund is REFUNDED', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '100', fiat_unit: 'usd' })
    await base.sendToken(payer(), 'USDC', order.deposit, units('37'))
    await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
    const back = someone()
    await client.refused('refundOrder', 422, {
      ...order.path,
      body: { amount: '38', recipient: back },
      headers: { 'idempotency-key': 'a' },
    })
    await client.refused('refundOrder', 422, { ...order.path, body: { amount: '37' }, headers: { 'idempotency-key': 'b' } })
    await client.refused('refundOrder', 422, {
      ...order.path,
      body: { amount: '1.0000001', recipient: back },
      headers: { 'idempotency-key': 'c' },
    })
    await client.refused('refundOrder', 400, { ...order.path, body: { amount: '37', recipient: back } })
    const second = Math.floor(Date.now() / 1000)
    const signedIn = (at: number) => signedHeaders(merchant.keys, 'POST', `/orders/${order.id}/refund`, String(at))
    const part = await refund(client, order.id, { amount: '7', recipient: back }, signedIn(second))
    expect(part).toMatchObject({ mode: 'REFUND', refunds_order_id: order.id })
    const still = await untilOrder(client, order.id, (order) => order.payment?.refunds?.[0]?.state === 'confirmed')
    expect(still.status).toBe('PARTIAL_PAYMENT')
    await client.refused('refundOrder', 422, {
      ...order.path,
      body: { amount: '31', recipient: back },
      headers: { 'idempotency-key': 'd' },
    })
    const rest = { amount: '30', recipient: back }
    const sameSecond = { ...order.path, body: rest, headers: { 'idempotency-key': 'e', ...signedIn(second) } }
    expect((await client.refused('refundOrder', 409, sameSecond)).details).toMatchObject({ problem: 'signature_used' })
    await refund(client, order.id, rest, { 'idempotency-key': 'e', ...signedIn(second + 1) })
    const done = await untilStatus(client, order.id, 'REFUNDED')
    expect(done.payment?.refunds?.map(({ state, amount }) => [state, amount.ui])).toEqual([
      ['confirmed', '7'],
      ['confirmed', '30'],
    ])
    expect((await untilStatus(client, part.id, 'COMPLETED')).mode).toBe('REFUND')
    const returned = (await balance(base, base.token('USDC'), back))!
    expect(returned).toBeGreaterThan(units('36'))
    expect(returned).toBeLessThanOrEqual(units('37'))
    await expectBooks(stage, [order.id])
  })

  test('behavior: a refund after settlement is an order that the merchant pays', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const order = await checkout(client, { amount: '40', fiat_unit: 'usd' })
    await base.sendToken(payer(), 'USDC', order.deposit, order.required)
    await untilStatus(client, order.id, 'COMPLETED')
    const back = someone()
    const refundOrder = await refund(client, order.id, { amount: '40', recipient: back, metadata: { reason: 'Damaged' } })
    expect(refundOrder).toMatchObject({ mode: 'REFUND', refunds_order_id: order.id, metadata: { refund: { reason: 'Damaged' } } })
    expect((await client.ask('getOrder', order.path)).payment?.refunds).toMatchObject([{ state: 'pending', amount: { ui: '40' } }])
    await client.refused('refundOrder', 422, {
      ...order.path,
      body: { amount: '0.01', recipient: back },
      headers: { 'idempotency-key': 'again' },
    })
    const step = refundOrder.payment?.steps[0]
    if (step?.kind !== 'deposit') throw new Error('the refund order says nowhere to pay to')
    expect(step.data.deposit_address).not.toBe(order.deposit)
    await base.sendToken(payer(), 'USDC', step.data.deposit_address, BigInt(step.data.amount))
    await untilStatus(client, refundOrder.id, 'COMPLETED')
    const first = await untilStatus(client, order.id, 'REFUNDED')
    expect(first.payment?.refunds).toMatchObject([{ state: 'confirmed', address: back, tx_hash: expect.stringMatching(/^0x/) }])
    expect(await balance(base, base.token('USDC'), back)).toBe(units('40'))
    await expectBooks(stage, [order.id, refundOrder.id])
  })

  test('behavior: a shortfall within the merchant’s tolerance completes, one unit more does not', async () => {
    const { base } = stage
    const merchant = await stage.merchant({ toleranceBps: 50 })
    const client = merchant.at(process)
    const from = payer()
    const order = await checkout(client, { amount: '100', fiat_unit: 'usd' })
    await base.sendToken(from, 'USDC', order.deposit, units('99.5'))
    await untilStatus(client, order.id, 'COMPLETED')
    expect(await balance(base, base.token('USDC'), merchant.recipient)).toBe(units('99.5'))
    const other = await checkout(client, { amount: '100', fiat_unit: 'usd' })
    await base.sendToken(from, 'USDC', other.deposit, units('99.499999'))
    await untilStatus(client, other.id, 'PARTIAL_PAYMENT')
    await expectBooks(stage, [order.id, other.id])
  })

  test('error: a recipient that the token refuses: FAILED, held, and refunded', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    await base.call(owner, { address: base.token('USDC'), abi: TestDollar.abi, functionName: 'blacklist', args: [merchant.recipient] })
    const order = await checkout(client, { amount: '15', fiat_unit: 'usd' })
    await base.sendToken(payer(), 'USDC', order.deposit, order.required)
    const failed = await untilStatus(client, order.id, 'FAILED')
    expect(failed.payment).toMatchObject({
      refund: { reason: expect.stringMatching(/^held/) },
      held_until: expect.any(String),
      funding: { transactions: [{ state: 'held', reason: 'settlement_failed' }] },
    })
    expect(await balance(base, base.token('USDC'), order.deposit)).toBe(units('15'))
    await expectBooks(stage, [order.id])
    const back = someone()
    await refund(client, order.id, { amount: '15', recipient: back })
    const done = await untilStatus(client, order.id, 'REFUNDED')
    expect(done.payment?.funding?.transactions[0]?.state).toBe('refunded')
    expect((await balance(base, base.token('USDC'), back))! > units('14')).toBe(true)
    await expectBooks(stage, [order.id])
  })

  test.runIf(full)('behavior: a failed settlement is retried and succeeds once the recipient is accepted', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const bar = (functionName: string) =>
      base.call(owner, { address: base.token('USDC'), abi: TestDollar.abi, functionName, args: [merchant.recipient] })
    await bar('blacklist')
    const order = await checkout(client, { amount: '15', fiat_unit: 'usd' })
    await base.sendToken(payer(), 'USDC', order.deposit, order.required)
    await untilStatus(client, order.id, 'FAILED')
    await bar('unBlacklist')
    await untilStatus(client, order.id, 'COMPLETED', 90_000)
    expect(await balance(base, base.token('USDC'), merchant.recipient)).toBe(units('15'))
    await expectBooks(stage, [order.id])
  })

  test('behavior: the payment look-up trusts the chain only', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    const from = payer()
    const [order, other] = [
      await checkout(client, { amount: '20', fiat_unit: 'usd' }),
      await checkout(client, { amount: '20', fiat_unit: 'usd' }),
    ]
    const hash = await base.sendToken(from, 'USDC', order.deposit, units('5'))
    const found = await client.ask('findTransaction', { ...order.path, body: { tx_hash: hash } })
    expect(found).toMatchObject({ found: true, transaction: { tx_hash: hash, amount: { ui: '5' } } })
    expect(await client.ask('findTransaction', { ...other.path, body: { tx_hash: hash } })).toMatchObject({
      found: false,
      message: expect.any(String),
    })
    expect(await client.ask('findTransaction', { ...order.path, body: { tx_hash: `0x${'ab'.repeat(32)}`, chain_id: 8453 } })).toMatchObject(
      { found: false },
    )
    await client.refused('findTransaction', 422, { ...order.path, body: { tx_hash: hash, chain_id: 56 } })
    for (let i = 0; i < 3; i++) await client.ask('findTransaction', { ...order.path, body: { tx_hash: hash, chain_id: 1 } })
    // A slow run is allowed one more for every ten seconds that it takes.
    await until(() => client.refused('findTransaction', 429, { ...order.path, body: { tx_hash: hash } }))
    await untilStatus(client, order.id, 'PARTIAL_PAYMENT')
    expect((await client.ask('getOrder', order.path)).payment?.funding?.transactions).toHaveLength(1)
  })

  test('behavior: the last minutes can be extended, three times', async () => {
    const { base } = stage
    const merchant = await stage.merchant()
    const source = { source: { currency: { chain_id: 8453, address: base.token('USDC') }, payment_rail: 'CRYPTO' } }
    const client = merchant.at(process)
    const early = await checkout(client, { amount: '20', fiat_unit: 'usd' })
    const { message } = await client.refused('requestPayment', 422, { ...early.path, body: { ...source, extend: true } })
    expect(message).toMatch(/still time/)
    const order = await checkout(client, { amount: '20', fiat_unit: 'usd' })
    await endWindowIn(stage, order.id, 120)
    const before = (await client.ask('getOrder', order.path)).payment?.expires_at
    const { data } = await client.ask('requestPayment', { ...order.path, body: { ...source, extend: true } })
    expect(Date.parse(data.expires_at!) - Date.parse(before!)).toBe(30 * 60_000)
    expect(data.steps).toEqual(order.payment.steps)
    await client.refused('requestPayment', 422, { ...order.path, body: { ...source, extend: true } })
  })

  test('error: nothing is quoted without a fresh price', async () => {
    const merchant = await stage.merchant()
    const client = merchant.at(process)
    stage.prices.set('mxn', { usd: '0.055', ageMs: 25 * 3_600_000 })
    const { message } = await client.refused('createOrder', 503, { body: { mode: 'SALE', amount: '100', fiat_unit: 'mxn' } })
    expect(message).toMatch(/price/)
    await client.ask('createOrder', { body: { mode: 'SALE', amount: '100', fiat_unit: 'brl' } })
  })
})

test('behavior: after all tests of this file, the books match the chains', async () => {
  await until(async () => {
    await expectBooks(stage)
    return true
  })
  expect(process.service.output()).not.toMatch(/"level":(50|60)/)
})
