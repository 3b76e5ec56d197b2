import { createHash, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { logScript } from './log.ts'
import {
  basket,
  type Link,
  type Product,
  products,
  scenariosPage,
  shopPage,
  shopStyle,
  thanksPage,
  wayPage,
  type Scenario,
  otherCoins,
} from './page.ts'
import { createOrder, isFromTill, isOurs, type Keys, type Price, type WebhookOrder } from './till-api.ts'
import { ways } from './ways.ts'

export interface Shop {
  readonly url: string
  stop(): Promise<void>
}

const styleHash = createHash('sha256').update(shopStyle).digest('base64')
/** The demo runs under a strict policy, to prove that a shop which embeds Till needs no `unsafe-` source. */
const policyFor = (payUrl: string, nonce: string): string =>
  `default-src 'none'; style-src 'sha256-${styleHash}'; script-src 'nonce-${nonce}'; frame-src ${payUrl}; connect-src 'self'; form-action 'self' ${payUrl}; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'`
const maxBytes = 1_000_000
const scenarios = '/scenarios'
const links: readonly Link[] = [...ways, { path: scenarios, name: 'Scenarios' }]

async function bodyOf(request: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request) {
    if (!Buffer.isBuffer(chunk)) continue
    size += chunk.length
    if (size > maxBytes) throw new Error('the body is too large')
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

/** This is a merchant's whole server. It creates orders, sends payers to the hosted page, and trusts only the signed webhook. */
export async function startShop(keys: () => Keys, port: number): Promise<Shop> {
  const eventsOf = new Map<string, string[]>()
  /** A webhook's order is compared with the price that this server asked for. A real shop keeps these in a table. */
  const prices = new Map<string, Price>()
  const createAndRemember = async (body: object) => {
    const order = await createOrder(keys(), body)
    prices.set(order.id, order.price)
    return order
  }
  const orderFor = (lines: readonly Product[], amount: string) =>
    createAndRemember({
      mode: 'SALE',
      amount,
      fiat_unit: 'usd',
      metadata: {
        reference: `NW-${Date.now() % 100_000}`,
        items: lines.map(({ name, detail, price }) => ({
          name,
          description: detail,
          quantity: 1,
          unit_price: Number(price),
          currency: 'usd',
        })),
      },
      settings: { theme_color: '#0f4c5c', return_url: `${shop.url}/` },
    })
  const payUrl = () => new URL(keys().baseUrl).origin
  const show = (response: ServerResponse, html: string, nonce = randomBytes(16).toString('base64')) =>
    response
      .writeHead(200, {
        'content-type': 'text/html; charset=utf-8',
        'content-security-policy': policyFor(payUrl(), nonce),
        'referrer-policy': 'no-referrer',
        'x-content-type-options': 'nosniff',
      })
      .end(html)

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<unknown> => {
    const { pathname } = new URL(request.url ?? '/', 'http://shop')
    if (request.method === 'GET' && pathname === '/') return show(response, shopPage(links))
    const way = ways.find(({ path }) => path === pathname)
    if (request.method === 'GET' && way) {
      const nonce = randomBytes(16).toString('base64')
      return show(response, wayPage(way, links, payUrl(), nonce), nonce)
    }
    if (request.method === 'GET' && pathname === '/log.js')
      return response.writeHead(200, { 'content-type': 'text/javascript; charset=utf-8' }).end(logScript)
    if (request.method === 'GET' && pathname === scenarios)
      return show(response, scenariosPage(await scenariosOf(payUrl()), links, scenarios))
    const orderId = /^\/orders\/([\w-]+)$/.exec(pathname)?.[1]
    if (request.method === 'GET' && orderId) return show(response, thanksPage(orderId, eventsOf.get(orderId) ?? [], links))
    // Without this check, forms and scripts of other sites could create orders in the shop's name.
    if (request.method === 'POST' && pathname !== '/webhook' && request.headers['sec-fetch-site'] === 'cross-site')
      return response.writeHead(403).end()
    if (request.method === 'POST' && pathname === '/checkout') {
      // The browser gets only the id, because a payer could change an amount or recipient that came from there.
      const order = await orderFor(basket.lines, basket.total)
      return response.writeHead(201, { 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' }).end(order.id)
    }
    const product = products.find(({ id }) => pathname === `/buy/${id}`)
    if (request.method === 'POST' && product) {
      const order = await orderFor([product], product.price)
      return response.writeHead(303, { location: order.hosted_url }).end()
    }
    const [, scenarioName, family] = /^\/scenarios\/([\w-]+)(?:\/(\w+))?$/.exec(pathname) ?? []
    const scenario = scenarioName !== undefined && (await scenariosOf(payUrl())).find(({ name }) => name === scenarioName)
    if (request.method === 'POST' && scenario) {
      const order = await createAndRemember(scenario.order)
      // In a link to an order, `currency` chooses what to pay with.
      const coin = otherCoins.find((other) => other.family === family)
      const view = new URLSearchParams({ simulate: scenario.name, ...(coin && { currency: coin.currency }) })
      return response.writeHead(303, { location: `${order.hosted_url}?${view}` }).end()
    }
    if (request.method === 'POST' && pathname === '/webhook') {
      const body = await bodyOf(request)
      const signature = request.headers['till-webhook-signature']
      if (!isFromTill(keys(), body, Array.isArray(signature) ? signature[0] : signature)) return response.writeHead(401).end()
      const { event, order } = JSON.parse(body.toString()) as { event: string; order: WebhookOrder }
      // Till retries whatever is not acknowledged, so an order that is not ours gets a 204 as well, but nothing is shipped.
      if (isOurs(keys(), prices.get(order.id), order)) eventsOf.set(order.id, [...(eventsOf.get(order.id) ?? []), event])
      return response.writeHead(204).end()
    }
    return response.writeHead(404).end()
  }

  const server = createServer((request, response) => {
    answer(request, response).catch((error: unknown) => {
      process.stderr.write(`the demo shop: ${error instanceof Error ? error.message : String(error)}\n`)
      if (!response.headersSent) response.writeHead(502, { 'content-type': 'text/plain' })
      response.end('The shop cannot reach the payments service.')
    })
  })
  const bind = (wanted: number) =>
    new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(wanted, '127.0.0.1', () => {
        server.off('error', reject)
        resolve()
      })
    })
  await bind(port).catch(() => bind(0))
  const address = server.address()
  const shop: Shop = {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : port}`,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return shop
}

/** Only local mode can play scenarios. Any other service answers with an error, and the list is empty. */
export async function scenariosOf(payUrl: string): Promise<readonly (Scenario & { readonly order: object })[]> {
  const response = await fetch(`${payUrl}/test/scenarios`)
  if (!response.ok) return []
  const { scenarios } = (await response.json()) as { scenarios: (Scenario & { order: object })[] }
  return scenarios
}
