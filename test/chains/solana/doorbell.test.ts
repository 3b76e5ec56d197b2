import { randomBytes } from 'node:crypto'
import { getAddressDecoder } from '@solana/kit'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { solanaFeed } from '../../../server/chains/solana/account-feed.ts'
import { watchAddress } from '../../../server/chains/solana/accounts.ts'
import { doorbell, type DoorbellOptions } from '../../../server/chains/solana/doorbell.ts'
import { rpcClient } from '../../../server/chains/solana/rpc-client.ts'
import { createNotebook, type Notebook } from '../../contracts/feed-notebook.ts'
import { createDatabase, type TestDatabase } from '../../support/service/database.ts'
import { until } from '../../support/wait.ts'
import { type SocketProxy, startSocketProxy } from './socket-proxy.ts'
import { createTestSolana, finalAfter, type TestSolana } from './test-solana.ts'

/** A node's socket only wakes the feed. Polls see all of what a socket does not say, and nothing of what it invents. */

const chainId = 30_000_000_000_001
const never = 600_000
const newAddress = () => getAddressDecoder().decode(randomBytes(32))

let solana: TestSolana
let socket: SocketProxy
let stopping: AbortController
beforeEach(async () => {
  solana = await createTestSolana()
  socket = await startSocketProxy(solana.wsUrl)
  stopping = new AbortController()
})
afterEach(async () => {
  stopping?.abort()
  await socket?.close()
  await solana?.stop()
})

describe('the feed', () => {
  let database: TestDatabase
  let notebook: Notebook
  let address: string
  let following: Promise<void> | undefined
  beforeEach(async () => {
    database = await createDatabase()
    notebook = createNotebook(() => undefined)
    address = solana.newAddress()
    notebook.watch(address)
    await watchAddress(database.sql, chainId, address, solana.tokens)
  })
  afterEach(async () => {
    stopping.abort()
    await following
    await database?.drop()
  })

  function follow(pollMs: number, wsUrls: readonly string[]): void {
    const rpc = rpcClient({ chainId, urls: [solana.proxy.url], timeoutMs: 10_000 })
    const config = { chainId, tokens: solana.tokens, confirmations: finalAfter + 1, slotSeconds: 0.4, pollMs, wsUrls } as const
    const step = solanaFeed(config, rpc).follower({ sql: database.sql, log: { warn: () => undefined }, observer: notebook.observer })
    const { signal } = stopping
    following = (async () => {
      while (!signal.aborted) await step(signal).catch((error: unknown) => signal.aborted || Promise.reject(error))
    })()
  }
  async function pay(amount: bigint): Promise<void> {
    await solana.send(await solana.payment(null, address, amount))
    solana.ledger.advance(1)
  }
  const seen = () => notebook.transfersTo(address).map(({ amount }) => amount)
  /** Both accounts of the address ring. */
  const areWatched = (more = 0) => until(() => socket.answered() >= 2 + more && socket.clients() > 0)

  test('default: a payment is read when the socket rings, long before the next poll', async () => {
    follow(never, [socket.url])
    await areWatched()
    await pay(5_000_000n)
    await until(() => expect(seen()).toEqual([5_000_000n]) ?? true)
    await solana.send(await solana.payment(solana.mint, address, 7n))
    solana.ledger.advance(1)
    await until(() => expect(seen()).toEqual([5_000_000n, 7n]) ?? true)
  })

  test('behavior: a socket that dies is replaced, and what was paid meanwhile is not lost', async () => {
    follow(2_000, [socket.url])
    await areWatched()
    socket.become('closing')
    await pay(5_000_000n)
    await until(() => expect(seen()).toEqual([5_000_000n]) ?? true)
    socket.become(undefined)
    await areWatched(2)
    await pay(6_000_000n)
    await until(() => expect(seen()).toEqual([5_000_000n, 6_000_000n]) ?? true)
  })

  test.each(['closing', 'hanging', 'silent'] as const)(
    'behavior: a socket that is %s delays nothing: polls see the payment',
    async (how) => {
      socket.become(how)
      follow(50, [socket.url])
      await until(() => socket.connectedAt.length > 0)
      await pay(5_000_000n)
      await until(() => expect(seen()).toEqual([5_000_000n]) ?? true)
    },
  )

  test('behavior: no socket at all delays nothing, and none is opened where it is switched off', async () => {
    const nobody = await startSocketProxy(solana.wsUrl)
    await nobody.close()
    follow(50, [nobody.url])
    await pay(5_000_000n)
    await until(() => expect(seen()).toEqual([5_000_000n]) ?? true)
    stopping.abort()
    await following
    stopping = new AbortController()
    follow(50, [])
    await pay(6_000_000n)
    await until(() => expect(seen()).toEqual([5_000_000n, 6_000_000n]) ?? true)
    expect(socket.connectedAt).toEqual([])
  })

  test('error: a socket that rings all the time about nothing costs few requests, and invents no payment', async () => {
    const pollMs = 500
    const calls = { polls: 0, all: 0 }
    solana.proxy.become(async (asked) => {
      calls.all++
      if (asked.some(({ method }) => method === 'getSlot') && asked.length === 1) calls.polls++
      return undefined
    })
    const timers: NodeJS.Timeout[] = []
    socket.become((send, received) => {
      const { id } = JSON.parse(received) as { id: number }
      send(JSON.stringify({ jsonrpc: '2.0', id, result: id }))
      const context = { slot: 10 ** 12 }
      const account = { lamports: 77_000_000, data: ['', 'base64'], owner: '1'.repeat(32), executable: false, rentEpoch: 0, space: 0 }
      const lies = [
        JSON.stringify({
          jsonrpc: '2.0',
          method: 'accountNotification',
          params: { subscription: id, result: { context, value: account } },
        }),
        JSON.stringify({ jsonrpc: '2.0', method: 'accountNotification', params: { subscription: 9_999 } }),
        JSON.stringify({ jsonrpc: '2.0', id: 1_234_567, result: 5 }),
        'this is not JSON',
        '[]',
        'null',
      ]
      timers.push(setInterval(() => lies.forEach((lie) => send(lie)), 2))
    })
    const started = performance.now()
    follow(pollMs, [socket.url])
    await until(() => calls.polls >= 4)
    await pay(5_000_000n)
    await until(() => expect(seen()).toEqual([5_000_000n]) ?? true)
    const gaps = (performance.now() - started) / (pollMs / 10)
    timers.forEach(clearInterval)
    // A poll asks for a few things, and a ring for the accounts alone.
    expect(calls.all).toBeLessThan(5 * calls.polls + gaps + 10)
    expect(calls.all).toBeGreaterThan(2 * calls.polls)
  })
})

