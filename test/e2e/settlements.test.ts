import { x402Client, x402HTTPClient } from '@x402/core/client'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { type Hex, parseUnits } from 'viem'
import { generatePrivateKey, privateKeyToAccount, privateKeyToAddress } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payers } from '../../local/chains/accounts.ts'
import type { TestChain } from '../chains/support.ts'
import type { Client } from '../support/client/client.ts'
import { checkout, expectBooks, untilOrder, untilStatus } from '../support/orders/payments.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { until } from '../support/wait.ts'

/** One price, payable on two chains: it settles on the chain where it was paid, and never on both. */

let stage: Stage
let process: Process
let merchant: Merchant
let client: Client
beforeAll(async () => {
  stage = await startStage()
  process = await stage.start()
  const own = { recipient: someone(), feeCollector: someone() }
  merchant = await stage.merchant({
    settlements: [
      { chainId: 8453, address: stage.base.token('USDC'), ...own },
      { chainId: 1, address: stage.ethereum.token('USDC'), recipient: someone(), feeCollector: someone() },
      { chainId: 1, address: null, recipient: someone(), feeCollector: someone() },
    ],
    fees: { customBps: 100, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
  })
  client = merchant.at(process)
})
afterAll(() => stage?.close())

const someone = () => privateKeyToAddress(generatePrivateKey()).toLowerCase()
const dollars = (amount: string) => parseUnits(amount, 6)
const price = { amount: '20', fiat_unit: 'usd' } as const
const onEthereum = () => ({ chain_id: 1, address: stage.ethereum.token('USDC') })

async function balance({ chain }: TestChain, token: string | null, of: string): Promise<bigint> {
  const { number } = await chain.head(AbortSignal.timeout(60_000))
  return (await chain.balances([of], token, number, AbortSignal.timeout(60_000)))[0] ?? 0n
}

const chains = () => [
  { name: 'Base', chain: stage.base, at: merchant.organization.settlements[0] },
  { name: 'Ethereum', chain: stage.ethereum, at: merchant.organization.settlements[1]! },
]

test('default: an order settles on the chain where it was paid, to the recipient and the collector there', async () => {
  for (const { chain, at } of chains()) {
    const { chainId, address, recipient, feeCollector } = at
    const [before, fees] = [await balance(chain, address, recipient), await balance(chain, address, feeCollector)]
    const order = await checkout(client, price, { source: { chain_id: chainId, address } })
    expect(order.created.settlements).toHaveLength(3)
    await chain.sendToken(payers[0]!, 'USDC', order.deposit, order.required)
    const done = await untilStatus(client, order.id, 'COMPLETED')
    expect(done.fulfillment).toMatchObject({ recipient, asset: { chain_id: chainId } })
    expect((await balance(chain, address, recipient)) - before).toBe(dollars('20'))
    expect((await balance(chain, address, feeCollector)) - fees).toBe(dollars('0.2'))
    await expectBooks(stage, [order.id])
  }
})

test('behavior: the native coin of a chain of the list pays at its price', async () => {
  const order = await checkout(client, price, { source: { chain_id: 1, address: null } })
  const { recipient } = merchant.organization.settlements[2]!
  await stage.ethereum.sendNative(payers[0]!, order.deposit, order.required)
  await untilStatus(client, order.id, 'COMPLETED')
  expect(await balance(stage.ethereum, null, recipient)).toBe(BigInt(order.payment.output!.amount.raw))
  await expectBooks(stage, [order.id])
})

test('default: the official x402 client gets an offer for each chain and settles on the one that it chooses', async () => {
  const account = privateKeyToAccount(payers[1]!.private_key)
  for (const { chain, at } of chains()) {
    const { id } = await client.ask('createOrder', { body: { mode: 'SALE', ...price } })
    const network = `eip155:${at.chainId}` as const
    const payer = new x402HTTPClient(
      x402Client.fromConfig({ schemes: [{ network, client: new ExactEvmScheme(account) }], spendControls: false }),
    )
    const url = `${process.baseUrl}/orders/${id}/x402/complete`
    const asked = await fetch(url, { method: 'POST' })
    const required = payer.getPaymentRequiredResponse((name) => asked.headers.get(name))
    expect(required.accepts.map((offer) => [offer.network, offer.amount])).toEqual([
      ['eip155:8453', '20200000'],
      ['eip155:1', '20200000'],
    ])
    const before = await balance(chain, at.address, at.recipient)
    const payload = await payer.createPaymentPayload(required)
    const paid = await fetch(url, { method: 'POST', headers: payer.encodePaymentSignatureHeader(payload) })
    expect(await payer.processResponse(paid)).toMatchObject({ status: 200, paymentStatus: 'settled', header: { network } })
    await untilStatus(client, id, 'COMPLETED')
    expect((await balance(chain, at.address, at.recipient)) - before).toBe(dollars('20'))
    await expectBooks(stage, [id])
  }
})

test('behavior: two payers in full on two chains at once settle one payment, and the other is held and goes back on its chain', async () => {
  const order = await checkout(client, price)
  const [first, second] = chains().map(({ at }) => at)
  const before = await Promise.all(chains().map(({ chain, at }) => balance(chain, at.address, at.recipient)))
  await Promise.all(chains().map(({ chain }, index) => chain.sendToken(payers[index]!, 'USDC', order.deposit, order.required)))
  const done = await untilOrder(client, order.id, ({ status, payment }) => status === 'COMPLETED' && payment?.held?.length === 1)
  const gained = await Promise.all(
    chains().map(async ({ chain, at }, index) => (await balance(chain, at.address, at.recipient)) - before[index]!),
  )
  expect(gained.toSorted((a, b) => Number(a - b))).toEqual([0n, dollars('20')])
  const [held] = done.payment!.held!
  expect(held).toMatchObject({ reason: 'other_source', amount: { raw: String(order.required) } })
  expect([first!.chainId, second!.chainId]).toContain(held!.chain_id)
  const { chain, at } = chains().find(({ at: { chainId } }) => chainId === held!.chain_id)!
  const back = someone()
  await client.ask('refundOrder', {
    ...order.path,
    headers: { 'idempotency-key': order.id },
    body: { amount: '20.2', currency: { chain_id: at.chainId, address: at.address }, recipient: back },
  })
  const refunded = await untilOrder(client, order.id, ({ payment }) => payment?.refunds?.[0]?.state === 'confirmed')
  expect(refunded).toMatchObject({ status: 'COMPLETED', payment: { refunds: [{ chain_id: at.chainId }] } })
  // The refund pays for its own gas.
  expect(await balance(chain, at.address, back)).toBeGreaterThan(dollars('19'))
  await expectBooks(stage, [order.id])
})

test('behavior: dust on one chain, then the full sum on another', async () => {
  const order = await checkout(client, price)
  await stage.base.sendToken(payers[0]!, 'USDC', order.deposit, 1_000n)
  await untilOrder(client, order.id, ({ payment }) => payment?.funding?.transactions[0]?.state === 'confirmed')
  await client.ask('requestPayment', { ...order.path, body: { source: { currency: onEthereum(), payment_rail: 'CRYPTO' } } })
  await stage.ethereum.sendToken(payers[0]!, 'USDC', order.deposit, order.required)
  const done = await untilOrder(client, order.id, ({ status, payment }) => status === 'COMPLETED' && payment?.held?.length === 1)
  expect(done.payment!.held).toMatchObject([{ chain_id: 8453, reason: 'other_source', amount: { raw: '1000' } }])
  await expectBooks(stage, [order.id])
})

test('behavior: money that reaches a chain of the list without being asked for is a payment', async () => {
  const { id } = await client.ask('createOrder', { body: { mode: 'SALE', ...price } })
  const { data } = await client.ask('requestPayment', {
    params: { order_id: id },
    body: { source: { currency: { chain_id: 8453, address: stage.base.token('USDC') }, payment_rail: 'CRYPTO' } },
  })
  const step = data.steps[0]
  if (step?.kind !== 'deposit') throw new Error('no deposit step')
  await stage.ethereum.sendToken(payers[0]!, 'USDC', step.data.deposit_address, dollars('20.2'))
  expect(await untilStatus(client, id, 'COMPLETED')).toMatchObject({ fulfillment: { asset: { chain_id: 1 } } })
})

test('behavior: every currency that is listed as payable leads to instructions, and no other one is listed', async () => {
  const { id } = await client.ask('createOrder', { body: { mode: 'SALE', ...price } })
  const listed = async (q: string) => (await client.ask('searchCurrencies', { query: { q, order_id: id, limit: '50' } })).currencies
  const found = [...(await listed('us')), ...(await listed('eth')), ...(await listed('dai'))]
  expect(new Set(found.map(({ symbol, chain_id }) => `${symbol} ${chain_id}`))).toEqual(
    new Set(['DAI 1', 'DAI 8453', 'ETH 1', 'ETH 8453', 'USDC 1', 'USDC 8453', 'USDT 1', 'USDT 8453', 'WETH 1', 'WETH 8453']),
  )
  const payable = found.filter((currency) => currency.payable)
  expect(payable.length).toBeGreaterThanOrEqual(3)
  const { methods } = await client.ask('paymentMethods', { params: { order_id: id } })
  const costs = payable.map(({ amount, network_fee }) => Math.round((amount!.value_usd + network_fee!.amount) * 100) / 100)
  expect(methods.find(({ method }) => method === 'DEPOSIT_ADDRESS')?.least_total).toEqual({ amount: Math.min(...costs), unit: 'USD' })
  for (const { chain_id, address, amount } of payable) {
    const { data } = await client.ask('requestPayment', {
      params: { order_id: id },
      body: { source: { currency: { chain_id, address }, payment_rail: 'CRYPTO' } },
    })
    expect(data.steps[0]).toMatchObject({ kind: 'deposit', data: { currency: { chain_id } } })
    expect(data.input!.amount.raw).toBe(amount!.raw)
  }
  for (const { chain_id, address } of found.filter((currency) => !currency.payable))
    await client.refused('requestPayment', 422, {
      params: { order_id: id },
      body: { source: { currency: { chain_id, address }, payment_rail: 'CRYPTO' } },
    })
  await client.refused('searchCurrencies', 404, { query: { q: 'us', order_id: 'ord_of_nobody' } })
})

test('behavior: quotes are for every chain of the list on which the wallet is', async () => {
  const { id } = await client.ask('createOrder', { body: { mode: 'SALE', ...price } })
  const wallet = { address: payers[0]!.address, chain_type: 'EVM', chain_ids: [1, 8453] }
  const optionsOn = async (chain_ids: readonly number[]) => {
    const { options } = await client.ask('orderQuotes', {
      params: { order_id: id },
      body: { filter: { wallet: { ...wallet, chain_ids } } },
    })
    return new Set(options.map(({ input, output }) => `${input.currency.chain_id} → ${output.currency.chain_id}`))
  }
  expect(await optionsOn([1, 8453])).toEqual(new Set(['1 → 1', '8453 → 8453']))
  expect(await optionsOn([1])).toEqual(new Set(['1 → 1']))
})

test('behavior: an order with a currency of its own settles there alone, and needs a recipient where its organisation has none', async () => {
  const created = await client.ask('createOrder', { body: { mode: 'SALE', ...price, currency: onEthereum() } })
  expect(created).toMatchObject({ fulfillment: { recipient: merchant.organization.settlements[1]!.recipient, asset: { chain_id: 1 } } })
  expect(created.settlements).toBeUndefined()
  await client.refused('requestPayment', 422, {
    params: { order_id: created.id },
    body: { source: { currency: { chain_id: 8453, address: stage.base.token('USDC') }, payment_rail: 'CRYPTO' } },
  })
  const alone = await stage.merchant()
  const refused = await alone.at(process).refused('createOrder', 422, { body: { mode: 'SALE', ...price, currency: onEthereum() } })
  expect(refused).toMatchObject({ details: { issues: [{ path: 'recipient' }] } })
})

test('behavior: an amount without a currency is in units of the default, and the same amount on another chain', async () => {
  const created = await client.ask('createOrder', { body: { mode: 'SALE', amount: '20' } })
  expect(created).toMatchObject({
    price: { amount: '20', unit: `${stage.base.token('USDC')}-8453` },
    settlements: [{ amount: { raw: '20200000' } }, { amount: { raw: '20200000' } }, { chain_id: 1 }],
  })
})

test('error: an amount without a unit is refused while the default currency is not available, and one in fiat is payable elsewhere', async () => {
  const [known] = merchant.organization.settlements
  const away = { ...known, chainId: 10 as const }
  const other = (await stage.merchant({ settlements: [away, known] })).at(process)
  await other.refused('createOrder', 422, { body: { mode: 'SALE', amount: '20' } })
  expect(await other.ask('createOrder', { body: { mode: 'SALE', ...price } })).toMatchObject({ fulfillment: { asset: { chain_id: 8453 } } })
})

test('behavior: a refund address with a contract is used on its own chain only', async () => {
  const refund_address = someone()
  await stage.base.anvil.ask(['anvil_setCode', refund_address, '0x00'])
  const order = await checkout(client, price, { refund_address })
  await client.ask('requestPayment', { ...order.path, body: { source: { currency: onEthereum(), payment_rail: 'CRYPTO' } } })
  await stage.ethereum.sendToken(payers[0]!, 'USDC', order.deposit, order.required + dollars('5'))
  const done = await untilOrder(client, order.id, ({ status, payment }) => status === 'COMPLETED' && payment?.held?.length === 1)
  expect(done.payment).toMatchObject({ surplus: { raw: String(dollars('5')) }, held: [{ chain_id: 1, reason: 'surplus' }] })
  await expectBooks(stage, [order.id])
})

test('default: a merchant with a guard of its own reads what waits for it and signs, and nobody else can', async () => {
  const [key, back] = [generatePrivateKey(), someone()]
  const own = await stage.merchant({ guard: privateKeyToAddress(key).toLowerCase() })
  const [client, other] = [own.at(process), merchant.at(process)]
  const order = await checkout(client, price, { refund_address: back })
  await stage.base.sendToken(payers[0]!, 'USDC', order.deposit, order.required + dollars('5'))
  await untilStatus(client, order.id, 'COMPLETED')
  const [move] = await until(async () => {
    const { data } = await client.ask('listGuardMoves')
    return data.length > 0 ? data : undefined
  })
  const { typed_data, ...rest } = move!
  expect(rest).toMatchObject({ order_id: order.id, chain_id: 8453, guard: own.organization.guard, state: 'waiting' })
  expect(typed_data).toMatchObject({ primaryType: 'Move', message: { legs: [{ to: back }, {}] } })
  expect(await other.ask('listGuardMoves')).toMatchObject({ data: [], pagination: { total_count: 0 } })

  const signed = await privateKeyToAccount(key).signTypedData(typed_data as never)
  const form: Hex = `0x${signed.slice(2, -2)}${signed.endsWith('1b') ? '00' : '01'}`
  const handIn = (signature: string, digest = rest.digest) => ({ params: { digest }, body: { signature } })
  const wrong = await privateKeyToAccount(generatePrivateKey()).signTypedData(typed_data as never)
  const refusal = await client.refused('signGuardMove', 422, handIn(wrong))
  expect(refusal.details).toMatchObject({ problem: 'signature_not_accepted', issues: [{ path: 'signature' }] })
  await client.refused('signGuardMove', 400, handIn('0x1'))
  await client.refused('signGuardMove', 404, handIn(form, `0x${'5d'.repeat(32)}`))
  await other.refused('signGuardMove', 404, handIn(form))
  expect((await client.ask('listGuardMoves')).data).toMatchObject([{ state: 'waiting' }])
  for (let i = 0; i < 2; i++) expect(await client.ask('signGuardMove', handIn(form))).toEqual({ ...move, state: 'signed' })
  await untilOrder(client, order.id, ({ payment }) => payment?.refunds?.[0]?.state === 'confirmed')
  expect((await client.ask('listGuardMoves')).data).toEqual([])
  expect(await balance(stage.base, stage.base.token('USDC'), back)).toBeGreaterThan(0n)
})
