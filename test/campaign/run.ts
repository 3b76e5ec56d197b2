import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import * as z from 'zod'
import { root } from '../support/root.ts'
import { until } from '../support/wait.ts'
import type { Sql } from '../../server/database/connect.ts'
import { bitcoin as onBitcoin } from '../chains/bitcoin/support.ts'
import { solanaChain } from '../support/service/solana-stage.ts'
import { faults } from './faults.ts'
import { invariants, timesSettled } from './invariants.ts'
import { type HonestPayment, type Noticed, noticedBy, type FaultPeriod } from './noticed.ts'
import { type Paid, payments } from './paying.ts'
import type { Plan, PlannedFault, PlannedPayment, Round } from './plan.ts'
import { createRandom } from '../support/random.ts'
import type { Organization, World } from './world.ts'

type Tally = Map<string, number>

export interface Report {
  readonly seed: number
  readonly rounds: number
  readonly payments: ReadonlyMap<string, number>
  readonly faults: ReadonlyMap<string, number>
  /** Faults that affected nothing. */
  readonly unmet: ReadonlyMap<string, number>
  readonly invariants: ReadonlyMap<string, number>
  readonly noticed: Noticed
}

export class CampaignLost extends Error {
  noticed: Noticed | undefined

  constructor(seed: number, what: string) {
    super(`seed ${seed}: ${what}`)
    this.name = 'CampaignLost'
  }
}

export interface Conduct {
  readonly log?: (line: string) => void
  /** Waits for the service to be idle around rounds whose payments are timed. Without it their times mean nothing. */
  readonly measures?: boolean
}

type Written<T> = { -readonly [K in keyof T]: T[K] }
interface Payment extends Written<HonestPayment> {
  paid?: Paid
}

interface Journal {
  readonly payments: Payment[]
  readonly periods: FaultPeriod[]
}

/**
 * Carries the plan out, waits until the service is idle, and checks every invariant. The first violation ends the campaign and saves the
 * output of the processes in test-results/campaign.
 */
export async function runCampaign(world: World, plan: Plan, { log = () => undefined, measures = true }: Conduct = {}): Promise<Report> {
  const journal: Journal = { payments: [], periods: [] }
  const noticed = () =>
    noticedBy(
      journal.payments.map((payment) => completedIn(world, payment)),
      journal.periods,
      faults,
    )
  try {
    return { ...(await carriedOut(world, plan, journal, { log, measures })), noticed: noticed() }
  } catch (error) {
    const folder = join(root, 'test-results/campaign')
    mkdirSync(folder, { recursive: true })
    for (const { port, output } of world.processes) writeFileSync(join(folder, `${plan.seed}-${port}.log`), output())
    if (error instanceof CampaignLost) error.noticed = noticed()
    throw error
  }
}

const completedIn = ({ merchant: { listener } }: World, payment: Payment): HonestPayment => ({
  ...payment,
  completedAt: payment.orderId === undefined ? undefined : listener.completedAt.get(payment.orderId),
})

