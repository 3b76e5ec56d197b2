import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { x402Facilitator } from '@x402/core/facilitator'
import { type FacilitatorClient, x402HTTPResourceServer, x402ResourceServer } from '@x402/core/server'
import { toFacilitatorEvmSigner } from '@x402/evm'
import { ExactEvmScheme as FacilitatorScheme } from '@x402/evm/exact/facilitator'
import { ExactEvmScheme as ServerScheme } from '@x402/evm/exact/server'
import { createWalletClient, getAddress, http, keccak256, publicActions, toHex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { FlowPorts } from '../../../src/methods/method.ts'
import { forget } from '../../../src/methods/wallet/kept-signature.ts'
import type { Provider } from '../../../src/methods/wallet/provider.ts'
import { payBySignature, type Review, type SignatureInput, type SignatureStep } from '../../../src/methods/wallet/pay-by-signature.ts'
import type { OrderRead } from '../../../src/wire/order-read.ts'
import { type LocalAccount, payers } from '../../../local/chains/accounts.ts'
import { localKeys } from '../../../local/seed.ts'
import { pageClient } from '../../support/client/page-client.ts'
import { startWorld, type World } from './support.ts'

/** The page's x402 client without a browser, against our service and the official server. */
let world: World
beforeAll(async () => {
  world = await startWorld()
})
beforeEach(() => {
  const events = new EventTarget()
  vi.stubGlobal('navigator', {})
  vi.stubGlobal('window', {})
  for (const name of ['addEventListener', 'removeEventListener', 'dispatchEvent'] as const) vi.stubGlobal(name, events[name].bind(events))
})
afterEach(() => void vi.useRealTimers())
afterAll(() => world?.close())

const [alice, bob, cashier] = payers as [LocalAccount, LocalAccount, LocalAccount]

interface Script {
  /** Overrides the wallet's answer to one method. Undefined keeps the wallet's own answer. */
  readonly on?: (method: string, params: unknown) => Promise<unknown> | undefined
}

/** A wallet that signs every request and records the methods. */
function walletOf({ private_key }: LocalAccount, { on }: Script = {}) {
  const account = privateKeyToAccount(private_key)
  const requests: string[] = []
  const provider: Provider = {
    request: async ({ method, params }) => {
      requests.push(method)
      const scripted = on?.(method, params)
      if (scripted) return scripted
      switch (method) {
        case 'eth_requestAccounts':
        case 'eth_accounts':
          return [account.address]
        case 'eth_signTypedData_v4': {
          const [from, json] = params as [string, string]
          if (from.toLowerCase() !== account.address.toLowerCase()) throw Object.assign(new Error('unknown account'), { code: 4100 })
          return account.signTypedData(JSON.parse(json) as never)
        }
        default: {
          const [answer] = await world.test.anvil.ask([method, ...((params as unknown[]) ?? [])] as never)
          return answer
        }
      }
    },
  }
  return { wallet: { rdns: 'test.wallet', name: 'Test', provider, usedBefore: false }, requests, address: account.address }
}

function portsAt(base: string, order: OrderRead): FlowPorts & { refreshed: number } {
  const api = pageClient({ fetch, base, key: localKeys.apiKey })
  const ports = { refreshed: 0, api, order: () => order, now: () => Date.now(), refresh: async () => void ports.refreshed++ }
  return ports
}

async function run(ports: FlowPorts, ask: SignatureInput): Promise<SignatureStep[]> {
  const steps: SignatureStep[] = []
  for await (const step of payBySignature(ports, ask, new AbortController().signal)) steps.push(step)
  return steps
}

function reviewOf(steps: readonly SignatureStep[]): Extract<SignatureStep, { at: 'review' }> {
  const last = steps.at(-1)
  if (last?.at !== 'review')
    throw new Error(`not a review: ${JSON.stringify(last, (_, value: unknown) => (typeof value === 'bigint' ? String(value) : value))}`)
  return last
}

async function forOurs() {
  const order = (await world.order()) as unknown as OrderRead
  return { order, ports: portsAt(`${world.running.payUrl}/v3`, order) }
}

describe('our service', () => {
  test('default: connect, review, sign, paid; the nonce is derived from the order', async () => {
    const { order, ports } = await forOurs()
    const { wallet: chosen, requests, address } = walletOf(alice)
    const before = await world.balance(alice.address)
    const { review, needs } = reviewOf(await run(ports, { do: 'connect', wallet: chosen }))
    expect(needs).toBe('sign')
    expect(review).toMatchObject({ funds: { raw: 42_500_000n, currency: { symbol: 'USDC' } }, connection: { from: address } })
    const steps = await run(ports, { do: 'sign', review })
    expect(steps.map(({ at }) => at)).toEqual(['signing', 'sending'])
    expect(ports.refreshed).toBe(1)
    expect(requests.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1)
    expect(before - (await world.balance(alice.address))).toBe(42_500_000n)
    const [row] = await world.running.engine.sql`select nonce, state from x402_authorizations where order_id = ${order.id}`
    expect(row).toEqual({ nonce: keccak256(toHex(`till:x402:${order.id}`)), state: 'settled' })
  })

  test('behavior: a wallet that rejects, is busy or is locked is reported, and nothing is lost', async () => {
    const { ports } = await forOurs()
    for (const [code, expected] of [
      [4001, 'rejected'],
      [-32002, 'busy'],
      [4100, 'locked'],
      [4900, 'disconnected'],
      [-32603, 'failed'],
    ] as const) {
      const { wallet: chosen } = walletOf(alice, {
        on: (method) => (method === 'eth_signTypedData_v4' ? Promise.reject(Object.assign(new Error('no'), { code })) : undefined),
      })
      const { review } = reviewOf(await run(ports, { do: 'connect', wallet: chosen }))
      expect(reviewOf(await run(ports, { do: 'sign', review }))).toMatchObject({ needs: 'sign', notice: { code: expected } })
    }
    const { review } = reviewOf(await run(ports, { do: 'connect', wallet: walletOf(alice).wallet }))
    expect((await run(ports, { do: 'sign', review })).map(({ at }) => at)).toEqual(['signing', 'sending'])
  })

  test('behavior: a wrong network is switched or added, and an insufficient balance is reported before signing', async () => {
    const { ports } = await forOurs()
    let chain = '0x1'
    const calls: string[] = []
    const { wallet: chosen } = walletOf(bob, {
      on: (method) => {
        if (method === 'eth_chainId') return Promise.resolve(chain)
        if (method === 'wallet_switchEthereumChain') {
          calls.push(method)
          return calls.length === 1
            ? Promise.reject(Object.assign(new Error('Unrecognized chain'), { code: 4902 }))
            : Promise.resolve((chain = '0x2105')).then(() => null)
        }
        if (method === 'wallet_addEthereumChain') {
          calls.push(method)
          chain = '0x2105'
          return Promise.resolve(null)
        }
        return undefined
      },
    })
    const first = reviewOf(await run(ports, { do: 'connect', wallet: chosen }))
    expect(first.needs).toBe('switch')
    const second = reviewOf(await run(ports, { do: 'switch', review: first.review }))
    expect(second.needs).toBe('sign')
    expect(calls).toContain('wallet_addEthereumChain')

    const private_key = keccak256(toHex('empty pockets'))
    const poor = reviewOf(await run(ports, { do: 'connect', wallet: walletOf({ private_key, address: '' }).wallet }))
    expect(poor).toMatchObject({ needs: 'money', notice: { code: 'insufficient_balance', has: { raw: 0n } } })
  })

  test('behavior: a silent service is retried with the same signature, without asking the wallet again', async () => {
    const { order, ports } = await forOurs()
    const { wallet: chosen, requests } = walletOf(alice)
    const { review } = reviewOf(await run(ports, { do: 'connect', wallet: chosen }))
    const headers: string[] = []
    let silent = 2
    const flaky: FlowPorts = {
      ...ports,
      api: {
        ...ports.api,
        post: async (path, sent, signal) => {
          headers.push(sent['PAYMENT-SIGNATURE'] ?? '')
          if (silent-- > 0) {
            // The service received the signature but its answer is lost, which is the costliest failure.
            await ports.api.post(path, sent, signal)
            throw new TypeError('connection reset')
          }
          return ports.api.post(path, sent, signal)
        },
      },
    }
    const before = await world.balance(alice.address)
    const steps = await run(flaky, { do: 'sign', review })
    expect(steps.at(-1)?.at).toBe('sending')
    expect(new Set(headers).size).toBe(1)
    expect(headers).toHaveLength(3)
    expect(requests.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1)
    expect(before - (await world.balance(alice.address))).toBe(42_500_000n)
    expect(order.id).toBeDefined()
  })

  test('behavior: a reload between the signature and the answer sends the stored signature and asks no wallet', async () => {
    const { order, ports } = await forOurs()
    const { wallet: chosen, requests } = walletOf(alice)
    const storage = new Map<string, string>()
    vi.stubGlobal('sessionStorage', {
      getItem: (key: string) => storage.get(key) ?? null,
      setItem: (key: string, value: string) => storage.set(key, value),
      removeItem: (key: string) => storage.delete(key),
    })
    const { review } = reviewOf(await run(ports, { do: 'connect', wallet: chosen }))
    let disconnect = (_reason: Error) => {}
    const offline = new Promise<never>((_, reject) => (disconnect = reject))
    const dead: FlowPorts = { ...ports, api: { ...ports.api, post: () => offline } }
    const running = run(dead, { do: 'sign', review })
    await vi.waitFor(() => expect(storage.size).toBe(1), { timeout: 60_000 })
    // Until the signature is stored the service answers, in its own time. Only the attempts to send it are hurried.
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    disconnect(new TypeError('offline'))
    await vi.advanceTimersByTimeAsync(60_000)
    vi.useRealTimers()
    expect((await running).at(-1)).toMatchObject({ at: 'unsent', notice: { code: 'unsent' } })
    // A reload clears memory but not session storage.
    const saved = storage.get(`till:x402:${order.id}`)!
    forget(order.id)
    storage.set(`till:x402:${order.id}`, saved)
    const before = await world.balance(alice.address)
    expect((await run(ports, { do: 'list' })).map(({ at }) => at)).toEqual(['sending'])
    expect(requests.filter((method) => method === 'eth_signTypedData_v4')).toHaveLength(1)
    expect(before - (await world.balance(alice.address))).toBe(42_500_000n)
    expect(storage.size).toBe(0)
  })

  test('behavior: an order paid in the meantime leaves nothing to sign', async () => {
    const { order, ports } = await forOurs()
    const { review } = reviewOf(await run(ports, { do: 'connect', wallet: walletOf(alice).wallet }))
    const other = reviewOf(await run(ports, { do: 'connect', wallet: walletOf(bob).wallet }))
    await run(ports, { do: 'sign', review })
    const before = await world.balance(bob.address)
    expect((await run(ports, { do: 'sign', review: other.review })).at(-1)).toMatchObject({ at: 'over' })
    forget(order.id)
    expect((await run(ports, { do: 'connect', wallet: walletOf(bob).wallet })).at(-1)).toMatchObject({
      at: 'over',
      notice: { code: 'closed' },
    })
    expect(await world.balance(bob.address)).toBe(before)
  })
})

describe('the official server', () => {
  let official: Server
  let base: string
  const payTo = getAddress('0x00000000000000000000000000000000000c0ffe')

  beforeAll(async () => {
    const account = privateKeyToAccount(cashier.private_key)
    const client = createWalletClient({
      account,
      transport: http(world.test.anvil.rpcUrl),
      chain: {
        id: 8453,
        name: 'Local',
        nativeCurrency: { name: 'Ether', symbol: 'ETH', decimals: 18 },
        rpcUrls: { default: { http: [] } },
      },
      pollingInterval: 20,
    }).extend(publicActions)
    const facilitator = new x402Facilitator().register(
      'eip155:8453',
      new FacilitatorScheme(toFacilitatorEvmSigner({ ...client, address: account.address } as never)),
    )
    const server = new x402ResourceServer(facilitator as unknown as FacilitatorClient).register('eip155:8453', new ServerScheme())
    const middleware = new x402HTTPResourceServer(server, {
      'POST /v3/orders/*': {
        accepts: {
          scheme: 'exact',
          network: 'eip155:8453',
          payTo,
          price: { amount: '1230000', asset: world.dollar, extra: { name: 'USD Coin', version: '2' } },
          maxTimeoutSeconds: 60,
        },
        description: 'Ünïcode, so that bytes are not letters',
      },
    })
    await middleware.initialize()
    official = createServer((request, response) => {
      const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
      const header = (name: string) => {
        const value = request.headers[name.toLowerCase()]
        return Array.isArray(value) ? value[0] : value
      }
      const adapter = {
        getHeader: header,
        getMethod: () => request.method ?? 'GET',
        getPath: () => url.pathname,
        getUrl: () => url.href,
        getAcceptHeader: () => header('accept') ?? '',
        getUserAgent: () => header('user-agent') ?? '',
      }
      void (async () => {
        const result = await middleware.processHTTPRequest({ adapter, path: url.pathname, method: request.method ?? 'GET' })
        if (result.type === 'payment-error')
          return response.writeHead(result.response.status, result.response.headers).end(JSON.stringify(result.response.body ?? {}))
        if (result.type !== 'payment-verified') return response.writeHead(500).end()
        const settled = await middleware.processSettlement(result.paymentPayload, result.paymentRequirements, result.declaredExtensions)
        return response.writeHead(settled.success ? 200 : 402, settled.headers).end('{}')
      })()
    })
    await new Promise<void>((resolve) => official.listen(0, '127.0.0.1', resolve))
    base = `http://127.0.0.1:${(official.address() as AddressInfo).port}/v3`
  })
  afterAll(() => official?.close())

  test('default: our page’s client pays the official server', async () => {
    const order = { ...((await world.order()) as unknown as OrderRead) }
    const ports = portsAt(base, order)
    const { wallet: chosen } = walletOf(alice)
    const before = [await world.balance(alice.address), await world.balance(payTo)] as const
    const { review }: { review: Review } = reviewOf(await run(ports, { do: 'connect', wallet: chosen }))
    expect(review.funds.raw).toBe(1_230_000n)
    expect((await run(ports, { do: 'sign', review })).map(({ at }) => at)).toEqual(['signing', 'sending'])
    expect(before[0] - (await world.balance(alice.address))).toBe(1_230_000n)
    expect((await world.balance(payTo)) - before[1]).toBe(1_230_000n)
    // The token refuses a second payment of the same order, even when it is signed again.
    expect(reviewOf(await run(ports, { do: 'sign', review })).notice).toBeDefined()
    expect((await world.balance(payTo)) - before[1]).toBe(1_230_000n)
  })

  test('behavior: both write the same headers, byte for byte', async () => {
    const { encodeHeader, decodeHeader } = await import('../../../src/wire/x402-header.ts')
    const { encodePaymentSignatureHeader, decodePaymentRequiredHeader } = await import('@x402/core/http')
    const value = { x402Version: 2, text: 'Ünïcode 한국어 😀', number: 60, nested: { a: [1, null, true] } }
    expect(encodeHeader(value)).toBe(encodePaymentSignatureHeader(value as never))
    expect(decodeHeader(encodeHeader(value))).toEqual(value)
    const required = (await fetch(`${base}/orders/x/x402/complete`, { method: 'POST' })).headers.get('payment-required')!
    expect(decodeHeader(required)).toEqual(decodePaymentRequiredHeader(required))
    for (const bad of [null, '', '%', 'eyJh', '/w==']) expect(decodeHeader(bad)).toBeUndefined()
  })
})
