// @vitest-environment happy-dom
import { expect, test } from 'vitest'
import type { FlowPorts } from '../../src/methods/method.ts'
import { payBySignature } from '../../src/methods/wallet/pay-by-signature.ts'
import { keep, keptFor } from '../../src/methods/wallet/kept-signature.ts'
import { runFlow } from '../../src/model/running-flow.ts'
import * as orders from '../support/orders/orders.ts'

/** A stored signature that did not pay is checked again without its wallet. */

const offer = {
  scheme: 'exact',
  network: 'eip155:8453',
  amount: '42500000',
  asset: orders.usdc.address,
  payTo: orders.depositAddress,
  maxTimeoutSeconds: 600,
  extra: { name: 'USD Coin', version: '2' },
}
function refusedFor(error: string, accepts: readonly object[]) {
  const required = btoa(JSON.stringify({ x402Version: 2, error, resource: { url: 'https://pay.example' }, accepts }))
  return async () => new Response(null, { status: 402, headers: { 'PAYMENT-REQUIRED': required } })
}
async function look(id: string, error: string, accepts: readonly object[]) {
  const order = { ...orders.pending(), id }
  keep(id, { header: 'signed', until: orders.recordedNow + 600_000, from: '0x1' })
  const ports = { api: { post: refusedFor(error, accepts) }, order: () => order, refresh: async () => {}, now: () => orders.recordedNow }
  const flow = runFlow(payBySignature, async () => ports as unknown as FlowPorts)
  void flow.run({ do: 'list' })
  await expect.poll(() => flow.step.value?.at).toMatch(/^(list|unsent)$/)
  const step = flow.step.value
  flow.stop()
  return step
}

test('behavior: a signature whose account has an insufficient balance is dropped in favour of another wallet', async () => {
  const step = await look('ord_poor', 'invalid_exact_evm_insufficient_balance', [offer])
  expect(step).toMatchObject({ at: 'list', notice: { code: 'failed_transfer' } })
  expect(keptFor('ord_poor', orders.recordedNow)).toBeUndefined()
})

test('behavior: a signature that failed on the network is kept and may be sent again', async () => {
  const step = await look('ord_undone', 'invalid_exact_evm_transaction_failed', [offer])
  expect(step).toMatchObject({ at: 'unsent', notice: { code: 'failed_transfer' } })
  expect(keptFor('ord_undone', orders.recordedNow)).toBeDefined()
})

test('behavior: a signature that the service is still waiting for is kept, whatever its account lacks', async () => {
  const step = await look('ord_claimed', 'invalid_exact_evm_insufficient_balance', [])
  expect(step).toMatchObject({ at: 'unsent' })
  expect(keptFor('ord_claimed', orders.recordedNow)).toBeDefined()
})
