import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import type { Hex } from 'viem'
import { createClient } from '../support/client/client.ts'
import { full } from '../support/full.ts'
import { createPayer } from '../support/wallets/payer.ts'
import { startService, type Service } from '../support/service/service.ts'
import { until } from '../support/wait.ts'
import { complete, encoded, sign } from '../incoming/x402/support.ts'

interface Fixtures {
  readonly organization: { api_key: string; api_secret: string }
  readonly chains: readonly { chain_id: number; rpc_url: string }[]
  readonly accounts: readonly { address: string; private_key: Hex }[]
}

/** Delays in ms after the request: while it arrives, is stored, queued, broadcast and mined. */
const moments = full ? [0, 10, 20, 40, 80, 160, 400, 1200] : [0, 15, 60, 400]

test(
  'behavior: killed at any moment of a payment, the service pays once, and the same signature reports it',
  { timeout: full ? 900_000 : 400_000 },
  async () => {
    const first = await startService()
    let service: Service = first
    try {
      for (const moment of moments) {
        const fixtures = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as Fixtures
        const client = createClient(service.baseUrl, { apiKey: fixtures.organization.api_key, secret: fixtures.organization.api_secret })
        const rpcOf = (of: Fixtures) => of.chains.find(({ chain_id }) => chain_id === 8453)!.rpc_url
        const payer = fixtures.accounts[3]!
        const order = await client.ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
        const asset = order.fulfillment.asset.address
        const offer = (await complete(service.baseUrl, order.id)).required!.accepts[0]!
        const header = encoded(await sign(offer, { payer }))
        const before = await createPayer(rpcOf(fixtures), payer.private_key).balance(asset, payer.address)

        const sent = complete(service.baseUrl, order.id, header).catch(() => undefined)
        await sleep(moment)
        await service.kill9()
        await sent
        service = await startService({ dataFolder: service.dataFolder })

        const answer = await until(
          async () => {
            const answer = await complete(service.baseUrl, order.id, header)
            return answer.status === 200 ? answer : undefined
          },
          { what: `paid after a kill at ${moment} ms` },
        )
        expect(answer.response).toMatchObject({ success: true })
        const get = () => createClient(service.baseUrl, client.keys).ask('getOrder', { params: { order_id: order.id } })
        await until(async () => (await get()).status === 'COMPLETED')
        const again = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as Fixtures
        expect(before - (await createPayer(rpcOf(again), payer.private_key).balance(asset, payer.address))).toBe(42_500_000n)
      }
    } finally {
      await service.close()
      // The first process created the data folder, so it removes it.
      await first.close()
    }
  },
)
