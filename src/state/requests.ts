import type { Signal } from '@preact/signals'
import type { Client, PaymentAsk } from '../api/client.ts'
import { flows } from '../methods/flows.ts'
import type { FlowPorts } from '../methods/method.ts'
import type { Problem, WalletRelay } from '../wire/boot.ts'
import type { Choice } from '../wire/choice.ts'
import { firstSearches } from '../wire/first-searches.ts'
import { currencyKey } from '../wire/funds.ts'
import type { Checkout } from './checkout.ts'
import { depositOf } from './funds.ts'
import { problemOf } from './problem.ts'

/** What the checkout lets its requests write. */
export type Writable = Pick<Checkout, 'apply' | 'choose'> & {
  readonly [K in 'order' | 'methods' | 'currencies' | 'choice' | 'problem' | 'findable' | 'found']: Checkout[K] extends {
    readonly value: infer T
  }
    ? Signal<T>
    : never
}

/** What the page asks of the service. They are fetched with the client: nothing of them can run before it is there. */
export interface Requests {
  readonly ports: FlowPorts
  refresh(signal?: AbortSignal): Promise<void>
  /** Who has left the place where he asked is not taken away from where he is. */
  pay(ask: PaymentAsk, at: Problem['at'], from: Choice): Promise<void>
  loadMethods(): Promise<void>
  search(query: string): Promise<void>
  find(hash: string): Promise<void>
  /** What to say about a request that failed; throws what is no answer. */
  readonly problemOf: typeof problemOf
}

export const createRequests = (
  { order, methods, currencies, choice, problem, findable, found, apply, choose }: Writable,
  api: Client,
  now: () => number,
  walletRelay?: WalletRelay,
): Requests => {
  let flow: AbortController | undefined
  let searched = 0
  const refresh = async (signal?: AbortSignal) => apply(await api.order(order.peek().id, signal))
  const ports: FlowPorts = { api, order: () => order.peek(), refresh: () => refresh(), now, walletRelay }
  const land = ({ currency }: PaymentAsk) => {
    const deposit = depositOf(order.peek())
    choose(
      { method: 'address', pick: false, currency: currencyKey(deposit?.currency ?? currency), qr: choice.peek().qr },
      choice.peek().method === 'address' ? 'replace' : 'push',
    )
  }
  return {
    ports,
    refresh,
    problemOf,
    pay: async (ask, at, from) => {
      flow?.abort()
      flow = new AbortController()
      const run = await flows.address()
      for await (const step of run(ports, ask, flow.signal)) {
        if (step.at === 'refused') problem.value = problemOf(at, step, ask.refundAddress)
        if (step.at === 'misshapen') problem.value = { at, code: 'shape', typed: ask.refundAddress }
        if (step.at === 'instructed' && at !== 'refund' && isSamePlace(choice.peek(), from)) land(ask)
      }
    },
    loadMethods: async () => {
      methods.value = await api.methods(order.peek().id)
    },
    search: async (query) => {
      const search = ++searched
      const found = await api.currencies(query ? [query] : firstSearches(order.peek().fulfillment?.asset?.symbol))
      if (search !== searched) return
      currencies.value = found
      if (choice.peek().pick) choose({ ...choice.peek(), query }, 'replace')
    },
    find: async (hash) => {
      try {
        const answer = await api.findTransaction(order.peek().id, hash)
        if (answer.found) await refresh()
        found.value = answer.found ? hash : undefined
        problem.value = answer.found ? undefined : { at: 'find', code: 'said', message: answer.message, typed: hash }
      } catch (error) {
        const why = problemOf('find', error, hash)
        problem.value = why
        // 404 is the service's way to say that it has no such thing; the order itself was just read.
        if (why.code === 'said' && why.message === undefined) findable.value = false
      }
    },
  }
}

const isSamePlace = (one: Choice, other: Choice): boolean => one.method === other.method && one.pick === other.pick
