import { setTimeout as sleep } from 'node:timers/promises'
import { ExactSvmScheme } from '@x402/svm/exact/client'
import { expect, test } from 'vitest'
import { complete, encoded } from '../incoming/x402/support.ts'
import { full } from '../support/full.ts'
import { untilStatus } from '../support/orders/payments.ts'
import { startSolanaStage } from '../support/service/solana-stage.ts'
import { until } from '../support/wait.ts'

/** Delays in ms after the request: while it arrives, the order's account is opened, the payment is stored, queued, broadcast and included. */
const moments = full ? [0, 20, 60, 120, 250, 400, 600, 900, 1500] : [0, 120, 400, 900]

test(
  'behavior: killed at any moment of a payment on Solana, the service pays once, and the same or a new signature completes the order',
  { timeout: full ? 900_000 : 400_000 },
  async () => {
    const stage = await startSolanaStage({ slotMs: 400 })
    try {
      const merchant = await stage.merchant()
      for (const moment of moments) {
        const service = await stage.start()
        const order = await merchant.at(service).ask('createOrder', { body: { mode: 'SALE', amount: '42.50', fiat_unit: 'usd' } })
        const price = 42_500_000n
        const payer = await stage.wallets.newAccount()
        await stage.giveTokens(payer.address, 2n * price)
        await until(async () => (await stage.balance(payer.address, stage.usdc)) === 2n * price)
        const offer = (await complete(service.baseUrl, order.id)).required!.accepts[0]!
        const client = new ExactSvmScheme(payer, { rpcUrl: stage.solana.node.url })
        const sign = async () =>
          encoded({ x402Version: 2, accepted: offer, payload: (await client.createPaymentPayload(2, offer as never)).payload })
        let header = await sign()
        const sent = complete(service.baseUrl, order.id, header).catch(() => undefined)
        await sleep(moment)
        await service.kill9()
        await sent
        const next = await stage.start()
        await until(
          async () => {
            const { status } = await complete(next.baseUrl, order.id, header)
            // Its block may be too old by now, and then it has provably paid nothing.
            if (status === 402) header = await sign()
            return status === 200
          },
          { timeout: 90_000, every: 200, what: `paid after a kill at ${moment} ms` },
        )
        await untilStatus(merchant.at(next), order.id, 'COMPLETED')
        expect(await stage.balance(payer.address, stage.usdc)).toBe(price)
        await next.close()
      }
    } finally {
      await stage.close()
    }
  },
)
