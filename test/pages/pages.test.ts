import { beforeAll, expect, test } from 'vitest'
import type { Hono } from 'hono'
import { limiter } from '../../server/http/limits.ts'
import { imageLimits, imageOf } from '../../server/pages/images.ts'
import { languageOf } from '../../server/pages/language.ts'
import { pages } from '../../server/pages/pages.ts'
import type { PagesParts } from '../../server/pages/pages-parts.ts'
import { remoteOrders, type RemoteService } from '../../server/pages/remote-orders.ts'
import { receiptSheet, render } from '../../src/render.tsx'
import type { OrderRead } from '../../src/wire/order-read.ts'
import { parseRepeats } from '../../src/wire/repeats.ts'
import * as orders from '../support/orders/orders.ts'
import { recordedService } from '../support/browser/recorded-service.ts'

const evil = orders.awaiting(
  {},
  {
    organization_name: '</script><script>alert(1)</script><!--',
    metadata: {
      items: [
        {
          name: '<img src=x onerror=alert(1)>',
          description: undefined,
          image: undefined,
          currency: undefined,
          quantity: undefined,
          unit_price: undefined,
        },
      ],
      reference: '"><svg onload=alert(1)>',
    },
  },
)
const shown = new Map<string, OrderRead>([
  ...Object.entries(orders.recorded).map(([name, make]): [string, OrderRead] => [name, make()]),
  ['evil', evil],
])
const png = Uint8Array.of(0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a, 1, 2, 3)

let app: Hono
const fetched: string[] = []
const api = recordedService(() => shown)
const answering = (fetch: NonNullable<RemoteService['fetch']>) =>
  remoteOrders({ baseUrl: 'https://api.example/v3', apiKey: 'pk_test', fetch })
const parts: PagesParts = {
  orders: answering((url, init) => api.request(url, init)),
  publicBaseUrl: 'https://api.example/v3',
  payUrl: 'https://pay.example',
  render,
  receiptSheet,
  assets: {
    dir: '/nowhere',
    manifest: { 'src/main.tsx': { file: 'assets/main-1.js' }, 'src/screens/secondary.tsx': { file: 'assets/secondary-1.js' } },
    scripts: [],
  },
  fetchImage: async (url) => {
    fetched.push(url)
    return url.includes('svg') ? new TextEncoder().encode('<svg onload=alert(1)>') : png
  },
  clock: () => orders.recordedNow,
  nonce: () => 'bm9uY2U=',
  log: { warn: () => {} },
}
beforeAll(() => {
  app = pages(parts)
})
const get = (path: string, headers: Record<string, string> = {}) => app.request(path, { headers })
const post = (path: string, fields: Record<string, string>, headers: Record<string, string> = {}) =>
  app.request(path, { method: 'POST', body: new URLSearchParams(fields), headers })

test('behavior: a problem code of our service is translated for the payer, and another service’s own sentence is kept', async () => {
  const html = await (await get('/pay/01-choose?locale=de')).text()
  expect(html).toContain('An Ihrem Standort nicht verfügbar. Karten gehen in der EU und den USA.')
  expect(html).not.toContain('Not available where you are')
  expect(html).toContain('<bdi>Wallet payments are not available here.</bdi>')
})