async function carriedOut(
  world: World,
  plan: Plan,
  journal: Journal,
  { log, measures }: Required<Conduct>,
): Promise<Omit<Report, 'noticed'>> {
  const [paidTally, metTally, unmetTally, checkedTally]: [Tally, Tally, Tally, Tally] = [new Map(), new Map(), new Map(), new Map()]
  const add = (tally: Tally, what: string, count = 1) => tally.set(what, (tally.get(what) ?? 0) + count)
  const failures: string[] = []

  const pay = async ({ kind, seed }: PlannedPayment, payment: Payment): Promise<void> => {
    journal.payments.push(payment)
    try {
      payment.paid = await payments[kind]!(world, createRandom(seed), () => (payment.sentAt = performance.now()))
      payment.orderId = payment.paid.orderId
      add(paidTally, kind)
    } catch (error) {
      payment.outcome = 'failed'
      failures.push(`the payment "${kind}" (${seed}) could not be made: ${(error as Error).message}`)
    }
  }
  const runFault = async ({ kind, seed, forMs }: PlannedFault, round: number): Promise<void> => {
    const beganAt = performance.now()
    const end = await faults[kind]!.begin(world, createRandom(seed))
    await sleep(forMs)
    add((await end()) > 0 ? metTally : unmetTally, kind)
    journal.periods.push({ kind, round, beganAt, endedAt: performance.now() })
  }
  const carryOut = async ({ payments: planned, faults: roundFaults }: Round, round: number): Promise<void> => {
    const isQuiet = roundFaults.length === 0
    // Neither earlier nor later work may slow the payments that are timed.
    const isMeasured = measures && roundFaults.every(({ kind }) => faults[kind]!.outage === undefined)
    const isPromised = isMeasured && !isQuiet
    if (isMeasured) await paymentsAtRest(world, plan.seed, journal)
    await Promise.all([
      ...planned.map((each) => pay(each, { kind: each.kind, begunAt: performance.now(), outcome: 'well', round, isQuiet, isPromised })),
      ...roundFaults.map((each) => runFault(each, round)),
    ])
    const died = lastOutput(world)
    if (died || failures.length > 0) throw new CampaignLost(plan.seed, `${failures.join('\n')}${died}`)
    if (isMeasured) await paymentsAtRest(world, plan.seed, journal)
  }

  for (const [index, round] of plan.rounds.entries()) {
    const roundFaults = round.faults.map(({ kind, forMs }) => `${kind} (${forMs} ms)`).join(', ')
    log(`round ${index + 1} of ${plan.rounds.length}: ${roundFaults || 'quiet'}`)
    await carryOut(round, index + 1)
  }
  await rest(world, plan.seed, journal)
  const settled = await timesSettled(world)
  for (const payment of journal.payments) if ((settled.get(payment.orderId ?? '') ?? 0) > 1) payment.outcome = 'doubled'
  const paid = journal.payments.flatMap((payment) => payment.paid ?? [])
  for (const { name, check } of invariants) {
    const { checked, wrong } = await check(world, paid)
    if (wrong.length > 0) throw new CampaignLost(plan.seed, `it is not true that ${name}:\n  ${wrong.slice(0, 5).join('\n  ')}`)
    add(checkedTally, name, checked)
  }
  return { seed: plan.seed, rounds: plan.rounds.length, payments: paidTally, faults: metTally, unmet: unmetTally, invariants: checkedTally }
}

const lastOutput = ({ processes }: World): string =>
  processes
    .filter((process) => process.deaths() > 0)
    .map((process) => `\na process of the service had ended by itself:\n${process.output().slice(-4_000)}`)
    .join('')

const patienceMs = 120_000

type Awaited = (what: string, fact: () => Promise<boolean>) => Promise<void>

const patiently =
  (seed: number): Awaited =>
  async (what, fact) => {
    try {
      await until(fact, { timeout: patienceMs, every: 50, what })
    } catch (error) {
      throw new CampaignLost(seed, `the world did not come to rest: ${(error as Error).message}`)
    }
  }
async function none(rows: PromiseLike<readonly unknown[]>): Promise<boolean> {
  const open = await rows
  if (open.length > 0) throw new Error(`${open.length} are: ${JSON.stringify(open.slice(0, 5))}`)
  return true
}

