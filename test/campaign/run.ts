import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root } from '../support/root.ts'
import { until } from '../support/wait.ts'
import { faults } from './faults.ts'
import { invariants } from './invariants.ts'
import { type Paid, payments } from './paying.ts'
import type { Plan, PlannedFault, PlannedPayment, Round } from './plan.ts'
import { createRandom } from './random.ts'
import type { World } from './world.ts'

/** How often each thing was done. */
type Tally = Map<string, number>

export interface Report {
  readonly seed: number
  readonly rounds: number
  readonly payments: ReadonlyMap<string, number>
  readonly faults: ReadonlyMap<string, number>
  /** Begun and ended without anybody noticing. */
  readonly unmet: ReadonlyMap<string, number>
  readonly invariants: ReadonlyMap<string, number>
}

export class CampaignLost extends Error {
  constructor(seed: number, what: string) {
    super(`seed ${seed}: ${what}`)
    this.name = 'CampaignLost'
  }
}

/**
 * Carries the plan out, waits until the world is at rest, and looks at everything. The first thing that is wrong ends it, and what the
 * processes said is kept in test-results/campaign.
 */
export const runCampaign = async (world: World, plan: Plan, say: (line: string) => void = () => undefined): Promise<Report> => {
  try {
    return await carriedOut(world, plan, say)
  } catch (error) {
    const folder = join(root, 'test-results/campaign')
    mkdirSync(folder, { recursive: true })
    for (const { port, output } of world.processes) writeFileSync(join(folder, `${plan.seed}-${port}.log`), output())
    throw error
  }
}

const carriedOut = async (world: World, plan: Plan, say: (line: string) => void): Promise<Report> => {
  const [paidTally, metTally, unmetTally, checkedTally]: [Tally, Tally, Tally, Tally] = [new Map(), new Map(), new Map(), new Map()]
  const add = (tally: Tally, what: string, count = 1) => tally.set(what, (tally.get(what) ?? 0) + count)
  const paid: Paid[] = []

  const pay = async ({ kind, seed }: PlannedPayment): Promise<void> => {
    try {
      paid.push(await payments[kind]!(world, createRandom(seed)))
      add(paidTally, kind)
    } catch (error) {
      throw new CampaignLost(plan.seed, `the payment "${kind}" (${seed}) could not be made: ${(error as Error).message}${lastWords(world)}`)
    }
  }
  const suffer = async ({ kind, seed, forMs }: PlannedFault): Promise<void> => {
    const end = await faults[kind]!(world, createRandom(seed))
    await sleep(forMs)
    add((await end()) > 0 ? metTally : unmetTally, kind)
  }
  const round = async ({ payments: planned, faults: troubles }: Round): Promise<void> => {
    await Promise.all([...planned.map(pay), ...troubles.map(suffer)])
  }

  for (const [index, one] of plan.rounds.entries()) {
    say(`round ${index + 1} of ${plan.rounds.length}: ${one.faults.map(({ kind, forMs }) => `${kind} (${forMs} ms)`).join(', ')}`)
    await round(one)
    const died = lastWords(world)
    if (died) throw new CampaignLost(plan.seed, died)
  }
  await rest(world, plan.seed, paid)
  for (const { name, check } of invariants) {
    const { checked, wrong } = await check(world, paid)
    if (wrong.length > 0) throw new CampaignLost(plan.seed, `it is not true that ${name}:\n  ${wrong.slice(0, 5).join('\n  ')}`)
    add(checkedTally, name, checked)
  }
  return { seed: plan.seed, rounds: plan.rounds.length, payments: paidTally, faults: metTally, unmet: unmetTally, invariants: checkedTally }
}

const lastWords = ({ processes }: World): string =>
  processes
    .filter((one) => one.deaths() > 0)
    .map((one) => `\na process of the service had ended by itself:\n${one.output().slice(-4_000)}`)
    .join('')

const patienceMs = 120_000

/** Nothing is on its way any more: every payment has ended, every send is final, every webhook delivered, everybody listens. */
const rest = async (world: World, seed: number, paid: readonly Paid[]): Promise<void> => {
  const { merchant, sql, pages } = world
  const awaited = async (what: string, fact: () => Promise<boolean>) => {
    try {
      await until(fact, { timeout: patienceMs, every: 50, what })
    } catch (error) {
      throw new CampaignLost(seed, `the world did not come to rest: ${(error as Error).message}`)
    }
  }
  for (const { orderId, ends } of paid) {
    await awaited(`${orderId} ends`, async () => {
      const order = await merchant.client.ask('getOrder', { params: { order_id: orderId } })
      if (ends(order)) return true
      throw new Error(`it is ${order.status}: ${JSON.stringify(order.payment)}; the test was ${ends.toString()}`)
    })
  }
  const none = async (rows: PromiseLike<readonly unknown[]>) => {
    const open = await rows
    if (open.length > 0) throw new Error(`${open.length} are: ${JSON.stringify(open.slice(0, 5))}`)
    return true
  }
  await awaited('no send is open', () => none(sql`select id, state, nonce from sends where state not in ('confirmed', 'refused')`))
  await awaited('no transfer is open', () =>
    none(sql`select key, state from transfers where state not in ('applied', 'refunded', 'held', 'dropped')`),
  )
  await awaited('no webhook is owed', () => none(sql`select id, attempts, last_error, next_at from deliveries where done_at is null`))
  await awaited('everybody listens', async () => merchant.listener.isConnected())
  await awaited('who listens has heard the last', async () => {
    const rows = await sql<{ id: string; at: Date }[]>`select id, updated_at as at from orders`
    return rows.every(({ id, at }) => Date.parse(merchant.listener.orders.get(id)?.updated_at ?? '') === at.getTime())
  })
  for (const { orderId, page } of pages.open) {
    await awaited(`the page of ${orderId} shows the receipt`, () => page.getByRole('region', { name: 'Receipt' }).isVisible())
  }
}
