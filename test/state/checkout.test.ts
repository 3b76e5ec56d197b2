import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../../src/api/api-error.ts'
import type { Client } from '../../src/api/client.ts'
import { createCheckout } from '../../src/state/checkout.ts'
import { createRequests } from '../../src/state/requests.ts'
import { createClock } from '../../src/state/clock.ts'
import type { OrderBoot } from '../../src/wire/boot.ts'
import { noChoice, type Choice } from '../../src/wire/choice.ts'
import type { CurrencyRead } from '../../src/wire/currency.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders.ts'

const start = (order: OrderRead, client: Partial<Client> = {}, choice: Choice = noChoice) => {
  let device = orders.recordedNow
  const clock = createClock(orders.recordedNow, { device: () => device, every: () => () => {} })
  const went: [Choice, string][] = []
  const boot: OrderBoot = {
    view: 'order',
    locale: 'en',
    now: orders.recordedNow,
    path: '/pay/x',
    surface: 'page',
    query: '',
    order,
    methods: [],
  }
  const checkout = createCheckout(boot, choice, {
    clock,
    requests: async (of) => createRequests(of, client as Client, () => clock.now.peek()),
    go: (next, how) => went.push([next, how]),
  })
  return { checkout, clock, went, setDevice: (time: number) => (device = time) }
}

test('behavior: an older snapshot is dropped, in whatever order they come', () => {
  const times = fc.array(fc.nat(1000), { minLength: 1, maxLength: 20 })
  fc.assert(
    fc.property(times, (list) => {
      const { checkout } = start({ ...orders.awaiting(), updated_at: new Date(0).toISOString() })
      let newest = 0
      for (const ms of list) {
        checkout.apply({ ...orders.awaiting(), updated_at: new Date(ms).toISOString() })
        newest = Math.max(newest, ms)
        expect(Date.parse(checkout.order.value.updated_at ?? '')).toBe(newest)
      }
    }),
  )
})

test('behavior: another order is never shown in place of this one', () => {
  const { checkout } = start(orders.awaiting())
  checkout.apply({ ...orders.completed(), id: 'another' })
  expect(checkout.step.value.at).toBe('pay')
})

test('behavior: paying asks, reads the order again and lands on the instructions', async () => {
  const requestPayment = vi.fn(async () => {})
  const { checkout, went } = start(orders.pending(), { requestPayment, order: async () => orders.awaiting() })
  await checkout.pay({ currency: { chain_id: 8453, address: orders.usdc.address } })
  expect(requestPayment).toHaveBeenCalledOnce()
  expect(checkout.step.value.at).toBe('pay')
  expect(went.at(-1)).toEqual([
    { method: 'address', pick: false, currency: `8453-${orders.usdc.address.toLowerCase()}`, qr: undefined },
    'push',
  ])
})

test('behavior: a refusal stands where it was asked for, in the service’s words', async () => {
  const { checkout } = start(orders.pending(), {
    requestPayment: () => Promise.reject(new ApiError(422, 'This token is not available here.')),
  })
  await checkout.pay({ currency: { chain_id: 1, address: null } })
  expect(checkout.problem.value).toMatchObject({ at: 'currency', code: 'said', message: 'This token is not available here.' })
  expect(checkout.busy.value).toBeUndefined()
})

/** An answer that comes when it is told to. */
const held = <T>() => {
  let answer!: (value: T) => void
  const promise = new Promise<T>((resolve) => (answer = resolve))
  return { promise, answer }
}
const picking: Choice = { method: 'address', pick: true }
const refundTo = '0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c'

test('behavior: who looks for another token while the first is asked for gets the list, and is not taken away from it', async () => {
  const [asked, listed] = [held<void>(), held<CurrencyRead[]>()]
  const client = { requestPayment: () => asked.promise, order: async () => orders.awaiting(), currencies: () => listed.promise }
  const { checkout } = start(orders.pending(), client)
  const paying = checkout.pay({ currency: { chain_id: 8453, address: orders.usdc.address } })
  checkout.choose(picking)
  const searching = checkout.search('')
  expect(checkout.searching.value).toBe(true)
  asked.answer()
  await paying
  expect(checkout.step.value.at).toBe('pick')
  listed.answer([orders.usdc])
  await searching
  expect(checkout.currencies.value).toEqual([orders.usdc])
  expect(checkout.searching.value).toBe(false)
  expect(checkout.choice.value).toEqual({ ...picking, query: '' })
})

