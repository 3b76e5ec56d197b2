import type { Page } from 'playwright-core'
import type { Order } from '../../../src/wire/order.ts'
import { createClient, type Client } from '../client/client.ts'
import { createPayer, type Payer } from '../wallets/payer.ts'
import type { Service } from './service.ts'

/** A shop that makes orders and payers with money, for tests of the page. */
export interface Shop {
  readonly client: Client
  payer(chainId: number): Payer
  token(chainId: number, symbol: string): string | null
  order(settings?: object, body?: object): Promise<Order>
  read(id: string): Promise<Order>
  /** Makes an order with instructions in the settlement asset. */
  instructed(body?: object): Promise<{ order: Order; to: string; raw: bigint; asset: string }>
}

interface Fixtures {
  readonly organization: { readonly api_key: string; readonly api_secret: string }
  readonly chains: readonly {
    readonly chain_id: number
    readonly rpc_url: string
    readonly tokens: readonly { readonly symbol: string; readonly address: string | null }[]
  }[]
  readonly accounts: readonly { readonly private_key: string }[]
}

export async function openShop(service: Service): Promise<Shop> {
  const fixtures = (await (await fetch(`${service.payUrl}/test/fixtures`)).json()) as Fixtures
  const client = createClient(service.baseUrl, { apiKey: fixtures.organization.api_key, secret: fixtures.organization.api_secret })
  const chain = (id: number) => fixtures.chains.find(({ chain_id }) => chain_id === id)!
  const read = (id: string) => client.ask('getOrder', { params: { order_id: id } })
  const order = (settings: object = {}, body: object = {}) =>
    client.ask('createOrder', {
      body: {
        mode: 'SALE',
        amount: '42.50',
        fiat_unit: 'usd',
        metadata: {
          reference: 'NW-20418',
          items: [
            { name: 'Ethiopia Guji, whole bean', quantity: 1, unit_price: 28.5, currency: 'usd' },
            { name: 'Porcelain dripper', quantity: 1, unit_price: 14, currency: 'usd' },
          ],
        },
        settings: { theme_color: '#0f4c5c', ...settings },
        ...body,
      },
    })
  return {
    client,
    payer: (chainId) => createPayer(chain(chainId).rpc_url, fixtures.accounts[0]!.private_key),
    token: (chainId, symbol) => chain(chainId).tokens.find((token) => token.symbol === symbol)?.address ?? null,
    order,
    read,
    async instructed(body) {
      const made = await order({}, body)
      const { asset } = made.fulfillment
      const { data } = await client.ask('requestPayment', {
        params: { order_id: made.id },
        body: { source: { currency: { chain_id: asset.chain_id, address: asset.address }, payment_rail: 'CRYPTO' } },
      })
      const step = data.steps[0]
      if (step?.kind !== 'deposit') throw new Error('no deposit step')
      return { order: made, to: step.data.deposit_address, raw: BigInt(step.data.amount), asset: asset.address }
    },
  }
}

/** Records what the page must never do: violate its policy, throw an error, or contact another origin. */
export function watch(page: Page, allowed: readonly string[]) {
  const wrong: string[] = []
  page.on('pageerror', (error) => wrong.push(`error: ${error.message}`))
  page.on('console', (message) => {
    if (/Content Security Policy|Content-Security-Policy|TrustedHTML|Refused to/i.test(message.text()))
      wrong.push(`policy: ${message.text()}`)
  })
  page.on('request', (request) => {
    if (!allowed.includes(new URL(request.url()).origin)) wrong.push(`stranger: ${request.url()}`)
  })
  return wrong
}

/** Resolves once the page's socket is subscribed. It has to be called before the page is opened. */
export const subscribed = (page: Page): Promise<void> =>
  new Promise((resolve) => {
    page.on('websocket', (socket) => socket.on('framereceived', ({ payload }) => String(payload).includes('"subscribed"') && resolve()))
  })
/** Waits for the page to be interactive. */
export const ready = (page: Page) => page.waitForSelector('#till[data-ready]')
/** Waits for the page to be interactive, with its client and the check of its order. Its socket may still be connecting. */
export const listening = (page: Page) => page.waitForSelector('#till[data-ready=live]')
