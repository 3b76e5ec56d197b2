import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readConfig } from '../../server/config.ts'
import { pages } from '../../server/pages/pages.ts'
import { remoteOrders } from '../../server/pages/remote-orders.ts'
import { render } from '../../src/render.tsx'
import { localeCodes } from '../../src/wire/locale.ts'
import { parseRepeats } from '../../src/wire/repeats.ts'
import { full } from '../support/full.ts'
import { changedAt, evmAddress, pathsToMoney, termedOrder } from '../support/orders/termed-order.ts'
import { recordedNow } from '../support/orders/orders.ts'

/** What the page server shows of an order whose address does not follow from its terms. */

const [valid] = fc.sample(
  termedOrder.filter(({ order }) => order.payment?.steps[0]?.kind === 'deposit'),
  { seed: 11, numRuns: 1 },
)
const { order, address, factory } = valid!
const shown = address.slice(2, 6)

function pageOf(served: object, withFactory: boolean, path = `/pay/${order.id}?method=address`) {
  const answer = (url: string) => Response.json(url.includes('payment-methods') ? { methods: [] } : served)
  const app = pages({
    orders: remoteOrders({ baseUrl: 'https://api.example/v3', apiKey: 'pk', fetch: answer }),
    publicBaseUrl: 'https://api.example/v3',
    payUrl: 'https://pay.example',
    factory: withFactory ? factory : undefined,
    render,
    receiptSheet: () => undefined,
    assets: { dir: '/nowhere', manifest: { 'src/main.tsx': { file: 'assets/main-1.js' } }, scripts: [] },
    fetchImage: () => Promise.reject(new Error('none')),
    clock: () => recordedNow,
    nonce: () => 'bm9uY2U=',
    log: { warn: () => {} },
  })
  return app.request(path)
}

test('default: an order that follows from its terms is shown, and the browser has to check it', async () => {
  const response = await pageOf(order, true)
  const html = await response.text()
  expect(response.status).toBe(200)
  expect(html).toContain('data-unchecked>')
  expect(html).toContain(shown)
  expect(parseRepeats(/id="boot">([^<]*)</.exec(html)![1]!)).toMatchObject({ boot: { factory, order: { terms: order.terms } } })
})

test('property: no page shows an address of an order in which one value was changed', async () => {
  // The page does not read who receives which settlement, so a change there changes nothing that it shows.
  const isUnread = ([member, ...rest]: readonly (string | number)[]) =>
    (member === 'settlements' && rest.length === 2) || (member === 'payment' && rest[0] === 'recipient')
  const paths = pathsToMoney(order).filter((path) => !isUnread(path))
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...paths), evmAddress, fc.integer({ min: 2, max: 9 }), async (path, other, whole) => {
      const changed = changedAt(order, path, (value) =>
        typeof value === 'boolean' ? !value : typeof value === 'number' ? value + whole : other,
      )
      const response = await pageOf(changed, true)
      const html = await response.text()
      expect(html, path.join('.')).not.toContain('id="address"')
      expect(html).not.toContain(other)
    }),
    { numRuns: full ? 1_000 : 40 },
  )
})

test('error: the payer reads in his language that he must not pay, and reads no address', async () => {
  const stolen = changedAt(order, ['payment', 'steps', 0, 'data', 'deposit_address'], () => factory)
  for (const locale of localeCodes) {
    const response = await pageOf(stolen, true, `/pay/${order.id}?method=address&locale=${locale}`)
    expect(response.status).toBe(502)
    const html = await response.text()
    expect(html).not.toContain(factory.slice(2, 6))
    if (locale === 'en') expect(html).toContain('Please don’t pay, and tell the merchant.')
    else expect(html).not.toContain('Please don’t pay')
  }
  expect((await pageOf({ ...order, terms: undefined }, true)).status).toBe(502)
})

test('behavior: without a factory nothing is checked', async () => {
  const response = await pageOf({ ...order, terms: undefined }, false)
  expect(response.status).toBe(200)
  expect(await response.text()).not.toContain('data-unchecked>')
})

test('behavior: pages in front of another service know the factory from their configuration', () => {
  const env = { BASE_URL: 'https://api.example/v3', API_KEY: 'pk', API_SECRET: 'sk' }
  expect(readConfig(env)).toMatchObject({ mode: 'pages', factory: undefined })
  expect(readConfig({ ...env, TILL_FACTORY: factory })).toMatchObject({ factory })
  expect(() => readConfig({ ...env, TILL_FACTORY: 'till' })).toThrow('TILL_FACTORY must be an EVM address, and is "till".')
})
