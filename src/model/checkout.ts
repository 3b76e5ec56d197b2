import { batch, computed, signal, type ReadonlySignal } from '@preact/signals'
import type { PaymentRequest } from '../api/client.ts'
import type { FlowPorts, StartFlow } from '../methods/method.ts'
import { depositOf } from '../order/funding.ts'
import type { News } from '../order/news.ts'
import { stepOf, type Step } from '../order/step.ts'
import { passedDeadline } from '../order/times.ts'
import type { OrderBoot, Problem } from '../wire/boot.ts'
import { choiceQuery, type Choice } from '../wire/choice.ts'
import type { FoundCurrencyRead } from '../wire/currency.ts'
import { currencyKey } from '../wire/funds.ts'
import type { OrderRead } from '../wire/order-read.ts'
import type { PaymentMethodRead } from '../wire/payment-methods.ts'
import type { Clock } from './clock.ts'
import { runFlow } from './running-flow.ts'
import type { Service } from './service.ts'

export interface CheckoutPorts {
  readonly clock: Clock
  /** Resolves when the module that talks to the service (live.ts) has been loaded, and rejects if it cannot be fetched. */
  readonly service: Promise<Service>
  /** Resolves when every screen can be drawn. Until then the payer stays on the first one. */
  readonly isWhole?: Promise<unknown>
  /** The address check is loaded with the secondary screens (screens/secondary.tsx), so this is asynchronous. */
  readonly canReceive: (order: OrderRead, text: string, chainId: number) => Promise<boolean>
  /** Returns a change between two snapshots that has to be announced. It finds none until the secondary screens are loaded. */
  readonly newsOf: (before: OrderRead, after: OrderRead) => News | undefined
  /** Writes the choice into the page's URL, as a new history entry or in place of the current one. */
  readonly navigate: (choice: Choice, how: 'push' | 'replace') => void
}

export interface Checkout {
  readonly order: ReadonlySignal<OrderRead>
  readonly methods: ReadonlySignal<readonly PaymentMethodRead[] | undefined>
  readonly currencies: ReadonlySignal<readonly FoundCurrencyRead[] | undefined>
  readonly choice: ReadonlySignal<Choice>
  readonly step: ReadonlySignal<Step>
  /** A request of this part of the page is in flight. */
  readonly busy: ReadonlySignal<Problem['at'] | undefined>
  readonly searching: ReadonlySignal<boolean>
  readonly problem: ReadonlySignal<Problem | undefined>
  /** Screen readers have to announce this latest change of the order. */
  readonly news: ReadonlySignal<News | undefined>
  /** This is true until a 404 shows that this service cannot look up transactions. */
  readonly findable: ReadonlySignal<boolean>
  readonly found: ReadonlySignal<string | undefined>
  /** Later snapshots enter here, from responses and from the socket. One of another order or older than the shown one is dropped. */
  apply(order: OrderRead): void
  /** Fetches the order again, and rejects if that fails. */
  refresh(signal?: AbortSignal): Promise<void>
  choose(choice: Choice, how?: 'push' | 'replace'): void
  /** Restores the choice after the browser's Back or Forward, without a new history entry. */
  restore(choice: Choice): void
  /** Requests payment instructions, and then shows the deposit address. A change of only the refund address stays on its screen. */
  pay(request: PaymentRequest, at?: Problem['at']): Promise<void>
  loadMethods(): Promise<void>
  /** Searches are not queued with the other requests, because only the newest search matters. */
  search(query: string): Promise<void>
  find(hash: string): Promise<void>
  setProblem(problem: Problem | undefined): void
  readonly start: StartFlow
}

/** A turn is the place of a request in a queue, from which one request is sent at a time. It lasts from the click until the response. */
interface Turn {
  readonly at: Problem['at']
  /** The request as JSON tells a repeated click from a new request of the same part of the page. */
  readonly about: string
  readonly end: () => void
}

