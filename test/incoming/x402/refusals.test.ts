import { encodeAbiParameters, keccak256, toHex, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { PaymentPayload } from '../../../src/wire/x402.ts'
import { TestSender } from '../../../server/chains/evm/contracts/artifacts/TestSender.ts'
import { type LocalAccount, payers } from '../../../local/chains/accounts.ts'
import { until } from '../../support/wait.ts'
import { bringToChain, encoded, offerOf, sign, startWorld, type World } from './support.ts'

let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

const [alice, bob, thirdParty] = payers as [LocalAccount, LocalAccount, LocalAccount]
const poor: LocalAccount = (() => {
  const private_key = keccak256(toHex('nobody gave it anything'))
  return { private_key, address: privateKeyToAccount(private_key).address }
})()
const soon = (seconds: number) => Math.floor(Date.now() / 1000) + seconds

async function refusedWith(orderId: string, payload: unknown, error: string) {
  const answer = await world.complete(orderId, encoded(payload))
  expect(answer).toMatchObject({
    status: 402,
    required: { x402Version: 2, error },
    body: { code: 402, error: 'Payment Required' },
    response: undefined,
  })
  expect(answer.headers.get('cache-control')).toBe('no-store')
  expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  expect(answer.headers.get('access-control-expose-headers')).toContain('PAYMENT-RESPONSE')
  expect(answer.body.message).toMatch(/^[A-Z].+\.$/)
  return answer
}

describe('a payment that differs from the offer: 402 with a fresh offer and the reason', () => {
  const changed = (payload: PaymentPayload, accepted: object): PaymentPayload => ({
    ...payload,
    accepted: { ...payload.accepted, ...accepted },
  })
  const noMatch = 'No matching payment requirements'

  test.for([
    ['another amount', { amount: '1' }],
    ['another receiver', { payTo: thirdParty.address }],
    ['another network', { network: 'eip155:1' }],
    ['another asset', { asset: thirdParty.address }],
    ['another scheme', { scheme: 'upto' }],
    ['another time', { maxTimeoutSeconds: 1 }],
    ['another name to sign for', { extra: { name: 'USDC', version: '2' } }],
  ] as const)('error: a payment that accepts %s is refused', async ([, change]) => {
    const order = await world.order()
    const { required } = await refusedWith(order.id, changed(await sign(await offerOf(world, order.id)), change), noMatch)
    expect(required?.accepts).toHaveLength(1)
  })

  test('error: a lower-cased echo of the offer is refused', async () => {
    const order = await world.order()
    const offer = await offerOf(world, order.id)
    await refusedWith(order.id, changed(await sign(offer), { payTo: offer.payTo.toLowerCase() }), noMatch)
    await refusedWith(order.id, changed(await sign(offer), { asset: offer.asset.toLowerCase() }), noMatch)
  })

  test("error: another order's signature is refused", async () => {
    const [first, other] = [await world.order(), await world.order()]
    await refusedWith(first.id, await sign(await offerOf(world, other.id)), noMatch)
  })

  test('error: a signature for another amount, receiver or time than the accepted one is refused', async () => {
    const order = await world.order()
    const offer = await offerOf(world, order.id)
    await refusedWith(order.id, await sign(offer, { value: '42499999' }), 'invalid_exact_evm_payload_authorization_value_mismatch')
    await refusedWith(order.id, await sign(offer, { to: thirdParty.address }), 'invalid_exact_evm_recipient_mismatch')
    await refusedWith(order.id, await sign(offer, { validBefore: soon(-1) }), 'invalid_exact_evm_payload_authorization_valid_before')
    await refusedWith(order.id, await sign(offer, { validBefore: soon(4) }), 'invalid_exact_evm_payload_authorization_valid_before')
    await refusedWith(order.id, await sign(offer, { validAfter: soon(60) }), 'invalid_exact_evm_payload_authorization_valid_after')
  })

  test('error: a signature by another account, for another token, or missing is refused', async () => {
    const order = await world.order()
    const offer = await offerOf(world, order.id)
    await refusedWith(order.id, await sign(offer, { payer: alice, from: bob.address }), 'invalid_exact_evm_signature')
    const elsewhere = await sign({ ...offer, asset: thirdParty.address })
    await refusedWith(order.id, { ...elsewhere, accepted: offer }, 'invalid_exact_evm_signature')
    const payload = await sign(offer)
    await refusedWith(order.id, { ...payload, payload: { ...payload.payload, signature: '0x00' } }, 'invalid_exact_evm_signature')
  })

  test('error: an insufficient balance is refused', async () => {
    const order = await world.order()
    await refusedWith(order.id, await sign(await offerOf(world, order.id), { payer: poor }), 'invalid_exact_evm_insufficient_balance')
  })

  test('error: an undeployed contract wallet is refused unless its factory is allowed', async () => {
    const order = await world.order()
    const payload = await sign(await offerOf(world, order.id), { payer: poor })
    const wrapped = encodeAbiParameters(
      [{ type: 'address' }, { type: 'bytes' }, { type: 'bytes' }],
      [thirdParty.address as Hex, '0x1234', payload.payload.signature as Hex],
    )
    const signature = `${wrapped}${'6492'.repeat(16)}`
    await refusedWith(order.id, { ...payload, payload: { ...payload.payload, signature } }, 'eip6492_factory_not_allowed')
  })

  test('error: a cancelled nonce is refused', async () => {
    const order = await world.order()
    const payload = await sign(await offerOf(world, order.id), { payer: bob })
    const { nonce } = payload.payload.authorization
    const signature = await privateKeyToAccount(bob.private_key).signTypedData({
      domain: { name: 'USD Coin', version: '2', chainId: 8453, verifyingContract: world.dollar as Hex },
      types: {
        CancelAuthorization: [
          { name: 'authorizer', type: 'address' },
          { name: 'nonce', type: 'bytes32' },
        ],
      },
      primaryType: 'CancelAuthorization',
      message: { authorizer: bob.address as Hex, nonce: nonce as Hex },
    })
    const { transferWithAuthorization: abi } = await import('./support.ts')
    await world.test.call(thirdParty, {
      address: world.dollar,
      abi,
      functionName: 'cancelAuthorization',
      args: [bob.address, nonce, signature],
    })
    await refusedWith(order.id, payload, 'invalid_exact_evm_nonce_already_used')
  })
})

describe('unreadable requests: 400', () => {
  test.for([
    ['nothing', ''],
    ['not base64', '%%%%'],
    ['base64 of no JSON', Buffer.from('hello').toString('base64')],
    ['without its padding', encoded({ a: 1 }).replace(/=+$/, '')],
    ['in the URL alphabet', encoded({ x402Version: 2, a: '???>>>' }).replaceAll('/', '_').replaceAll('+', '-')],
    ['not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]).toString('base64')],
    ['JSON of something else', encoded({ x402Version: 2, accepted: {}, payload: {} })],
    ['an older version', encoded({ x402Version: 1, scheme: 'exact', network: 'base', payload: {} })],
    ['far too long', 'A'.repeat(13_000)],
  ] as const)('error: %s', async ([, header]) => {
    const order = await world.order()
    const answer = await world.complete(order.id, header)
    expect(answer).toMatchObject({ status: 400, required: undefined, body: { code: 400 } })
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('access-control-allow-origin')).toBe('*')
  })

  test('error: an amount out of range, an invalid account and an invalid nonce are refused', async () => {
    const order = await world.order()
    const payload = await sign(await offerOf(world, order.id))
    const withChange = (change: object) =>
      encoded({ ...payload, payload: { ...payload.payload, authorization: { ...payload.payload.authorization, ...change } } })
    for (const change of [
      { value: '1'.repeat(79) },
      { value: '-1' },
      { value: '1e3' },
      { from: '0x12' },
      { nonce: '0x' },
      { validBefore: '' },
    ]) {
      expect(await world.complete(order.id, withChange(change))).toMatchObject({ status: 400 })
    }
  })
})

test('error: an unknown order is 404, and an invalid body 400', async () => {
  const missing = await world.complete('ord_nothing-of-that-name', undefined)
  expect(missing).toMatchObject({ status: 404, required: undefined })
  expect(missing.headers.get('cache-control')).toBe('no-store')
  expect(missing.headers.get('access-control-allow-origin')).toBe('*')
  const order = await world.order()
  expect(await world.complete(order.id, undefined, { preferred_chain_id: 'base' })).toMatchObject({ status: 400 })
  expect(await world.complete(order.id, undefined, { preferred_chain_id: 8453, preferred_chain_type: 'EVM' })).toMatchObject({
    status: 402,
  })
})

describe('a payment that was made counts', () => {
  test('behavior: the same signature gets the same answer before and after the order is done, and another one is 409', async () => {
    const order = await world.order()
    const offer = await offerOf(world, order.id)
    const payload = await sign(offer, { payer: bob })
    const before = await world.balance(bob.address)
    const first = await world.complete(order.id, encoded(payload))
    expect(first).toMatchObject({
      status: 200,
      response: { success: true, network: 'eip155:8453' },
      body: { order: { status: 'AWAITING_CONFIRMATION' } },
    })
    const again = await world.complete(order.id, encoded(payload))
    expect(again).toMatchObject({ status: 200 })
    expect(again.response).toEqual(first.response)

    const closed = await world.complete(order.id)
    expect(closed).toMatchObject({ status: 402, required: { accepts: [], error: 'order_not_payable' } })
    expect(await world.complete(order.id, encoded(await sign(offer, { payer: alice })))).toMatchObject({
      status: 409,
      required: undefined,
      body: { code: 409 },
    })

    await until(async () => {
      await world.test.mine()
      return (await world.get(order.id)).status === 'COMPLETED'
    })
    expect((await world.complete(order.id, encoded(payload))).response).toEqual(first.response)
    expect(await world.complete(order.id, encoded(await sign(offer, { payer: alice })))).toMatchObject({ status: 409 })
    expect(before - (await world.balance(bob.address))).toBe(42_500_000n)
  })

  test('behavior: the payer has paid, whoever brings the signature to the chain', async () => {
    const order = await world.order()
    const payload = await sign(await offerOf(world, order.id), { payer: bob })
    const txHash = await bringToChain(world, thirdParty, payload)
    const answer = await world.complete(order.id, encoded(payload))
    expect(answer).toMatchObject({ status: 200, response: { success: true, transaction: txHash }, body: { order: { id: order.id } } })
    expect((await world.complete(order.id, encoded(payload))).response).toEqual(answer.response)
    await until(async () => (await world.get(order.id)).status !== 'PENDING')
    expect(await world.complete(order.id)).toMatchObject({ status: 402, required: { accepts: [] } })
  })

  test('behavior: a contract wallet can sign too (ERC-1271)', async () => {
    const wallet = (await world.test.deploy(TestSender, [alice.address])).toLowerCase()
    await world.test.sendToken(bob, 'USDC', wallet, 50_000_000n)
    const order = await world.order()
    const offer = await offerOf(world, order.id)
    const wrong = await sign(offer, { payer: bob, from: wallet })
    await refusedWith(order.id, wrong, 'invalid_exact_evm_signature')
    const answer = await world.complete(order.id, encoded(await sign(offer, { payer: alice, from: wallet })))
    expect(answer).toMatchObject({ status: 200, response: { success: true } })
    expect(answer.response?.payer?.toLowerCase()).toBe(wallet)
    expect(await world.balance(wallet)).toBe(7_500_000n)
  })

  test('behavior: partly paid and expired orders offer nothing to sign', async () => {
    const order = await world.order()
    const payload = await sign(await offerOf(world, order.id), { payer: bob })
    await world.test.sendToken(alice, 'USDC', payload.accepted.payTo, 10_000_000n)
    await world.test.mine(3)
    await until(async () => (await world.get(order.id)).status === 'PARTIAL_PAYMENT')
    expect(await world.complete(order.id)).toMatchObject({ status: 402, required: { accepts: [], error: 'order_not_payable' } })
    expect(await world.complete(order.id, encoded(payload))).toMatchObject({ status: 409, required: undefined })
    const { methods } = await world.client.ask('paymentMethods', { params: { order_id: order.id } })
    expect(methods[0]).toMatchObject({ method: 'WALLET', available: false })

    const late = await world.order()
    const lateOffer = await offerOf(world, late.id)
    const { sql } = world.running.engine
    await sql`update orders set state = jsonb_set(state, '{expiresAt}', ${Date.now() - 1}::text::jsonb), next_tick = now() where id = ${late.id}`
    await until(async () => (await world.get(late.id)).status === 'EXPIRED')
    expect(await world.complete(late.id)).toMatchObject({ status: 402, required: { accepts: [], error: 'order_not_payable' } })
    expect(await world.complete(late.id, encoded(await sign(lateOffer)))).toMatchObject({ status: 409 })
  })

  test('default: the wallet method is offered while a signature can really pay', async () => {
    const order = await world.order()
    const { methods } = await world.client.ask('paymentMethods', { params: { order_id: order.id } })
    expect(methods[0]).toEqual({ method: 'WALLET', available: true })
  })
})

test('behavior: instructions requested later do not revoke an older offer before its quote ends', async () => {
  const order = await world.order()
  const older = await offerOf(world, order.id)
  await world.running.engine
    .sql`insert into local_prices (id, usd) values ('USDC', '0.999') on conflict (id) do update set usd = excluded.usd`
  const asset = order.fulfillment.asset
  await world.client.ask('requestPayment', {
    params: { order_id: order.id },
    body: { source: { currency: { chain_id: asset.chain_id, address: asset.address }, payment_rail: 'CRYPTO' } },
  })
  await world.running.engine.sql`delete from local_prices where id = 'USDC'`
  await offerOf(world, order.id)
  expect(await world.complete(order.id, encoded(await sign(older, { payer: bob })))).toMatchObject({
    status: 200,
    body: { order: { status: 'AWAITING_CONFIRMATION' } },
  })
})
