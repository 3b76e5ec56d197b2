import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { payers } from '../local/chains/accounts.ts'
import { type EventListener, eventListener, organizationListener } from './event-listener.ts'
import { type Figure, percentile } from './figures.ts'
import type { Fixture, Server } from './fixture.ts'
import { call } from './http.ts'
import { memoryOf } from './memory.ts'
import { createOrder } from './orders.ts'
import { type Curve, plot } from './plot.ts'
import { idleCpuTime, cpuTimeOf, cpuTimeOfPostgres } from './cpu-time.ts'

/** Each size is a number of open orders, every one of which has a socket that is subscribed to it. */
const sizes = [100, 1_000, 10_000]
const changesPerSecond = 200
const seconds = 10
const blocks = 20
const paidPerBlock = 10

/** Measures what waiting orders cost: at each of `sizes`, `changesPerSecond` other orders change in the same process. */
export async function loadFigures(fixture: Fixture): Promise<Figure[]> {
  const server = fixture.first
  const subscribers = fork(join(import.meta.dirname, 'subscribers.ts'))
  const waiting: string[] = []
  const curve: Record<Measured, number[]> = { kib: [], change: [], p99: [], block: [], idle: [] }
  const listener = await organizationListener(fixture, server)
  await changes(fixture, [server], listener, 2)
  let latest: number[] = []
  for (const size of sizes) {
    const more = await makeOrders(fixture, size - waiting.length)
    // Memory is read after the orders exist, so that creating them is not counted as the cost of a socket.
    const before = await memoryOf(server.pid, server.inspector)
    await subscribe(subscribers, server, fixture.apiKey, more)
    const after = await memoryOf(server.pid, server.inspector)
    curve.kib.push((after - before) / more.length)
    waiting.push(...more)
    const result = await changes(fixture, [server], listener, seconds)
    latest = result.times
    curve.p99.push(percentile(result.times, 0.99))
    curve.change.push(result.services)
    const idle = await idleCpuTime(server.pid)
    curve.idle.push(idle)
    curve.block.push(await blockCost(fixture, server, waiting, idle))
  }
  const plain = await plainChanges(fixture)
  await stop(subscribers)
  const shared = await twoProcesses(fixture, waiting)
  listener.close()
  await plot('docs/load.svg', sizes, curves(curve))
  const first = <T>(values: readonly T[]) => values[0]!
  const last = <T>(values: readonly T[]) => values.at(-1)!
  const by = 'one insert, then a send, nobody else there'
  const flat = 'the same with 100'
  return [
    {
      what: 'change → message, p50 (10,000 sockets, 200 changes/s)',
      unit: 'ms',
      till: percentile(latest, 0.5),
      plain: percentile(plain, 0.5),
      by,
    },
    { what: '… p99', unit: 'ms', till: last(curve.p99), plain: percentile(plain, 0.99), by, budget: 250 },
    {
      what: '… p99, shared by two processes',
      unit: 'ms',
      till: percentile(shared.times, 0.99),
      plain: percentile(plain, 0.99),
      by,
      budget: 250,
    },
    {
      what: 'memory per socket among 10,000',
      unit: 'KiB',
      till: last(curve.kib),
      plain: first(curve.kib),
      by: flat,
      budget: 12,
    },
    {
      what: 'processor per change, 10,000 sockets and open orders',
      unit: 'ms',
      till: last(curve.change),
      plain: first(curve.change),
      by: flat,
    },
    {
      what: '… shared by two processes: in both',
      unit: 'ms',
      till: shared.services,
      plain: last(curve.change),
      by: 'one process',
    },
    { what: '… in PostgreSQL', unit: 'ms', till: shared.postgres, plain: shared.services, by: 'in both processes' },
    { what: '… in those who ask and listen', unit: 'ms', till: shared.outside, plain: shared.services, by: 'in both processes' },
    {
      what: 'processor per block with 10 payments, 10,000 open orders',
      unit: 'ms',
      till: last(curve.block),
      plain: first(curve.block),
      by: flat,
    },
    {
      what: 'processor per second in which nothing happens, 10,000 sockets',
      unit: 'ms',
      till: last(curve.idle),
      plain: first(curve.idle),
      by: flat,
    },
  ]
}

type Measured = 'kib' | 'change' | 'p99' | 'block' | 'idle'

const curves = (curve: Record<Measured, number[]>): Curve[] => [
  { name: 'change → message, p99', unit: 'ms', values: curve.p99 },
  { name: 'processor per change', unit: 'ms', values: curve.change },
  { name: 'processor per block with 10 payments', unit: 'ms', values: curve.block },
  { name: 'memory per socket', unit: 'KiB', values: curve.kib },
  { name: 'processor per second of waiting', unit: 'ms', values: curve.idle },
]

async function makeOrders(fixture: Fixture, count: number): Promise<string[]> {
  const ids: string[] = []
  while (ids.length < count)
    ids.push(
      ...(await Promise.all(Array.from({ length: Math.min(20, count - ids.length) }, () => createOrder(fixture)))).map(({ id }) => id),
    )
  return ids
}

