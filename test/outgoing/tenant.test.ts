import { expect, test } from 'vitest'
import type { Payout } from '../../server/chains/payouts.ts'
import type { Settlement } from '../../server/orders/model/order.ts'
import { orderEffects } from '../../server/orders/order-effects.ts'
import { usdc } from '../orders/model/support.ts'

const legs = [{ role: 'recipient', to: '0x1', amount: 1n }] as const
const planned: Settlement = { id: 's2', token: usdc, legs, transfers: [], state: 'planned' } as never
const confirmed = (paid: readonly boolean[]): Settlement => ({ ...planned, id: 's1', state: 'confirmed', paid })

async function enqueuedFor(settlements: readonly Settlement[]): Promise<Payout> {
  const enqueued: Payout[] = []
  const chain = { id: usdc.chainId, payouts: { enqueue: async (_: unknown, payout: Payout) => void enqueued.push(payout) } }
  const order = { id: 'ord_1', organizationId: 'org_1', terms: {}, settlements }
  const change = { engine: { chains: new Map([[usdc.chainId, chain]]) }, tx: undefined }
  const { settlement_planned: effect } = orderEffects
  await effect!.perform(change as never, order as never, { type: 'settlement_planned', ...planned } as never)
  return enqueued[0]!
}

test('default: the settlements of an organisation may share a transaction', async () => {
  expect(await enqueuedFor([planned])).toMatchObject({ tenant: 'org_1', alone: false })
  expect(await enqueuedFor([confirmed([true]), planned])).toMatchObject({ tenant: 'org_1', alone: false })
})

test.each([
  ['has failed', { ...planned, id: 's1', state: 'failed' as const }],
  ['has not paid everybody', confirmed([true, false])],
])('behavior: an order of which a settlement %s goes alone', async (_, earlier) => {
  expect(await enqueuedFor([earlier, planned])).toMatchObject({ tenant: 'org_1', alone: true })
})