describe('a connection', () => {
  const opened = (options: Partial<DoorbellOptions> = {}) => {
    const closed: string[] = []
    const bell = doorbell({
      urls: [socket.url],
      gapMs: 1,
      waits: { firstMs: 20, longestMs: 160 },
      onUnavailable: ({ reason }) => closed.push(reason),
      ...options,
    })
    bell.open(stopping.signal)
    return { bell, closed }
  }
  const subscribed = () => socket.received.filter(({ method }) => method === 'accountSubscribe').map(({ params }) => params[0])
  const rings = async (bell: ReturnType<typeof opened>['bell'], account: string) => {
    let amount = 2_000_000n
    await until(async () => {
      await solana.send(await solana.payment(null, account, amount++))
      solana.ledger.advance(1)
      return (await bell.wait(50, stopping.signal)).has(account)
    })
  }

  test('behavior: subscriptions are limited to the accounts that are named first, and follow them', async () => {
    const { bell } = opened({ mostSubscriptions: 120 })
    const accounts = Array.from({ length: 200 }, newAddress)
    bell.watch(accounts)
    await until(() => socket.answered() === 120)
    expect(subscribed()).toEqual(accounts.slice(0, 120))
    bell.watch(accounts.slice(100))
    await until(() => socket.answered() === 120 + 100 + 80)
    expect(subscribed().slice(120)).toEqual(accounts.slice(120))
    await rings(bell, accounts[150]!)
    await solana.send(await solana.payment(null, accounts[0]!, 2_000_000n))
    await rings(bell, accounts[151]!)
    expect((await bell.wait(50, stopping.signal)).has(accounts[0]!)).toBe(false)
  })

  test('behavior: a node that does not answer is asked for no more, and one that refuses is not asked again', async () => {
    const answers: (() => void)[] = []
    socket.become((send, received) => {
      const { id } = JSON.parse(received) as { id: number }
      answers.push(() => send(JSON.stringify({ jsonrpc: '2.0', id, error: { code: -32_000, message: 'too many' } })))
    })
    const { bell } = opened()
    bell.watch(Array.from({ length: 80 }, newAddress))
    await until(() => socket.received.length === 50)
    answers[0]!()
    await until(() => socket.received.length === 51)
    answers.slice(1).forEach((answer) => answer())
    await until(() => socket.received.length === 80)
    answers.slice(51).forEach((answer) => answer())
    bell.watch([...subscribed(), newAddress()] as string[])
    await until(() => socket.received.length === 81)
    expect(new Set(subscribed()).size).toBe(81)
  })

  test('behavior: a node that closes every connection is asked ever more rarely, and said once', async () => {
    socket.become('closing')
    const { bell, closed } = opened()
    await until(() => socket.connectedAt.length >= 7)
    const gaps = socket.connectedAt.slice(1).map((at, i) => at - socket.connectedAt[i]!)
    gaps.forEach((gap, i) => expect(gap).toBeGreaterThanOrEqual(0.5 * Math.min(160, 20 * 2 ** i) - 1))
    expect(closed).toHaveLength(1)
    socket.become(undefined)
    const account = newAddress()
    bell.watch([account])
    await rings(bell, account)
  })

  test.each(['hanging', 'silent'] as const)('behavior: a connection that is %s is replaced', async (how) => {
    socket.become(how)
    const { bell } = opened({ pingMs: 250 })
    const account = newAddress()
    bell.watch([account])
    await until(() => socket.connectedAt.length >= 3)
    socket.become(undefined)
    await rings(bell, account)
  })

  test('behavior: another node is asked when the first has no socket', async () => {
    const nobody = await startSocketProxy(solana.wsUrl)
    await nobody.close()
    const { bell } = opened({ urls: [nobody.url, socket.url] })
    const account = newAddress()
    bell.watch([account])
    await rings(bell, account)
  })

  test('behavior: who is stopped has no connection', async () => {
    opened()
    await until(() => socket.clients() === 1)
    stopping.abort()
    await until(() => socket.clients() === 0)
  })
})
