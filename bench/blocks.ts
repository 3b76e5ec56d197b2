import { setTimeout as sleep } from 'node:timers/promises'
import { createPublicClient, http, parseAbiItem } from 'viem'
import { WebSocket, WebSocketServer } from 'ws'
import type { AddressInfo } from 'node:net'
import { payers } from '../local/chains/accounts.ts'
import { organizationSocket } from './event-listener.ts'
import { type Figure, percentile } from './figures.ts'
import type { Fixture } from './fixture.ts'
import { createPayableOrder, type PayableOrder } from './orders.ts'

const openOrders = 1_000
const rounds = 30
const perBlock = 10
const settlements = 20

/** Measures the time from a new block to the message on a socket, while `openOrders` orders wait for money. */
export async function blockFigures(fixture: Fixture): Promise<Figure[]> {
  const { base } = fixture
  const orders: PayableOrder[] = []
  while (orders.length < openOrders) orders.push(...(await Promise.all(Array.from({ length: 20 }, () => createPayableOrder(fixture)))))

  const plain = await plainWatcher(fixture, orders)
  const till = await tillListener(fixture)
  const times = { till: [] as number[], plain: [] as number[] }
  const settled: number[] = []
  for (let round = 0; round < rounds; round++) {
    const paid = orders.slice(round * perBlock, (round + 1) * perBlock)
    // A partial payment is published but never settled, so no settlement disturbs the next round.
    for (const [index, { to }] of paid.entries()) await base.sendToken(payers[index % payers.length]!, 'USDC', to, 1_000_000n)
    // A random delay keeps the blocks from falling into step with the polls of the watchers.
    await sleep(Math.random() * 100)
    const deliveries = paid.map(({ id }) =>
      Promise.all([
        till.received(id, 'ORDER_CONFIRMING').then((at) => times.till.push(at - mined)),
        plain.received(id).then((at) => times.plain.push(at - mined)),
      ]),
    )
    await base.mine()
    const mined = performance.now()
    await Promise.all(deliveries)
  }
  for (const order of orders.slice(rounds * perBlock, rounds * perBlock + settlements)) settled.push(await settle(fixture, till, order))
  await Promise.all([till.close(), plain.close()])
  const by = 'poll the head, read logs, look up a Map, send'
  return [
    {
      what: 'block → socket, p50 (1,000 open orders)',
      unit: 'ms',
      till: percentile(times.till, 0.5),
      plain: percentile(times.plain, 0.5),
      by,
      budget: 100,
    },
    {
      what: 'block → socket, p99',
      unit: 'ms',
      till: percentile(times.till, 0.99),
      plain: percentile(times.plain, 0.99),
      by,
      budget: 500,
    },
    {
      what: 'block of a settlement → socket, p99',
      unit: 'ms',
      till: percentile(settled, 0.99),
      plain: percentile(times.plain, 0.99),
      by,
      budget: 500,
    },
  ]
}

async function openSends({ sql }: Fixture): Promise<string[]> {
  const rows = await sql`select state from sends where state not in ('confirmed', 'refused')`
  return rows.map((row) => row.state as string)
}

/** Pays an order up to the block that makes its settlement final, and measures from there to the socket. */
async function settle(fixture: Fixture, till: BlockListener, { id, to }: PayableOrder): Promise<number> {
  const { base } = fixture
  await base.sendToken(payers[0]!, 'USDC', to, 42_500_000n)
  await base.mine(3)
  const reaches = async (state: string) => {
    while (!(await openSends(fixture)).includes(state)) await sleep(20)
  }
  await reaches('broadcast')
  await base.mine()
  await reaches('mined')
  await base.mine()
  await sleep(100 + Math.random() * 100)
  const completed = till.received(id, 'ORDER_COMPLETED')
  await base.mine()
  const last = performance.now()
  return (await completed) - last
}

interface BlockListener {
  received(id: string, event?: string): Promise<number>
  close(): Promise<void>
}

function listener(socket: WebSocket, nameOf: (text: string) => string | undefined): BlockListener {
  const at = new Map<string, number>()
  const waiting = new Map<string, (at: number) => void>()
  socket.on('message', (data: Buffer) => {
    const name = nameOf(data.toString())
    if (name === undefined || at.has(name)) return
    at.set(name, performance.now())
    waiting.get(name)?.(performance.now())
  })
  return {
    received: (id, event = '') => {
      const name = `${id} ${event}`
      const known = at.get(name)
      return known === undefined ? new Promise((resolve) => waiting.set(name, resolve)) : Promise.resolve(known)
    },
    close: async () => socket.close(),
  }
}

async function tillListener(fixture: Fixture): Promise<BlockListener> {
  return listener(await organizationSocket(fixture, fixture.first), (text) => {
    const found = /^\{"type":"event","data":\{"event":"(\w+)".*?"order":\{"id":"([^"]+)"/.exec(text)
    return found ? `${found[2]} ${found[1]}` : undefined
  })
}

/** This is the baseline: it ignores confirmations and reorganisations, has no database, and forgets everything in a crash. */
async function plainWatcher({ base }: Fixture, orders: readonly PayableOrder[]): Promise<BlockListener> {
  const owners = new Map(orders.map(({ id, to }) => [to.toLowerCase(), id]))
  const client = createPublicClient({ transport: http(base.anvil.rpcUrl), cacheTime: 0 })
  const event = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')
  const server = new WebSocketServer({ port: 0, host: '127.0.0.1' })
  await new Promise((resolve) => server.once('listening', resolve))
  let seen = await client.getBlockNumber()
  const stopping = new AbortController()
  const watch = async () => {
    while (!stopping.signal.aborted) {
      const head = await client.getBlockNumber()
      if (head > seen) {
        const logs = await client.getLogs({ event, fromBlock: seen + 1n, toBlock: head })
        for (const { args } of logs) {
          const id = owners.get(args.to?.toLowerCase() ?? '')
          if (id) for (const socket of server.clients) socket.send(id)
        }
        seen = head
      }
      await sleep(60)
    }
  }
  const watching = watch()
  const socket = new WebSocket(`ws://127.0.0.1:${(server.address() as AddressInfo).port}`)
  await new Promise((resolve) => socket.once('open', resolve))
  const listening = listener(socket, (text) => `${text} `)
  return {
    received: listening.received,
    close: async () => {
      stopping.abort()
      await watching
      socket.close()
      server.close()
    },
  }
}