test('behavior: a list that comes while a token of it is asked for keeps nobody in it', async () => {
  const [asked, listed] = [held<void>(), held<CurrencyRead[]>()]
  const client = { requestPayment: () => asked.promise, order: async () => orders.awaiting(), currencies: () => listed.promise }
  const { checkout } = start(orders.pending(), client, picking)
  const searching = checkout.search('')
  const paying = checkout.pay({ currency: { chain_id: 8453, address: orders.usdc.address } })
  listed.answer([orders.usdc])
  await searching
  asked.answer()
  await paying
  expect(checkout.step.value.at).toBe('pay')
})

test('behavior: the newest search counts, and none brings back who has left the list', async () => {
  const answers: ReturnType<typeof held<CurrencyRead[]>>[] = []
  const currencies = () => {
    const next = held<CurrencyRead[]>()
    answers.push(next)
    return next.promise
  }
  const { checkout } = start(orders.pending(), { currencies }, picking)
  const searches = [checkout.search('da'), checkout.search('dai')]
  await vi.waitFor(() => expect(answers).toHaveLength(2))
  answers[1]!.answer([orders.usdc])
  await searches[1]
  answers[0]!.answer([])
  await searches[0]
  expect(checkout.currencies.value).toEqual([orders.usdc])
  expect(checkout.choice.value.query).toBe('dai')
  const late = checkout.search('eth')
  await vi.waitFor(() => expect(answers).toHaveLength(3))
  checkout.restore({ method: 'choose', pick: false })
  answers[2]!.answer([])
  await late
  expect(checkout.step.value.at).toBe('choose')
})

test('behavior: what is asked for meanwhile has its turn, and a second tap is no second wish', async () => {
  const [first, second] = [held<void>(), held<void>()]
  const requestPayment = vi.fn().mockReturnValueOnce(first.promise).mockReturnValueOnce(second.promise)
  const { checkout } = start(orders.pending(), { requestPayment, order: async () => orders.awaiting() })
  const currency = { chain_id: 8453, address: orders.usdc.address }
  const paying = [checkout.pay({ currency }), checkout.pay({ currency })]
  expect(checkout.busy.value).toBe('currency')
  const saving = checkout.pay({ currency, refundAddress: refundTo }, 'refund')
  first.answer()
  await Promise.all(paying)
  await vi.waitFor(() => expect(requestPayment).toHaveBeenCalledTimes(2))
  expect(requestPayment.mock.lastCall?.[1]).toMatchObject({ refundAddress: refundTo })
  expect(checkout.busy.value).toBe('refund')
  second.answer()
  await saving
  expect(checkout.busy.value).toBeUndefined()
})

test('behavior: a refund address of another chain never leaves the page', async () => {
  const requestPayment = vi.fn(async () => {})
  const { checkout } = start(orders.awaiting(), { requestPayment })
  await checkout.pay({ currency: { chain_id: 8453, address: null }, refundAddress: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }, 'refund')
  expect(requestPayment).not.toHaveBeenCalled()
  expect(checkout.problem.value).toMatchObject({ at: 'refund', code: 'shape' })
})

test('behavior: a service without a look-up hides it; one that found nothing says so', async () => {
  const none = start(orders.expired(), { findTransaction: () => Promise.reject(new ApiError(404, 'Not Found')) })
  await none.checkout.find(orders.hash)
  expect(none.checkout.findable.value).toBe(false)
  const other = start(orders.expired(), {
    findTransaction: async () => ({ found: false, message: 'No transfer with this hash was found.' }),
  })
  await other.checkout.find(orders.hash)
  expect(other.checkout.findable.value).toBe(true)
  expect(other.checkout.problem.value?.message).toBe('No transfer with this hash was found.')
})

test('behavior: a transfer that disappears is said, and its amount is due again', () => {
  const { checkout } = start(orders.partlySeen())
  checkout.apply({ ...orders.awaiting(), updated_at: '2026-05-12T14:05:00.000Z' })
  expect(checkout.news.value).toMatchObject({ type: 'vanished', amount: { raw: 20_000_000n } })
  expect(checkout.step.value).toMatchObject({ at: 'pay', funding: { due: 42_500_000n } })
})

test('behavior: the clock is the service’s; a device that is an hour off changes nothing', () => {
  const { checkout, clock, setDevice } = start(orders.awaiting())
  clock.sync(orders.recordedNow + 3_600_000)
  expect(checkout.step.value).toMatchObject({ at: 'pay', lapsed: true })
  setDevice(0)
  clock.sync(orders.recordedNow)
  expect(clock.now.value).toBe(orders.recordedNow)
})
