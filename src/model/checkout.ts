import { batch, computed, signal, type ReadonlySignal } from '@preact/signals'
import type { PaymentRequest } from '../api/client.ts'
import type { FlowPorts, StartFlow } from '../methods/method.ts'
import { depositOf } from '../order/funding.ts'
import type { News } from '../order/news.ts'
import { stepOf, type Step } from '../order/step.ts'
import { passedDeadline } from '../order/times.ts'
import type { OrderBoot, Problem } from '../wire/boot.ts'
import type { Choice } from '../wire/choice.ts'
import type { CurrencyRead } from '../wire/currency.ts'
import { currencyKey } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { PaymentMethodRead } from '../wire/payment-methods.ts'
import type { Clock } from './clock.ts'
import { runFlow } from './running-flow.ts'
import type { Service } from './service.ts'

export interface CheckoutPorts {
  readonly clock: Clock
  /** Comes with the live piece of the page, after it is readable; rejects when that can't be fetched. */
  readonly service: Promise<Service>
  /** Whether a text can be an address on this network. */
  readonly canReceive: (chainId: number, text: string) => Promise<boolean>
  /** What changed between two snapshots that is to be announced; it comes with the secondary screens. */
  readonly newsOf: (before: OrderRead, after: OrderRead) => News | undefined
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
  /** What changed last by itself, to be announced once. */
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
  /** Asks for instructions, or for a change of them, and goes to where they are shown. */
  pay(request: PaymentRequest, at?: Problem['at']): Promise<void>
  loadMethods(): Promise<void>
  /** A search waits for no other request, and none waits for it. */
  search(query: string): Promise<void>
  find(hash: string): Promise<void>
  complain(problem: Problem | undefined): void
  /** For methods that bring their own flow. */
  readonly start: StartFlow
}

/** A request of the payer that is not answered yet. */
interface Turn {
  readonly at: Problem['at']
  /** Distinguishes it from another request of the same place. */
  readonly about: string
  readonly end: () => void
}

