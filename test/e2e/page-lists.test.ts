import { afterAll, beforeAll, expect, test } from 'vitest'
import { bitcoinChainId } from '../../local/bitcoin/start-local-bitcoin.ts'
import { solanaChainId } from '../../local/solana/start-local-solana.ts'
import { currencyKey, parseCurrencyKey } from '../../src/wire/funds.ts'
import { openShop, type Shop } from '../support/service/checkout.ts'
import { type Service, startService } from '../support/service/service.ts'

/** Every row of every list that the page shows leads to instructions, on every chain that runs here. */

let service: Service
let shop: Shop
beforeAll(async () => {
  service = await startService()
  shop = await openShop(service)
})
afterAll(() => service?.close())

const searches = ['', 'us', 'usdc', 'eth', 'dai', 'tether', '0x']

/** Returns the rows of the page's list, as a browser without scripts would submit them. */
async function rowsOf(url: string, search: string): Promise<string[]> {
  const html = await (await fetch(`${url}?method=address&pick&q=${search}`)).text()
  return [...html.matchAll(/name="currency" value="([^"]+)"/g)].map(([, key]) => key!)
}

test('default: each row of the list of networks and tokens leads to an address and an amount of just that currency', async () => {
  const { id, hosted_url: url } = await shop.order()
  const rows = new Set((await Promise.all(searches.map((search) => rowsOf(url, search)))).flat())
  const chains = new Set([...rows].map((key) => parseCurrencyKey(key)?.chain_id))
  expect(chains).toEqual(new Set([8453, 1, bitcoinChainId, solanaChainId]))
  expect(rows.size).toBeGreaterThanOrEqual(8)
  for (const key of rows) {
    const form = new URLSearchParams({ act: 'currency', currency: key })
    const answer = await fetch(url, { method: 'POST', body: form })
    const order = await shop.read(id)
    const step = order.payment?.steps[0]
    if (step?.kind !== 'deposit') throw new Error(`${key} leads to no deposit step`)
    expect(currencyKey(step.data.currency), key).toBe(key)
    const html = await answer.text()
    expect(html.replaceAll(/<[^>]*>/g, ''), key).toContain(step.data.deposit_address)
    expect(html, key).toContain(order.payment!.funding!.required_amount.ui.replace(/(\.\d*?)0+$/, '$1').replace(/\.$/, ''))
  }
})

test('behavior: what the list says a currency costs is what is asked for then', async () => {
  const { id } = await shop.order()
  const { currencies } = await shop.client.ask('searchCurrencies', { query: { q: 'us', order_id: id } })
  const unpayable = currencies.filter(({ payable }) => !payable)
  // Nothing is converted on Solana, and USDT is not among what the shop is paid in there.
  expect(unpayable.map(({ chain_id, symbol }) => [chain_id, symbol])).toEqual([[solanaChainId, 'USDT']])
  for (const { chain_id, address, amount } of currencies.filter(({ payable }) => payable)) {
    const currency = { chain_id, address }
    await shop.client.ask('requestPayment', { params: { order_id: id }, body: { source: { currency, payment_rail: 'CRYPTO' } } })
    expect((await shop.read(id)).payment?.funding?.required_amount).toEqual(amount)
  }
})
