import { x402Client, x402HTTPClient } from '@x402/core/client'
import { decodePaymentRequiredHeader } from '@x402/core/http'
import { PaymentRequiredV2Schema } from '@x402/core/schemas'
import { ExactEvmScheme } from '@x402/evm/exact/client'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { payers } from '../../../local/chains/accounts.ts'
import { until } from '../../support/wait.ts'
import { startWorld, type World } from './support.ts'

/** The payer uses the official x402 packages and none of our code. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
afterAll(() => world?.close())

test('default: the official client pays our service, the order completes, the balance is debited once', async () => {
  const order = await world.order()
  const account = privateKeyToAccount(payers[0]!.private_key)
  const client = new x402HTTPClient(
    x402Client.fromConfig({ schemes: [{ network: 'eip155:*', client: new ExactEvmScheme(account) }], spendControls: false }),
  )
  const url = `${world.running.payUrl}/v3/orders/${order.id}/x402/complete`
  const before = await world.balance(account.address)

  const first = await fetch(url, { method: 'POST' })
  expect(first.status).toBe(402)
  expect(first.headers.get('cache-control')).toBe('no-store')
  expect(first.headers.get('access-control-expose-headers')).toContain('PAYMENT-REQUIRED')
  const required = client.getPaymentRequiredResponse((name) => first.headers.get(name))
  expect(PaymentRequiredV2Schema.parse(decodePaymentRequiredHeader(first.headers.get('payment-required')!))).toEqual(required)
  expect(required.accepts).toEqual([
    expect.objectContaining({ scheme: 'exact', network: 'eip155:8453', amount: '42500000', extra: { name: 'USD Coin', version: '2' } }),
  ])
  expect(await first.json()).toMatchObject({ code: 402, error: 'Payment Required' })

  const payload = await client.createPaymentPayload(required)
  const paid = await fetch(url, { method: 'POST', headers: client.encodePaymentSignatureHeader(payload) })
  const result = await client.processResponse(paid)
  expect(result).toMatchObject({
    status: 200,
    paymentStatus: 'settled',
    header: { success: true, network: 'eip155:8453', payer: account.address },
  })
  expect(result.body).toMatchObject({ order: { id: order.id, status: 'AWAITING_CONFIRMATION' } })

  await world.test.mine(3)
  const done = await until(async () => {
    await world.test.mine()
    const now = await world.get(order.id)
    return now.status === 'COMPLETED' ? now : undefined
  })
  expect(done.payment?.source_tx_hash).toBe((result.header as { transaction: string }).transaction)
  expect(before - (await world.balance(account.address))).toBe(42_500_000n)
})
