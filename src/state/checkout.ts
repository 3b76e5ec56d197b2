import { batch, computed, signal, type ReadonlySignal } from '@preact/signals'
import type { Client, PaymentAsk } from '../api/client.ts'
import type { OrderBoot, Problem } from '../wire/boot.ts'
import type { Choice } from '../wire/choice.ts'
import type { CurrencyRead } from '../wire/currency.ts'
import { firstSearches } from '../wire/first-searches.ts'
import { currencyKey } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { PaymentMethodRead } from '../wire/payment-methods.ts'
import { flows } from '../methods/flows.ts'
import type { FlowPorts, StartFlow } from '../methods/method.ts'
import type { Clock } from './clock.ts'
import { depositOf } from './funds.ts'
import { parseInstant } from './instant.ts'
import { newsOf, type News } from './news.ts'
import { problemOf } from './problem.ts'
import { runFlow } from './run-flow.ts'
import { stepOf, type Step } from './step.ts'

export interface CheckoutPorts {
  readonly clock: Clock
  /** Loaded with the live layer, after the page is readable. */
  readonly api: () => Promise<Client>
  /** Writes the choice into the page's address: a place to come back to, or a correction of this one. */
  readonly go: (choice: Choice, how: 'push' | 'replace') => void
}

export interface Checkout {
  readonly order: ReadonlySignal<OrderRead>
  readonly methods: ReadonlySignal<readonly PaymentMethodRead[] | undefined>
  readonly currencies: ReadonlySignal<readonly CurrencyRead[] | undefined>
  readonly choice: ReadonlySignal<Choice>
  readonly step: ReadonlySignal<Step>
  readonly busy: ReadonlySignal<Problem['at'] | undefined>
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

export const createCheckout = (boot: OrderBoot, initial: Choice, { clock, api, go }: CheckoutPorts): Checkout => {
  const order = signal(boot.order)
  const methods = signal<readonly PaymentMethodRead[] | undefined>(boot.methods)
  const currencies = signal<readonly CurrencyRead[] | undefined>(boot.currencies)
  const choice = signal(initial)
  const busy = signal<Problem['at']>()
  const problem = signal(boot.problem)
  const news = signal<News>()
  const findable = signal(true)
  const found = signal(boot.found)
  // Time matters to a step only at the deadline: a step that read the clock itself would redraw the page every second.
  const passed = computed(() => passedDeadline(order.value, clock.now.value))
  const step = computed<Step>(() => stepOf(order.value, choice.value, passed.value))
  let flow: AbortController | undefined

  const apply = (next: OrderRead) => {
    if (next.id !== order.peek().id || isOlder(next, order.peek())) return
    batch(() => {
      news.value = newsOf(order.peek(), next) ?? news.peek()
      order.value = next
    })
  }
  const refresh = async (signal?: AbortSignal) => apply(await (await api()).order(order.peek().id, signal))
  const ports = async (): Promise<FlowPorts> => ({
    api: await api(),
    order: () => order.peek(),
    refresh: () => refresh(),
    now: () => clock.now.peek(),
  })
  const choose = (next: Choice, how: 'push' | 'replace' = 'push') => {
    batch(() => {
      choice.value = next
      problem.value = undefined
    })
    go(next, how)
  }
  /** One thing at a time; what goes wrong is shown where it was asked for. */
  const attempt = async (at: Problem['at'], run: () => Promise<void>, typed?: string) => {
    if (busy.peek()) return
    busy.value = at
    problem.value = undefined
    try {
      await run()
    } catch (error) {
      problem.value = problemOf(at, error, typed)
    } finally {
      busy.value = undefined
    }
  }

  return {
    order,
    methods,
    currencies,
    choice,
    step,
    busy,
    problem,
    news,
    findable,
    found,
    apply,
    refresh,
    choose,
    restore: (next) => {
      choice.value = next
    },
    pay: (ask, at = 'currency') =>
      attempt(
        at,
        async () => {
          flow?.abort()
          flow = new AbortController()
          const run = await flows.address()
          for await (const now of run(await ports(), ask, flow.signal)) {
            if (now.at === 'refused') problem.value = problemOf(at, now, ask.refundAddress)
            if (now.at === 'misshapen') problem.value = { at, code: 'shape', typed: ask.refundAddress }
            if (now.at === 'instructed' && at !== 'refund') land(ask)
          }
        },
        ask.refundAddress,
      ),
    loadMethods: () =>
      attempt('methods', async () => {
        methods.value = await (await api()).methods(order.peek().id)
      }),
    search: (query) =>
      attempt('search', async () => {
        currencies.value = await (await api()).currencies(query ? [query] : firstSearches(order.peek().fulfillment?.asset?.symbol))
        choose({ ...choice.peek(), pick: true, query }, 'replace')
      }),
    find: (hash) =>
      attempt(
        'find',
        async () => {
          const answer = await (await api()).findTransaction(order.peek().id, hash)
          if (answer.found) await refresh()
          batch(() => {
            found.value = answer.found ? hash : undefined
            problem.value = answer.found ? undefined : { at: 'find', code: 'said', message: answer.message, typed: hash }
          })
        },
        hash,
      ).then(() => {
        // 404 is the service's way to say that it has no such thing; the order itself was just read.
        if (problem.peek()?.at === 'find' && problem.peek()?.message === undefined && problem.peek()?.code === 'said')
          findable.value = false
      }),
    complain: (about) => {
      problem.value = about
    },
    start: (of) => runFlow(of, ports),
  }

  function land({ currency }: PaymentAsk) {
    const deposit = depositOf(order.peek())
    choose(
      { method: 'address', pick: false, currency: currencyKey(deposit?.currency ?? currency), qr: choice.peek().qr },
      choice.peek().method === 'address' ? 'replace' : 'push',
    )
  }
}

/** The deadline once it is over, and 0 before. */
const passedDeadline = (order: OrderRead, now: number): number => {
  const until = parseInstant(order.payment?.expires_at)
  return until !== undefined && now >= until ? until : 0
}

/** "Never backwards" means `updated_at`, not the order of statuses: a reorg may take a status back. */
const isOlder = (next: OrderRead, shown: OrderRead): boolean => Date.parse(next.updated_at ?? '') < Date.parse(shown.updated_at ?? '')