const subscribe = (subscribers: ChildProcess, { baseUrl }: Server, apiKey: string, orders: readonly string[]): Promise<void> =>
  new Promise((resolve, reject) => {
    const fail = () => reject(new Error('the subscribers have exited'))
    subscribers.once('exit', fail)
    subscribers.once('message', () => {
      subscribers.off('exit', fail)
      resolve()
    })
    subscribers.send({ url: `${baseUrl.replace('http', 'ws')}/ws`, apiKey, orders })
  })

function stop(child: ChildProcess) {
  const ended = new Promise((resolve) => child.once('exit', resolve))
  child.removeAllListeners('message')
  child.send('stop')
  return ended
}

/**
 * Changes orders at an even pace, whether or not the last request was answered, because waiting would hide delays. Measures the time from
 * each request to its message, and the CPU time of every process involved.
 */
async function changes(
  fixture: Fixture,
  servers: readonly Server[],
  listener: EventListener,
  forSeconds: number,
  subscriberProcesses: readonly ChildProcess[] = [],
) {
  const ids = await makeOrders(fixture, changesPerSecond * forSeconds)
  const body = JSON.stringify({
    source: { currency: { chain_id: 8453, address: fixture.base.token('USDC') }, payment_rail: 'CRYPTO' },
  })
  const spent = async () => ({
    services: cpuTimeOf(...servers.map(({ pid }) => pid)),
    postgres: await cpuTimeOfPostgres(fixture.sql),
    outside: cpuTimeOf(process.pid, ...subscriberProcesses.flatMap(({ pid }) => pid ?? [])),
  })
  const before = await spent()
  const times = await paced(ids, async (id, index) => {
    const received = listener.next(id)
    await call('POST', `${servers[index % servers.length]!.baseUrl}/orders/${id}/payment`, { 'x-api-key': fixture.apiKey }, body)
    return received
  })
  const after = await spent()
  const perOrder = (part: keyof typeof before) => (after[part] - before[part]) / ids.length
  return { times, services: perOrder('services'), postgres: perOrder('postgres'), outside: perOrder('outside') }
}

async function paced(ids: readonly string[], change: (id: string, index: number) => Promise<number>): Promise<number[]> {
  const began = performance.now()
  return Promise.all(
    ids.map(async (id, index) => {
      await sleep((index * 1_000) / changesPerSecond)
      const due = Math.max(began + (index * 1_000) / changesPerSecond, performance.now())
      return (await change(id, index)) - due
    }),
  )
}

/** Mines blocks that each pay `paidPerBlock` orders in part. Returns the CPU time per block, without what the process uses when idle. */
async function blockCost(fixture: Fixture, server: Server, waiting: readonly string[], idle: number): Promise<number> {
  const { base, sql } = fixture
  const rows = await sql`select address from deposits where order_id = any(${waiting.slice(-100)})`
  const before = cpuTimeOf(server.pid)
  const began = performance.now()
  for (let block = 0; block < blocks; block++) {
    for (let index = 0; index < paidPerBlock; index++) {
      const { address } = rows[(block * paidPerBlock + index) % rows.length]!
      await base.sendToken(payers[index % payers.length]!, 'USDC', address as string, 1n)
    }
    await base.mine()
    const { number } = await base.chain.head(AbortSignal.timeout(5_000))
    while ((await sql`select 1 from chain_cursors where chain_id = 8453 and block >= ${number}`).length === 0) await sleep(10)
  }
  return (cpuTimeOf(server.pid) - before - (idle * (performance.now() - began)) / 1_000) / blocks
}

/** Each process has half of the subscribers. Both take requests, but the listener is at the second, so half of the changes cross over. */
async function twoProcesses(fixture: Fixture, waiting: readonly string[]) {
  const servers = [fixture.first, await fixture.serve()]
  const processes = servers.map(() => fork(join(import.meta.dirname, 'subscribers.ts')))
  const half = waiting.length / 2
  await Promise.all(
    processes.map((subscribers, index) =>
      subscribe(subscribers, servers[index]!, fixture.apiKey, waiting.slice(index * half, (index + 1) * half)),
    ),
  )
  const listener = await organizationListener(fixture, servers[1]!)
  const result = await changes(fixture, servers, listener, seconds, processes)
  listener.close()
  await Promise.all(processes.map(stop))
  return result
}

async function plainChanges(fixture: Fixture): Promise<number[]> {
  const child = fork(join(import.meta.dirname, 'plain-changes.ts'), [fixture.databaseUrl])
  const { port } = await new Promise<{ port: number }>((resolve) => child.once('message', (said) => resolve(said as { port: number })))
  const socket = new WebSocket(`ws://127.0.0.1:${port}`)
  await new Promise((resolve) => socket.once('open', resolve))
  const listener = eventListener(socket, (text) => text)
  const ids = Array.from({ length: changesPerSecond * seconds }, (_, index) => `change-${index}`)
  const times = await paced(ids, async (id) => {
    const received = listener.next(id)
    await call('POST', `http://127.0.0.1:${port}/${id}`, {}, '{}')
    return received
  })
  listener.close()
  child.kill()
  return times
}