test('behavior: without scripts typed text is not lost: the page with an open form does not refresh itself', async () => {
  for (const [name, id] of [
    ['04-address', 'refund'],
    ['08-expired', 'tx'],
    ['09b-held', 'back'],
  ]) {
    const watching = await (await get(`/pay/${name}`)).text()
    expect(watching, name).toContain('http-equiv="refresh"')
    expect(watching, name).toContain(`form=#${id}`)
    expect(watching, name).toMatch(/class="ask js\b/)
    const typing = await (await get(`/pay/${name}?method=address&form=`)).text()
    expect(typing, name).not.toContain('http-equiv="refresh"')
    expect(typing, name).toMatch(/class="ask(?! js)\b/)
  }
})

test('default: every recorded state is a whole page, without a style attribute or an inline handler', async () => {
  for (const name of Object.keys(orders.recorded)) {
    const answer = await get(`/pay/${name}`)
    const html = await answer.text()
    expect(answer.status, name).toBe(200)
    expect(html, name).toMatch(/^<!doctype html>/)
    expect(html.match(/<h1/g), name).toHaveLength(1)
    expect(html, name).not.toMatch(/<[^>]+\sstyle=/)
    expect(html, name).not.toMatch(/<[^>]+\son\w+=/)
    expect(html, name).not.toMatch(/undefined|NaN|\[object/)
  }
})

test('behavior: the policy has a nonce and nothing unsafe, and nobody may frame the full page', async () => {
  const { headers } = await get('/pay/04-address')
  const policy = headers.get('content-security-policy') ?? ''
  expect(policy).not.toContain('unsafe')
  expect(policy).toContain("script-src 'nonce-bm9uY2U='")
  expect(policy).toContain("frame-ancestors 'none'")
  expect(policy).toContain("require-trusted-types-for 'script'")
  expect(policy).toContain("connect-src 'self' https://api.example wss://api.example")
  expect(headers.get('cross-origin-opener-policy')).toBe('same-origin-allow-popups')
  expect(headers.get('x-content-type-options')).toBe('nosniff')
  expect(headers.get('referrer-policy')).toBe('no-referrer')
  expect(headers.get('permissions-policy')).toContain('camera=()')
})

test('behavior: no text of a merchant breaks out of its place', async () => {
  const html = await (await get('/pay/evil')).text()
  expect(html).not.toContain('<script>alert')
  expect(html).not.toContain('<img src=x')
  expect(html).not.toContain('<svg onload')
  const data = /<script type="application\/json" id="boot">(.*?)<\/script>/s.exec(html)?.[1] ?? ''
  expect(parseRepeats(data)).toMatchObject({ boot: { order: { organization_name: evil.organization_name } } })
})

test('behavior: a form is answered by a page that can be reloaded, or by the reason next to its field', async () => {
  const refused = await post('/pay/01-choose?method=address&pick=', { act: 'currency', currency: '1-native' })
  expect(refused.status).toBe(422)
  expect(await refused.text()).toContain('This token is not available here.')
  const shape = await post('/pay/08-expired', { act: 'find', typed: 'hello' })
  expect(await shape.text()).toContain('This doesn’t look like a transaction hash.')
  const unfound = await post('/pay/08-expired', { act: 'find', typed: orders.hash })
  expect(await unfound.text()).toContain('No transfer with this hash was found.')
})

test('error: beyond its rate limit a client gets 422 for forms, which send nothing, and a list that says why it is empty; other clients are unaffected', async () => {
  const asked: string[] = []
  const limited = pages({
    ...parts,
    orders: answering((url, init) => {
      if (init?.method === 'POST' || url.includes('/search/')) asked.push(url)
      return api.request(url, init)
    }),
    addressOf: (c) => c.req.header('x-client') ?? '',
    lookups: limiter({ perSecond: 1 / 60, burst: 1 }, () => 0),
  })
  const find = (client: string) =>
    limited.request('/pay/08-expired', {
      method: 'POST',
      body: new URLSearchParams({ act: 'find', typed: orders.hash }),
      headers: { 'x-client': client },
    })
  expect(await (await find('one')).text()).toContain('No transfer with this hash was found.')
  const refused = await find('one')
  expect(refused.status).toBe(422)
  const often = await refused.text()
  expect(often).toContain('That was a little too often.')
  expect(often).toContain(`value="${orders.hash}"`)
  const search = await limited.request('/pay/01-choose?method=address&pick&q=dai', { headers: { 'x-client': 'one' } })
  expect(search.status).toBe(200)
  expect(await search.text()).toContain('That was a little too often.')
  expect(asked).toHaveLength(1)
  expect(await (await find('two')).text()).toContain('No transfer with this hash was found.')
})

test('error: another site’s form is refused, and an invalid form shows the page', async () => {
  expect((await post('/pay/01-choose', { act: 'currency', currency: '1-native' }, { 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect((await post('/pay/01-choose', { act: 'explode' })).status).toBe(200)
})

test('behavior: an unknown order and an unreachable service have pages of their own', async () => {
  expect((await get('/pay/none')).status).toBe(404)
  expect((await get('/pay/%2e%2e%2fapi-keys')).status).toBe(404)
  const down = pages({ ...parts, orders: answering(() => Promise.reject(new Error('offline'))) })
  const answer = await down.request('/pay/04-address')
  expect(answer.status).toBe(503)
  const html = await answer.text()
  expect(html).toContain('can’t be shown right now')
  // No script runs in it, so every browser reloads it by itself.
  expect(html.replace(/<noscript>.*?<\/noscript>/s, '')).toContain('http-equiv="refresh" content="15"')
  const page = await (await get('/pay/04-address')).text()
  expect(page.replace(/<noscript>.*?<\/noscript>/s, '')).not.toContain('http-equiv="refresh"')
})

test('behavior: a page is sent with the numbers that hydration needs, and with no others', async () => {
  const page = await (await get('/pay/04-address')).text()
  expect(page).toContain('"42.50":"42.50"')
  // The names at exchanges are in HTML that hydration leaves alone.
  expect(page).toContain('BEP20')
  expect(page).not.toContain('ERC20,BEP20')
})

test('behavior: the page works without the payment methods', async () => {
  const degraded = pages({
    ...parts,
    orders: answering((url, init) => (url.includes('/v2/') ? new Response('{}', { status: 500 }) : api.request(url, init))),
  })
  expect(await (await degraded.request('/pay/01-choose')).text()).toContain('We couldn’t load the ways to pay')
  expect(await (await degraded.request('/pay/04-address')).text()).toContain('Send <span')
})

test('behavior: a page without scripts refreshes while money may arrive, and not while the payer reads a list', async () => {
  const refresh = async (name: string) => /http-equiv="refresh" content="(\d+)"/.exec(await (await get(`/pay/${name}`)).text())?.[1]
  expect(await refresh('04-address')).toBe('10')
  expect(await refresh('06-confirming')).toBe('5')
  expect(await refresh('01-choose')).toBeUndefined()
  expect(await refresh('07-completed')).toBeUndefined()
})

test('behavior: the receipt is a self-contained file', async () => {
  const answer = await get('/pay/07-completed/receipt')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="receipt-NW-20418.html"')
  const html = await answer.text()
  for (const fact of ['42.50', 'Northwind Coffee', 'NW-20418', 'Base', '$28.50']) expect(html).toContain(fact)
  expect(html).not.toMatch(/<script|<link rel="modulepreload"|src=/)
  expect((await get('/pay/04-address/receipt')).status).toBe(303)
})

test('behavior: the receipt is printed for a paid order alone, and only so often for one client', async () => {
  const printing = pages(parts)
  const pdf = (name: string) => printing.request(`/pay/${name}/receipt.pdf`)
  const answer = await pdf('07-completed')
  expect(answer.headers.get('content-type')).toBe('application/pdf')
  expect(answer.headers.get('content-disposition')).toBe('attachment; filename="receipt-NW-20418.pdf"')
  expect(new TextDecoder('latin1').decode((await answer.arrayBuffer()).slice(0, 5))).toBe('%PDF-')
  for (const name of ['04-address', '09b-held', '09-refunded']) expect((await pdf(name)).status, name).toBe(303)
  expect((await pdf('none')).status).toBe(404)
  for (let i = 1; i < 20; i++) expect((await pdf('07-completed')).status).toBe(200)
  const refused = await pdf('07-completed')
  expect(refused.status).toBe(429)
  expect(refused.headers.get('retry-after')).toBe('10')
})

test('behavior: no more than eight prints wait at once, whoever asks', async () => {
  let client = 0
  const printing = pages({ ...parts, addressOf: () => `client ${client++}` })
  const answers = await Promise.all(Array.from({ length: 12 }, () => printing.request('/pay/07-completed/receipt.pdf')))
  expect(answers.map(({ status }) => status).sort()).toEqual([...Array(8).fill(200), ...Array(4).fill(429)])
  expect((await printing.request('/pay/07-completed/receipt.pdf')).status).toBe(200)
})

test('behavior: the language is the requested one, then the browser’s, then English', () => {
  expect(languageOf('uk', 'de')).toEqual({ locale: 'uk', asked: 'uk' })
  expect(languageOf(undefined, 'da, pt-PT;q=0.8, en;q=0.5').locale).toBe('pt-BR')
  expect(languageOf('xx', 'zh-TW').locale).toBe('zh-CN')
  expect(languageOf(undefined, 'de;q=0, tr;q=0.1').locale).toBe('tr')
  expect(languageOf(undefined, undefined).locale).toBe('en')
})

test('behavior: only images that an order names and whose bytes are an image are served', async () => {
  shown.set(
    'pictures',
    orders.pending({
      settings: { ...orders.pending().settings!, logo_url: 'https://cdn.example/logo.png' },
      metadata: {
        reference: 'x',
        items: [
          {
            name: 'Bean',
            image: 'https://cdn.example/evil.svg',
            description: undefined,
            currency: undefined,
            quantity: undefined,
            unit_price: undefined,
          },
        ],
      },
    }),
  )
  const logo = await get('/pay/pictures/logo')
  expect(logo.status).toBe(200)
  expect(logo.headers.get('content-type')).toBe('image/png')
  expect((await get('/pay/pictures/image/0')).status).toBe(404)
  expect((await get('/pay/pictures/image/1')).status).toBe(404)
  expect((await get('/pay/01-choose/logo')).status).toBe(404)
  await get('/pay/pictures/logo')
  expect(fetched).toEqual(['https://cdn.example/logo.png', 'https://cdn.example/evil.svg'])
  expect(imageOf(new Uint8Array(imageLimits.bytes + 1).fill(0xff))).toBeUndefined()
})

test('behavior: a script outside its folder cannot be requested', async () => {
  for (const path of ['/assets/..%2f..%2fpackage.json', '/assets/%2e%2e/x.js', '/assets/x.map']) expect((await get(path)).status).toBe(404)
})
