import type { Signal } from '@preact/signals'
import type { Client, PaymentAsk } from '../api/client.ts'
import { flows } from '../methods/flows.ts'
import type { FlowPorts } from '../methods/method.ts'
import type { Problem, WalletRelay } from '../wire/boot.ts'
import type { Choice } from '../wire/choice.ts'
import { firstSearches } from '../wire/first-searches.ts'
import { createAsking } from './asking.ts'
import type { Checkout } from './checkout.ts'
import { problemOf } from './problem.ts'

/** What the checkout lets its requests write. */
export type Writable = Pick<Checkout, 'apply' | 'choose' | 'step'> & {
  readonly [K in 'order' | 'methods' | 'currencies' | 'choice' | 'busy' | 'problem' | 'findable' | 'found']: Checkout[K] extends {
    readonly value: infer T
  }
    ? Signal<T>
    : never
}

/** What the page asks of the service. They are fetched with the client: nothing of them can run before it is there. */
export interface Requests {
  readonly ports: FlowPorts
  refresh(signal?: AbortSignal): Promise<void>
  pay(ask: PaymentAsk, at: Problem['at'], from: Choice): Promise<void>
  loadMethods(): Promise<void>
  /** Looking around keeps nothing from happening, and nothing keeps it: a search is never left out. */
  search(query: string): Promise<void>
  find(hash: string): Promise<void>
}

export const createRequests = (
  { order, methods, currencies, choice, step, busy, problem, findable, found, apply, choose }: Writable,
  api: Client,
  now: () => number,
  walletRelay?: WalletRelay,
): Requests => {
  const { attempt, explain } = createAsking({ busy, problem })
  let searched = 0
  /** Something was done whose outcome could not be read. */
  let unread = false
  const refresh = async (signal?: AbortSignal) => {
    apply(await api.order(order.peek().id, signal))
    unread = false
  }
  /** What was done stays done, also when nobody tells how it looks: whoever listens hears it later. */
  const follow = () =>
    refresh().catch(() => {
      unread = true
    })
  const ports: FlowPorts = { api, order: () => order.peek(), refresh: follow, now, walletRelay }
  const pay = async (ask: PaymentAsk, at: Problem['at'], from: Choice, isNewest: () => boolean) => {
    const [paying, run] = await Promise.all([import('./paying.ts'), flows.address()])
    await paying.pay(ask, at, {
      of: { order, choice, problem, choose },
      ports,
      run,
      isBehind: () => unread,
      refresh,
      from,
      isNewest,
      onRefused: (answer) => {
        problem.value = problemOf(at, answer, ask.refundAddress)
      },
    })
  }
  const find = async (hash: string) => {
    try {
      const answer = await api.findTransaction(order.peek().id, hash)
      if (answer.found) await follow()
      found.value = answer.found ? hash : undefined
      if (!answer.found) problem.value = { at: 'find', code: 'said', message: answer.message, typed: hash }
    } catch (error) {
      const why = problemOf('find', error, hash)
      problem.value = why
      // 404 is the service's way to say that it has no such thing; the order itself was just read.
      if (why.code === 'said' && why.message === undefined) findable.value = false
    }
  }
  const search = async (query: string) => {
    const mine = ++searched
    const queries = query ? [query] : firstSearches(order.peek().fulfillment?.asset?.symbol)
    try {
      const listed = await api.currencies(queries)
      if (mine !== searched) return
      currencies.value = listed
      if (step.peek().at === 'pick') choose({ ...choice.peek(), query }, 'replace')
    } catch (error) {
      // Nobody waits for an older one any more.
      if (mine === searched) throw error
    }
  }
  return {
    ports,
    refresh,
    pay: (ask, at, from) => attempt({ at, about: ask }, (isNewest) => pay(ask, at, from, isNewest), ask.refundAddress),
    loadMethods: () =>
      attempt({ at: 'methods', about: '' }, async () => {
        methods.value = await api.methods(order.peek().id)
      }),
    search: (query) => explain('search', () => search(query)),
    find: (hash) => attempt({ at: 'find', about: hash }, () => find(hash), hash),
  }
}