export const createCheckout = (boot: OrderBoot, initial: Choice, { clock, service, canReceive, newsOf, go }: CheckoutPorts): Checkout => {
  const order = signal(boot.order)
  const methods = signal<readonly PaymentMethodRead[] | undefined>(boot.methods)
  const currencies = signal<readonly CurrencyRead[] | undefined>(boot.currencies)
  const choice = signal(initial)
  const searches = signal(0)
  const problem = signal(boot.problem)
  const news = signal<News>()
  const findable = signal(true)
  const found = signal(boot.found)
  /** The first is under way. */
  const turns = signal<readonly Turn[]>([])
  // Time matters to a step only at the deadline: a step that read the clock itself would redraw the page every second.
  const passed = computed(() => passedDeadline(order.value, clock.now.value))
  const step = computed<Step>(() => stepOf(order.value, choice.value, passed.value))
  let newestSearch = 0
  /** Something was done whose outcome could not be read. */
  let isBehind = false

  const apply = (next: OrderRead) => {
    if (next.id !== order.peek().id || isOlder(next, order.peek())) return
    batch(() => {
      news.value = newsOf(order.peek(), next) ?? news.peek()
      order.value = next
    })
  }
  const refresh = async (signal?: AbortSignal) => {
    apply(await (await service).order(order.peek().id, signal))
    isBehind = false
  }
  /** What was done stays done, also when the order can't be read: the connection shows it later. */
  const follow = () =>
    refresh().catch(() => {
      isBehind = true
    })
  const choose = (next: Choice, how: 'push' | 'replace' = 'push') => {
    batch(() => {
      choice.value = next
      if (how === 'push') problem.value = undefined
    })
    go(next, how)
  }
  const clearProblem = (at: Problem['at']) => {
    if (problem.peek()?.at === at) problem.value = undefined
  }
  /** Without the live piece there is nobody to ask. */
  const fail = async (at: Problem['at'], error: unknown, typed?: string) => {
    const why = await service.then(
      ({ problemOf }) => problemOf(at, error, typed),
      (): Problem => ({ at, code: 'offline', typed }),
    )
    problem.value = why
    return why
  }
  let lastTurn = Promise.resolve()
  /** One request after the other. Undefined: the same one is under way, or a newer one of its place was made before its turn came. */
  const takeTurn = async (at: Problem['at'], what: unknown): Promise<Turn | undefined> => {
    const about = JSON.stringify(what)
    const waiting = turns.peek().filter((turn, place) => place === 0 || turn.at !== at)
    turns.value = waiting
    const before = lastTurn
    if (waiting[0]?.at === at && waiting[0].about === about) return void (await before)
    let resolve = () => {}
    lastTurn = new Promise((done) => (resolve = done))
    const turn: Turn = {
      at,
      about,
      end: () => {
        turns.value = turns.peek().filter((other) => other !== turn)
        resolve()
      },
    }
    turns.value = [...waiting, turn]
    await before
    if (turns.peek().includes(turn)) {
      clearProblem(at)
      return turn
    }
    resolve()
    return undefined
  }
  const land = (currency: PaymentRequest['currency']) => {
    // Instructions that are not here yet are shown when they come: the ones before are none for what was asked.
    const shown = isBehind ? undefined : depositOf(order.peek())?.currency
    const { method, qr } = choice.peek()
    choose({ method: 'address', pick: false, currency: currencyKey(shown ?? currency), qr }, method === 'address' ? 'replace' : 'push')
  }

  return {
    order,
    methods,
    currencies,
    choice,
    step,
    busy: computed(() => turns.value[0]?.at),
    searching: computed(() => searches.value > 0),
    problem,
    news,
    findable,
    found,
    apply,
    refresh,
    choose,
    restore: (next) =>
      batch(() => {
        choice.value = next
        problem.value = undefined
      }),
    pay: async (request, at = 'currency') => {
      const from = choice.peek()
      const { refundAddress: typed, extend } = request
      const turn = await takeTurn(at, request)
      if (!turn) return
      try {
        const { requestPayment, inForce } = await service
        const isChange = typed !== undefined || extend === true
        if (isChange && isBehind) await refresh()
        const wanted = isChange ? inForce(request, order.peek()) : request
        if (!wanted) {
          problem.value = { at, code: 'said', typed }
        } else if (typed !== undefined && !(await canReceive(wanted.currency.chain_id, typed))) {
          problem.value = { at, code: 'shape', typed }
        } else {
          await requestPayment(order.peek().id, wanted)
          await follow()
          // Payers who have moved on, or asked for something newer here, are left where they are.
          const isNewest = turns.peek().findLast((other) => other.at === at) === turn
          if (at !== 'refund' && isNewest && isSamePlace(choice.peek(), from)) land(wanted.currency)
        }
      } catch (error) {
        await fail(at, error, typed)
      } finally {
        turn.end()
      }
    },
    loadMethods: async () => {
      const turn = await takeTurn('methods', '')
      if (!turn) return
      try {
        methods.value = await (await service).methods(order.peek().id)
      } catch (error) {
        await fail('methods', error)
      } finally {
        turn.end()
      }
    },
    search: async (query) => {
      const number = ++newestSearch
      searches.value++
      clearProblem('search')
      try {
        const { currencies: list, firstSearches } = await service
        const listed = await list(query ? [query] : firstSearches(order.peek().fulfillment?.asset?.symbol))
        if (number !== newestSearch) return
        currencies.value = listed
        if (step.peek().at === 'pick') choose({ ...choice.peek(), query }, 'replace')
      } catch (error) {
        // Nobody waits for an older one any more.
        if (number === newestSearch) await fail('search', error)
      } finally {
        searches.value--
      }
    },
    find: async (hash) => {
      const turn = await takeTurn('find', hash)
      if (!turn) return
      try {
        const answer = await (await service).findTransaction(order.peek().id, hash)
        if (answer.found) await follow()
        else problem.value = { at: 'find', code: 'said', message: answer.message, typed: hash }
        found.value = answer.found ? hash : undefined
      } catch (error) {
        const { code, message } = await fail('find', error, hash)
        // 404 is the service's way to say that it has no such thing; the order itself was just read.
        if (code === 'said' && message === undefined) findable.value = false
      } finally {
        turn.end()
      }
    },
    complain: (about) => {
      problem.value = about
    },
    start: (flow) =>
      runFlow(flow, async (): Promise<FlowPorts> => ({
        api: await service,
        order: () => order.peek(),
        refresh: follow,
        now: () => clock.now.peek(),
        walletRelay: boot.walletRelay,
      })),
  }
}

/** "Never backwards" means `updated_at`, not the order of statuses: a reorg may take a status back. */
const isOlder = (next: OrderRead, shown: OrderRead): boolean => Date.parse(next.updated_at ?? '') < Date.parse(shown.updated_at ?? '')

const isSamePlace = (now: Choice, before: Choice): boolean => now.method === before.method && now.pick === before.pick
