import { type ChildProcess, fork } from 'node:child_process'
import { join } from 'node:path'
import type { Figure } from './figures.ts'
import type { Fixture, Server } from './fixture.ts'
import { inspectorOf, memoryOf } from './memory.ts'
import { createOrder } from './orders.ts'

const sockets = 5_000
const events = 40

/** Measures the memory of each of `sockets` idle subscribers, and how fast an event reaches them all. */
export async function socketFigures(fixture: Fixture): Promise<Figure[]> {
  const { id } = await createOrder(fixture)
  const [first] = await fixture.sql`select body from events where order_id = ${id} order by seq limit 1`
  const body = first!.body as string

  const hello = [
    { type: 'connect', data: { api_key: fixture.apiKey } },
    { type: 'subscribe', data: { order_id: id } },
  ].map((frame) => JSON.stringify(frame))
  const server = await fixture.serve()
  const till = await measure(server, `${server.baseUrl.replace('http', 'ws')}/ws`, hello, async () => {
    await fixture.sql`insert into events (order_id, organization_id, event, socket_only, delivered_at, body) values (${id}, 'org_bench', 'ORDER_CREATED', false, now(), ${body})`
    await fixture.sql`select pg_notify('till_events', '')`
  })

  const broadcast = fork(join(import.meta.dirname, 'plain-sockets.ts'), {
    execArgv: [...process.execArgv, '--inspect=127.0.0.1:0'],
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  })
  const inspector = inspectorOf(broadcast)
  const { port } = await message<{ port: number }>(broadcast)
  const frame = `{"type":"event","data":${body}}`
  const plain = await measure(
    { pid: broadcast.pid ?? 0, inspector: await inspector },
    `ws://127.0.0.1:${port}`,
    [],
    async () => void broadcast.send(frame),
  )
  broadcast.kill()
  return [
    {
      what: 'messages a second to 5,000 sockets',
      unit: '/s',
      till: till.perSecond,
      plain: plain.perSecond,
      by: 'a bare ws broadcast of the same bytes',
    },
    { what: 'memory per idle socket', unit: 'KiB', till: till.kib, plain: plain.kib, by: 'a bare ws server', budget: 12 },
  ]
}

async function measure(
  { pid, inspector }: Pick<Server, 'pid' | 'inspector'>,
  url: string,
  hello: readonly string[],
  publish: () => Promise<void>,
): Promise<{ perSecond: number; kib: number }> {
  // The first sockets make the server load code and fill pools, which must not count as the cost of a socket.
  const few = await listen(url, 250, hello)
  await few.stop()
  const before = await memoryOf(pid, inspector)
  const all = await listen(url, sockets, hello)
  const kib = ((await memoryOf(pid, inspector)) - before) / sockets
  for (let warm = 0; warm < 3; warm++) await all.round(publish)
  const began = performance.now()
  for (let turn = 0; turn < events; turn++) await all.round(publish)
  const perSecond = (events * sockets) / ((performance.now() - began) / 1_000)
  await all.stop()
  return { perSecond, kib }
}

async function listen(url: string, count: number, hello: readonly string[]) {
  const child = fork(join(import.meta.dirname, 'listeners.ts'), [url, String(count), ...hello])
  await message<{ open: number }>(child)
  const ended = new Promise((resolve) => child.once('exit', resolve))
  return {
    round: async (publish: () => Promise<void>) => {
      const done = message<{ round: number }>(child)
      await publish()
      await done
    },
    stop: async () => {
      child.send('stop')
      await ended
    },
  }
}

const message = <T>(child: ChildProcess): Promise<T> =>
  new Promise((resolve, reject) => {
    const fail = (code: number | null) => reject(new Error(`a helper ended with ${code}`))
    child.once('exit', fail)
    child.once('message', (said) => {
      child.off('exit', fail)
      resolve(said as T)
    })
  })