/** Waits until payments have ended, sends are final and the last block is read, so that the next payment meets an idle service. */
async function paymentsAtRest(world: World, seed: number, { payments: all }: Journal): Promise<void> {
  const { merchant, hostile, sql } = world
  const awaited = patiently(seed)
  const ask = async ({ client }: Organization, { orderId, ends }: Paid): Promise<string | undefined> => {
    const order = await client.ask('getOrder', { params: { order_id: orderId } })
    return ends(order) ? undefined : `${orderId} is ${order.status}: ${JSON.stringify(order.payment)}; the test was ${ends.toString()}`
  }
  const open = new Set(all.filter(({ paid }) => paid))
  const ended = awaited('each payment ends', async () => {
    const problems: string[] = []
    for (const payment of open) {
      const problem = await ask(merchant, payment.paid!)
      if (problem) problems.push(problem)
      else open.delete(payment)
    }
    if (problems.length === 0) return true
    await world.retryFailed()
    throw new Error(`${problems.length} have not: ${problems.join('\n')}`)
  })
  await ended.catch((error: unknown) => {
    for (const payment of open) payment.outcome = 'lost'
    throw error
  })
  for (const paid of hostile.paid) {
    await awaited(`${paid.orderId} of the hostile organisation ends`, async () => {
      const problem = await ask(hostile, paid)
      if (problem) throw new Error(problem)
      return true
    })
  }
  await awaited('no order is set aside', () => none(sql`select order_id, reason, attempts, next_at from set_aside`))
  for (const [what, isOpen] of Object.entries(payoutsOpen)) await awaited(`no ${what} is open`, () => none(isOpen(sql)))
  for (const { id, head } of followedChains(world)) {
    const last = await head()
    await awaited(`chain ${id} is seen up to ${last}`, () => none(behind(sql, id, last)))
  }
}

/** Lists what is under way in the queues of the families of chains. */
const payoutsOpen: Readonly<Record<string, (sql: Sql) => PromiseLike<readonly unknown[]>>> = {
  send: (sql) => sql`select id, state, nonce from sends where state not in ('confirmed', 'refused')`,
  'payout in bitcoin': (sql) => sql`select id, state, problem from bitcoin_payouts where state in ('queued', 'sent')`,
  'payout on Solana': (sql) => sql`select id, state, problem from solana_payouts where state in ('queued', 'sent')`,
}

interface FollowedChain {
  readonly id: number
  head(): Promise<number>
}

const followedChains = ({ base, ethereum, bitcoin, solana }: World): readonly FollowedChain[] => [
  ...[base, ethereum].map(({ chain }) => ({ id: chain.id, head: async () => (await chain.head(AbortSignal.timeout(5_000))).number })),
  { id: onBitcoin.chain_id, head: () => bitcoin.rpc.call('getblockcount', [], z.number()) },
  { id: solanaChain.chain_id, head: async () => solana.local.node.ledger.tip('confirmed').slot },
]

/** A chain of blocks has its cursor in one table, and one of accounts in another. */
const behind = (sql: Sql, chainId: number, last: number) => sql`
  select block from chain_cursors where chain_id = ${chainId} and block < ${last}
  union all select slot from solana_cursors where chain_id = ${chainId} and slot < ${last}`

/** Waits until every webhook of the honest organisation is delivered and every listener is connected. */
async function rest(world: World, seed: number, journal: Journal): Promise<void> {
  const { merchant, sql, pages } = world
  const awaited = patiently(seed)
  await paymentsAtRest(world, seed, journal)
  await awaited('no transfer is open', () =>
    none(sql`select key, state from transfers where state not in ('applied', 'refunded', 'held', 'dropped')`),
  )
  await awaited('no webhook is owed', () =>
    none(sql`
      select d.id, d.attempts, d.last_error, d.next_at from deliveries d join webhooks w on w.id = d.webhook_id
      where d.done_at is null and w.organization_id = ${merchant.organizationId}`),
  )
  await awaited('everybody listens', async () => merchant.listener.isConnected())
  await awaited('every listener has received the last event', async () => {
    const rows = await sql<{ id: string; at: Date }[]>`
      select id, updated_at as at from orders where organization_id = ${merchant.organizationId}`
    return rows.every(({ id, at }) => Date.parse(merchant.listener.orders.get(id)?.updated_at ?? '') === at.getTime())
  })
  for (const { orderId, page } of pages.open) {
    await awaited(`the page of ${orderId} shows the receipt`, () => page.getByRole('region', { name: 'Receipt' }).isVisible())
  }
}
