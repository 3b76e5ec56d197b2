import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { request } from 'node:http'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type Figure, percentile } from './figures.ts'
import type { FloodOrder } from './flood-generator.ts'
import type { Fixture, Server } from './fixture.ts'
import { memoryOf } from './memory.ts'
import { createPayableOrder } from './orders.ts'

const rounds = 3
const visits = 100
const betweenMs = 25
/** The service treats 127.0.0.1 as the operator's own machine, so the attacker and the payer have other addresses of loopback. */
const addresses = { attacker: '127.0.0.2', payer: '127.0.0.3' } as const

interface Flood {
  readonly name: string
  readonly connections: number
  readonly requests: number
  readonly reads: boolean
}

const floods: readonly Flood[] = [
  { name: '20 connections × 200 requests', connections: 20, requests: 200, reads: true },
  { name: '300 connections × 40 requests, not read', connections: 300, requests: 40, reads: false },
]

interface Visits {
  readonly times: readonly number[]
  readonly failed: number
}

interface Round {
  readonly quiet: Visits
  readonly flooded: Visits
  readonly grownMiB: number
}

/** Measures how slow the page gets for a payer while somebody else floods it with pipelined requests, and how much memory that costs. */
export async function floodFigures(fixture: Fixture): Promise<Figure[]> {
  const { id } = await createPayableOrder(fixture)
  const server = fixture.first
  const url = `${new URL(server.baseUrl).origin}/pay/${id}`
  await visit(url, visits)
  const figures: Figure[] = []
  for (const flood of floods) {
    const measured: Round[] = []
    for (let index = 0; index < rounds; index++) {
      measured.push(await round(server, url, flood))
      process.stderr.write(`  ${flood.name}: ${summary(measured.at(-1)!)}\n`)
    }
    figures.push(...figuresOf(flood, measured))
  }
  return figures
}

const summary = ({ quiet, flooded, grownMiB }: Round): string =>
  [quiet, flooded]
    .map(({ times, failed }) => `p50 ${percentile(times, 0.5).toFixed(1)} p99 ${percentile(times, 0.99).toFixed(0)} ms, ${failed} failed`)
    .concat(`${grownMiB.toFixed(0)} MiB more`)
    .join('; ')

async function round(server: Server, url: string, flood: Flood): Promise<Round> {
  const quiet = await visit(url, visits)
  const before = await memoryOf(server.pid, server.inspector)
  const memory = watchMemory(server.pid)
  const generator = await startGenerator({ url, from: addresses.attacker, ...flood })
  const flooded = await visit(url, visits)
  await generator.stop()
  const grownMiB = ((await memory.stop()) - before) / 1024
  return { quiet, flooded, grownMiB }
}

function figuresOf({ name }: Flood, measured: readonly Round[]): Figure[] {
  const median = (value: (round: Round) => number) => percentile(measured.map(value), 0.5)
  const at = (share: number) => (of: 'quiet' | 'flooded') => median((round) => percentile(round[of].times, share))
  const [p50, p99] = [at(0.5), at(0.99)]
  const by = 'the same payer while nobody else is there'
  return [
    { what: `page, p50; ${name}`, unit: 'ms', till: p50('flooded'), plain: p50('quiet'), by, budget: 10 * p50('quiet') },
    { what: '… p99', unit: 'ms', till: p99('flooded'), plain: p99('quiet'), by, budget: 1_000 },
    {
      what: '… requests that failed',
      unit: '',
      till: median(({ flooded }) => flooded.failed),
      plain: median(({ quiet }) => quiet.failed),
      by,
      budget: 0,
    },
    {
      what: '… memory grown by',
      unit: 'MiB',
      till: median(({ grownMiB }) => grownMiB),
      plain: 0,
      by: 'before the flood',
      budget: 200,
    },
  ]
}

/** Loads the page as a payer who opens a new connection each time and shares no address with the flood. */
async function visit(url: string, count: number): Promise<Visits> {
  const times: number[] = []
  let failed = 0
  for (let index = 0; index < count; index++) {
    const start = performance.now()
    const status = await statusOf(url).catch(() => 0)
    times.push(performance.now() - start)
    if (status !== 200) failed++
    await sleep(betweenMs)
  }
  return { times, failed }
}

const statusOf = (url: string): Promise<number | undefined> =>
  new Promise((resolve, reject) => {
    const headers = { 'accept-encoding': 'gzip, br' }
    const signal = AbortSignal.timeout(20_000)
    request(url, { localAddress: addresses.payer, agent: false, headers, signal }, (response) => {
      response.resume()
      response.once('end', () => resolve(response.statusCode))
      response.once('error', reject)
    })
      .once('error', reject)
      .end()
  })

function watchMemory(pid: number) {
  let most = 0
  const look = () => {
    most = Math.max(most, Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]))
  }
  const timer = setInterval(look, 50)
  return {
    stop: async (): Promise<number> => {
      clearInterval(timer)
      look()
      return most
    },
  }
}

/** The generator is a process of its own, pinned to the last core, so that it leaves the other cores to the service. */
async function startGenerator(asked: FloodOrder) {
  const file = join(import.meta.dirname, 'flood-generator.ts')
  const core = String(availableParallelism() - 1)
  const child = spawn('taskset', ['-c', core, process.execPath, ...process.execArgv, file], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', () => reject(new Error('The flood needs `taskset` (util-linux), which holds its generator to one core.')))
    child.once('exit', () => resolve())
  })
  child.send(asked)
  await Promise.race([new Promise((resolve) => child.once('message', resolve)), ended])
  return {
    stop: async () => {
      if (child.connected) child.disconnect()
      await ended
    },
  }
}
