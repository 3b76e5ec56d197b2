import { batch, computed, signal, type ReadonlySignal } from '@preact/signals'
import type { PaymentAsk } from '../api/client.ts'
import type { OrderBoot, Problem } from '../wire/boot.ts'
import type { Choice } from '../wire/choice.ts'
import type { CurrencyRead } from '../wire/currency.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { PaymentMethodRead } from '../wire/payment-methods.ts'
import type { StartFlow } from '../methods/method.ts'
import type { Clock } from './clock.ts'
import { parseInstant } from './instant.ts'
import { newsOf, type News } from './news.ts'
import type { Requests, Writable } from './requests.ts'
import { runFlow } from './run-flow.ts'
import { stepOf, type Step } from './step.ts'

export interface CheckoutPorts {
  readonly clock: Clock
  /** Fetched with the live layer, after the page is readable; rejects when the line is gone. */
  readonly requests: (of: Writable) => Promise<Requests>
  /** Writes the choice into the page's address: a place to come back to, or a correction of this one. */
  readonly go: (choice: Choice, how: 'push' | 'replace') => void
}

export interface Checkout {
  readonly order: ReadonlySignal<OrderRead>
  readonly methods: ReadonlySignal<readonly PaymentMethodRead[] | undefined>
  readonly currencies: ReadonlySignal<readonly CurrencyRead[] | undefined>
  readonly choice: ReadonlySignal<Choice>
  readonly step: ReadonlySignal<Step>
  /** What the payer has asked for that is not answered yet. */
  readonly busy: ReadonlySignal<Problem['at'] | undefined>
  readonly searching: ReadonlySignal<boolean>
  readonly problem: ReadonlySignal<Problem | undefined>
  /** What changed last by itself, to be said once. */
  readonly news: ReadonlySignal<News | undefined>
  /** The service knows how to look a transaction up; until it says otherwise. */
  readonly findable: ReadonlySignal<boolean>
  readonly found: ReadonlySignal<string | undefined>
  /** The one door for server truth: a whole snapshot, dropped when it is older than what is shown. */
  apply(order: OrderRead): void
  /** Reads the order again. */
  refresh(signal?: AbortSignal): Promise<void>
  choose(choice: Choice, how?: 'push' | 'replace'): void
  /** The browser's own back and forward. */
  restore(choice: Choice): void
  pay(ask: PaymentAsk, at?: Problem['at']): Promise<void>
  loadMethods(): Promise<void>
  search(query: string): Promise<void>
  find(hash: string): Promise<void>
  complain(problem: Problem | undefined): void
  /** For methods that bring their own flow. */
  readonly start: StartFlow
}

export const createCheckout = (boot: OrderBoot, initial: Choice, ports: CheckoutPorts): Checkout => {
  const order = signal(boot.order)
  const methods = signal<readonly PaymentMethodRead[] | undefined>(boot.methods)
  const currencies = signal<readonly CurrencyRead[] | undefined>(boot.currencies)
  const choice = signal(initial)
  const busy = signal<Problem['at']>()
  const searches = signal(0)
  const problem = signal(boot.problem)
  const news = signal<News>()
  const findable = signal(true)
  const found = signal(boot.found)
  // Time matters to a step only at the deadline: a step that read the clock itself would redraw the page every second.
  const passed = computed(() => passedDeadline(order.value, ports.clock.now.value))
  const step = computed<Step>(() => stepOf(order.value, choice.value, passed.value))

  const apply = (next: OrderRead) => {
    if (next.id !== order.peek().id || isOlder(next, order.peek())) return
    batch(() => {
      news.value = newsOf(order.peek(), next) ?? news.peek()
      order.value = next
    })
  }
  const choose = (next: Choice, how: 'push' | 'replace' = 'push') => {
    batch(() => {
      choice.value = next
      if (how === 'push') problem.value = undefined
    })
    ports.go(next, how)
  }
  let coming: Promise<Requests> | undefined
  const load = async (): Promise<Requests> => {
    coming ??= ports.requests({ order, methods, currencies, choice, step, busy, problem, findable, found, apply, choose })
    try {
      return await coming
    } catch (error) {
      coming = undefined
      throw error
    }
  }
  /** One thing after the other, where everything that is asked for comes together (state/asking.ts). */
  const ask = async (at: Problem['at'], run: (requests: Requests) => Promise<void>, typed?: string) => {
    const requests = await load().catch(() => undefined)
    if (requests) return run(requests)
    busy.value = undefined
    problem.value = { at, code: 'offline', typed }
  }
  const attempt = (at: Problem['at'], run: (requests: Requests) => Promise<void>, typed?: string) => {
    busy.value ??= at
    return ask(at, run, typed)
  }
  const search = async (query: string) => {
    searches.value++
    await ask('search', (does) => does.search(query))
    searches.value--
  }

  return {
    order,
    methods,
    currencies,
    choice,
    step,
    busy,
    searching: computed(() => searches.value > 0),
    problem,
    news,
    findable,
    found,
    apply,
    refresh: async (signal) => (await load()).refresh(signal),
    choose,
    restore: (next) =>
      batch(() => {
        choice.value = next
        problem.value = undefined
      }),
    pay: (ask, at = 'currency') => {
      const from = choice.peek()
      return attempt(at, (does) => does.pay(ask, at, from), ask.refundAddress)
    },
    loadMethods: () => attempt('methods', (does) => does.loadMethods()),
    search,
    find: (hash) => attempt('find', (does) => does.find(hash), hash),
    complain: (about) => {
      problem.value = about
    },
    start: (of) => runFlow(of, async () => (await load()).ports),
  }
}

/** The deadline once it is over, and 0 before. */
const passedDeadline = (order: OrderRead, now: number): number => {
  const until = parseInstant(order.payment?.expires_at)
  return until !== undefined && now >= until ? until : 0
}

/** "Never backwards" means `updated_at`, not the order of statuses: a reorg may take a status back. */
const isOlder = (next: OrderRead, shown: OrderRead): boolean => Date.parse(next.updated_at ?? '') < Date.parse(shown.updated_at ?? '')
