import { setTimeout as sleep } from 'node:timers/promises'
import { payers } from '../local/chains/accounts.ts'
import { openBrowser, openPhone } from './browser.ts'
import type { Figure } from './figures.ts'
import type { Fixture } from './fixture.ts'
import { call } from './http.ts'
import { createPayableOrder } from './orders.ts'

const most = 2_000

/** Pays an order while its page is offline, and measures how long after reconnecting the page shows it. */
export async function reconnectFigures(fixture: Fixture): Promise<Figure[]> {
  const origin = new URL(fixture.baseUrl).origin
  const { id, to, raw } = await createPayableOrder(fixture)
  const browser = await openBrowser()
  try {
    const page = await openPhone(browser)
    await page.goto(`${origin}/pay/${id}`)
    await page.waitForSelector('#till[data-ready=live]')
    await page.context().setOffline(true)
    await page.getByText('Connection lost. Your payment is safe.').waitFor({ timeout: 60_000 })
    await fixture.base.sendToken(payers[3] ?? payers[0]!, 'USDC', to, raw)
    for (let status = ''; status !== 'COMPLETED'; await sleep(100)) {
      await fixture.base.mine()
      const order = JSON.parse(await call('GET', `${fixture.baseUrl}/orders/${id}`, { 'x-api-key': fixture.apiKey })) as { status: string }
      status = order.status
    }
    let start = performance.now()
    await page.context().setOffline(false)
    await page.getByRole('region', { name: 'Receipt' }).waitFor({ timeout: 30_000 })
    const till = performance.now() - start
    start = performance.now()
    await page.evaluate(
      ([url, key]) => fetch(url!, { headers: { 'X-API-KEY': key! } }).then((answer) => answer.json()),
      [`${fixture.baseUrl}/orders/${id}`, fixture.apiKey],
    )
    const plain = performance.now() - start
    return [{ what: 'right state after reconnecting', unit: 'ms', till, plain, by: 'one GET of the order on that line', budget: most }]
  } finally {
    await browser.stop()
  }
}