export const createCheckout = (
  boot: OrderBoot,
  initial: Choice,
  { clock, service, isWhole, canReceive, newsOf, navigate }: CheckoutPorts,
): Checkout => {
  const order = signal(boot.order)
  const methods = signal<readonly PaymentMethodRead[] | undefined>(boot.methods)
  const currencies = signal<readonly FoundCurrencyRead[] | undefined>(boot.currencies)
  const choice = signal(initial)
  const searches = signal(0)
  const problem = signal(boot.problem)
  const news = signal<News>()
  const findable = signal(true)
  const found = signal(boot.found)
  /** The request of the first turn is in flight, and the others wait for it. */
  const turns = signal<readonly Turn[]>([])
  // A step depends on time only at the deadline. If it read the clock itself, the page would render again every second.
  const passed = computed(() => passedDeadline(order.value, clock.now.value))
  const step = computed<Step>(() => stepOf(order.value, choice.value, passed.value))
  /** The first history entry has no method. It stays what the payer saw there, although the order may have an address by now. */
  const landing = step.peek().at === 'choose' ? 'choose' : undefined
  let newestSearch = 0
  /** A request has succeeded, but the changed order could not be fetched yet. */
  let isOrderStale = false

  const apply = (next: OrderRead) => {
    if (next.id !== order.peek().id || isOlder(next, order.peek())) return
    const { at } = step.peek()
    batch(() => {
      news.value = newsOf(order.peek(), next) ?? news.peek()
      order.value = next
    })
    // An address that replaces the ways to pay needs a history entry of its own, also if it comes before the response to its request.
    const shown = step.peek()
    // A refusal is about what the payer saw.
    if (shown.at !== at) problem.value = undefined
    if (at === 'choose' && shown.at === 'pay') showAddress(shown.deposit.currency)
  }
  const refresh = async (signal?: AbortSignal) => {
    apply(await (await service).order(order.peek().id, signal))
    isOrderStale = false
  }
  /** Never rejects, because a failure to fetch does not undo what the payer has just done. followOrder fetches the order later. */
  const refreshSafely = () =>
    refresh().catch(() => {
      isOrderStale = true
    })
  const finish = () => void (waiting = undefined)
  let waiting = isWhole?.then(finish, finish)
  const choose = (next: Choice, how: 'push' | 'replace' = 'push'): void => {
    if (waiting) return void waiting.then(() => choose(next, how))
    const from = choice.peek()
    // What is shown already gets no second entry, as with any link.
    if (choiceQuery(next) === choiceQuery(from)) how = 'replace'
    // After a reload the browser's Back leads to an entry of which only the URL says what the payer saw there.
    if (how === 'push' && landing && !from.method) navigate({ ...from, method: landing }, 'replace')
    batch(() => {
      choice.value = next
      if (how === 'push') problem.value = undefined
    })
    navigate(next, how)
  }
  const clearProblem = (at: Problem['at']) => {
    if (problem.peek()?.at === at) problem.value = undefined
  }
  /** Without live.ts no request can be sent, which looks to the payer like being offline. */
  const fail = async (at: Problem['at'], error: unknown, typed?: string) => {
    const why = await service.then(
      ({ problemOf }) => problemOf(at, error, typed),
      (): Problem => ({ at, code: 'offline', typed }),
    )
    problem.value = why
    return why
  }
  let lastTurn = Promise.resolve()
  /** Waits for earlier requests. Returns undefined if the same request is in flight, or if a newer one from the same place replaced it. */
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
  /** Makes a request in its turn. Returns the problem if it fails. */
  const inTurn = async (
    at: Problem['at'],
    about: unknown,
    request: (service: Service, turn: Turn) => Promise<void>,
    typed?: string,
  ): Promise<Problem | undefined> => {
    const turn = await takeTurn(at, about)
    if (!turn) return undefined
    try {
      await request(await service, turn)
    } catch (error) {
      return await fail(at, error, typed)
    } finally {
      turn.end()
    }
    return undefined
  }
  const showAddress = (currency: Parameters<typeof currencyKey>[0]) => {
    // If the order has changed but could not be fetched, it still has the old instructions, so the requested currency is used.
    const shown = isOrderStale ? undefined : depositOf(order.peek())?.currency
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
        choice.value = { ...next, method: next.method ?? landing }
        problem.value = undefined
      }),
    pay: async (request, at = 'currency') => {
      const from = choice.peek()
      const { refundAddress: typed, extend } = request
      const send = async ({ requestPayment, withCurrentCurrency }: Service, turn: Turn) => {
        const isChange = typed !== undefined || extend === true
        if (isChange && isOrderStale) await refresh()
        const wanted = isChange ? withCurrentCurrency(request, order.peek()) : request
        if (!wanted) {
          problem.value = { at, code: 'said', typed }
        } else if (typed !== undefined && !(await canReceive(order.peek(), typed, wanted.currency.chain_id))) {
          problem.value = { at, code: 'shape', typed }
        } else {
          await requestPayment(order.peek().id, wanted)
          await refreshSafely()
          // A payer who has moved to another screen, or has made a newer request here, is not moved.
          const isNewest = turns.peek().findLast((other) => other.at === at) === turn
          if (at !== 'refund' && isNewest && isSamePlace(choice.peek(), from)) showAddress(wanted.currency)
        }
      }
      await inTurn(at, request, send, typed)
    },
    loadMethods: async () => {
      await inTurn('methods', '', async (client) => {
        methods.value = await client.methods(order.peek().id)
      })
    },
    search: async (query) => {
      const number = ++newestSearch
      searches.value++
      clearProblem('search')
      try {
        const { currencies: list, firstSearches } = await service
        const listed = await list(order.peek().id, query ? [query] : firstSearches(order.peek()))
        if (number !== newestSearch) return
        currencies.value = listed
        if (step.peek().at === 'pick') choose({ ...choice.peek(), query }, 'replace')
      } catch (error) {
        // Only the newest search may show an error, because the older ones have been replaced.
        if (number === newestSearch) await fail('search', error)
      } finally {
        searches.value--
      }
    },
    find: async (hash) => {
      const look = async ({ findTransaction }: Service) => {
        const answer = await findTransaction(order.peek().id, hash)
        if (answer.found) await refreshSafely()
        else problem.value = { at: 'find', code: 'said', message: answer.message, typed: hash }
        found.value = answer.found ? hash : undefined
      }
      const why = await inTurn('find', hash, look, hash)
      // A 404 (`said` without a message) means that the service has no such endpoint, because the order itself exists.
      if (why?.code === 'said' && why.message === undefined) findable.value = false
    },
    setProblem: (about) => {
      problem.value = about
    },
    start: (flow) =>
      runFlow(flow, async (): Promise<FlowPorts> => ({
        api: await service,
        order: () => order.peek(),
        refresh: refreshSafely,
        now: () => clock.now.peek(),
        walletRelay: boot.walletRelay,
        factory: boot.factory,
      })),
  }
}

/** Snapshots are compared by `updated_at` and not by status, because a reorganisation of the chain may undo a status. */
const isOlder = (next: OrderRead, shown: OrderRead): boolean => Date.parse(next.updated_at ?? '') < Date.parse(shown.updated_at ?? '')

const isSamePlace = (now: Choice, before: Choice): boolean => now.method === before.method && now.pick === before.pick
