import * as fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { ApiError } from '../../src/api/api-error.ts'
import type { Client, PaymentRequest } from '../../src/api/client.ts'
import { canReceive } from '../../src/wire/addresses/can-receive.ts'
import { payByCard } from '../../src/methods/card/pay-by-card.ts'
import { createCheckout, type CheckoutPorts } from '../../src/model/checkout.ts'
import { createService } from '../../src/model/service.ts'
import { depositOf } from '../../src/order/funding.ts'
import { newsOf } from '../../src/order/news.ts'
import { createClock } from '../../src/model/clock.ts'
import type { OrderBoot } from '../../src/wire/boot.ts'
import { noChoice, type Choice } from '../../src/wire/choice.ts'
import type { CurrencyRead } from '../../src/wire/currency.ts'
import type { OrderRead } from '../../src/wire/order-read.ts'
import * as orders from '../support/orders/orders.ts'

function start(
  order: OrderRead,
  client: Partial<Client> = {},
  choice: Choice = noChoice,
  service: CheckoutPorts['service'] = Promise.resolve(createService(client as Client)),
  isWhole?: Promise<unknown>,
) {
  let device = orders.recordedNow
  const clock = createClock(orders.recordedNow, { device: () => device, every: () => () => {} })
  const navigations: [Choice, string][] = []
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
    service,
    isWhole,
    canReceive: async (order, text, chainId) => canReceive(chainId, text, depositOf(order)?.address),
    newsOf,
    navigate: (next, how) => navigations.push([next, how]),
  })
  return { checkout, clock, navigations, setDevice: (time: number) => (device = time) }
}

test('behavior: an older snapshot is dropped, whatever the order of arrival', () => {
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

test('behavior: the first entry of the history says what the payer saw there, so that Back leads there also after a reload', () => {
  const fresh = start(orders.pending())
  fresh.checkout.choose({ method: 'wallet', pick: false })
  expect(fresh.navigations).toEqual([
    [{ method: 'choose', pick: false }, 'replace'],
    [{ method: 'wallet', pick: false }, 'push'],
  ])
  fresh.checkout.choose({ method: 'choose', pick: false })
  expect(fresh.navigations).toHaveLength(3)
  const opened = start(orders.awaiting(), {}, { method: 'address', pick: false })
  opened.checkout.choose({ method: 'choose', pick: false })
  expect(opened.navigations).toEqual([[{ method: 'choose', pick: false }, 'push']])
})

test('behavior: paying requests instructions, reads the order again and shows them', async () => {
  const requestPayment = vi.fn(async () => {})
  const { checkout, navigations } = start(orders.pending(), { requestPayment, order: async () => orders.awaiting() })
  await checkout.pay({ currency: { chain_id: 8453, address: orders.usdc.address } })
  expect(requestPayment).toHaveBeenCalledOnce()
  expect(checkout.step.value.at).toBe('pay')
  expect(navigations.at(-1)).toEqual([
    { method: 'address', pick: false, currency: `8453-${orders.usdc.address.toLowerCase()}`, qr: undefined },
    'push',
  ])
})

test('behavior: an address that the socket brings first is shown at once, with an entry of its own, so that Back leads to the ways to pay', async () => {
  for (const outcome of ['answered', 'lost'] as const) {
    const response = held<void>()
    const { checkout, navigations } = start(orders.pending(), {
      requestPayment: () => response.promise,
      order: async () => orders.awaiting(),
    })
    const paying = checkout.pay({ currency: { chain_id: 8453, address: orders.usdc.address } })
    checkout.apply(orders.awaiting())
    expect(checkout.step.value.at).toBe('pay')
    if (outcome === 'answered') response.answer()
    else response.refuse(new TypeError('Failed to fetch'))
    await paying
    expect(checkout.step.value.at).toBe('pay')
    expect(navigations.map(([{ method }, how]) => [method, how])).toEqual([
      ['choose', 'replace'],
      ['address', 'push'],
    ])
    checkout.restore({ method: 'choose', pick: false })
    expect(checkout.step.value.at).toBe('choose')
    checkout.apply(orders.awaiting())
    expect(checkout.step.value.at).toBe('choose')
  }
})

test('behavior: an address that comes before every screen is loaded gets one entry', async () => {
  const whole = held<void>()
  const client = { requestPayment: async () => {}, order: async () => orders.awaiting() }
  const service = Promise.resolve(createService(client as Partial<Client> as Client))
  const { checkout, navigations } = start(orders.pending(), client, noChoice, service, whole.promise)
  await checkout.pay({ currency: { chain_id: 8453, address: orders.usdc.address } })
  expect(navigations).toEqual([])
  whole.answer()
  await vi.waitFor(() => expect(navigations.filter(([, how]) => how === 'push').map(([{ method }]) => method)).toEqual(['address']), {
    timeout: 60_000,
  })
  await whole.promise
  expect(navigations.filter(([, how]) => how === 'push')).toHaveLength(1)
  expect(checkout.choice.value.method).toBe('address')
})

test('behavior: a refusal is shown where the request was made, in the service’s words', async () => {
  const { checkout } = start(orders.pending(), {
    requestPayment: () => Promise.reject(new ApiError(422, 'This token is not available here.')),
  })
  await checkout.pay({ currency: { chain_id: 1, address: null } })
  expect(checkout.problem.value).toMatchObject({ at: 'currency', code: 'said', message: 'This token is not available here.' })
  expect(checkout.busy.value).toBeUndefined()
})

/** A promise that the test resolves with `answer`. */
function held<T>() {
  let answer!: (value: T) => void
  let refuse!: (why: Error) => void
  const promise = new Promise<T>((resolve, reject) => ([answer, refuse] = [resolve, reject]))
  return { promise, answer, refuse }
}
const picking: Choice = { method: 'address', pick: true }
const inUsdc: PaymentRequest = { currency: { chain_id: 8453, address: orders.usdc.address } }
/** The same order after another token was chosen. */
const inEther = () => ({ ...orders.recorded['04-native']!(), id: orders.awaiting().id, updated_at: '2026-05-12T14:10:00.000Z' })
const refundTo = '0x91d3e07a5bc284f6120e9da37c48b5f06e2a7d1c'

test('behavior: opening the token list while a request is pending keeps the payer in the list', async () => {
  const [request, listed] = [held<void>(), held<CurrencyRead[]>()]
  const client = { requestPayment: () => request.promise, order: async () => orders.awaiting(), currencies: () => listed.promise }
  const { checkout } = start(orders.pending(), client)
  const paying = checkout.pay({ currency: { chain_id: 8453, address: orders.usdc.address } })
  checkout.choose(picking)
  const searching = checkout.search('')
  expect(checkout.searching.value).toBe(true)
  request.answer()
  await paying
  expect(checkout.step.value.at).toBe('pick')
  listed.answer([orders.usdc])
  await searching
  expect(checkout.currencies.value).toEqual([orders.usdc])
  expect(checkout.searching.value).toBe(false)
  expect(checkout.choice.value).toEqual({ ...picking, query: '' })
})

test('behavior: a list that arrives while one of its tokens is requested keeps nobody in it', async () => {
  const [request, listed] = [held<void>(), held<CurrencyRead[]>()]
  const client = { requestPayment: () => request.promise, order: async () => orders.awaiting(), currencies: () => listed.promise }
  const { checkout } = start(orders.pending(), client, picking)
  const searching = checkout.search('')
  const paying = checkout.pay({ currency: { chain_id: 8453, address: orders.usdc.address } })
  listed.answer([orders.usdc])
  await searching
  request.answer()
  await paying
  expect(checkout.step.value.at).toBe('pay')
})

test('behavior: the newest search counts, and none brings a payer back who has left the list', async () => {
  const answers: ReturnType<typeof held<CurrencyRead[]>>[] = []
  const currencies = () => {
    const next = held<CurrencyRead[]>()
    answers.push(next)
    return next.promise
  }
  const { checkout } = start(orders.pending(), { currencies }, picking)
  const searches = [checkout.search('da'), checkout.search('dai')]
  await expect.poll(() => answers).toHaveLength(2)
  answers[1]!.answer([orders.usdc])
  await searches[1]
  answers[0]!.answer([])
  await searches[0]
  expect(checkout.currencies.value).toEqual([orders.usdc])
  expect(checkout.choice.value.query).toBe('dai')
  const late = checkout.search('eth')
  await expect.poll(() => answers).toHaveLength(3)
  checkout.restore({ method: 'choose', pick: false })
  answers[2]!.answer([])
  await late
  expect(checkout.step.value.at).toBe('choose')
})

test('behavior: requests made meanwhile are queued, and a second tap is no second request', async () => {
  const [first, second] = [held<void>(), held<void>()]
  const requestPayment = vi.fn().mockReturnValueOnce(first.promise).mockReturnValueOnce(second.promise)
  const { checkout } = start(orders.pending(), { requestPayment, order: async () => orders.awaiting() })
  const currency = { chain_id: 8453, address: orders.usdc.address }
  const paying = [checkout.pay({ currency }), checkout.pay({ currency })]
  expect(checkout.busy.value).toBe('currency')
  const saving = checkout.pay({ currency, refundAddress: refundTo }, 'refund')
  first.answer()
  await Promise.all(paying)
  await expect.poll(() => requestPayment).toHaveBeenCalledTimes(2)
  expect(requestPayment.mock.lastCall?.[1]).toMatchObject({ refundAddress: refundTo })
  expect(checkout.busy.value).toBe('refund')
  second.answer()
  await saving
  expect(checkout.busy.value).toBeUndefined()
})

test('behavior: of the requests queued by one place only the newest is sent', async () => {
  const answers = [held<void>(), held<void>()]
  let next = 0
  const requestPayment = vi.fn(() => answers[next++]!.promise)
  const { checkout } = start(orders.awaiting(), { requestPayment, order: async () => orders.awaiting() })
  const save = (refundAddress: string) =>
    checkout.pay({ currency: { chain_id: 8453, address: orders.usdc.address }, refundAddress }, 'refund')
  const [typo, dropped, right] = [refundTo.replace(/c$/, 'd'), refundTo.replace(/c$/, 'e'), refundTo]
  const saving = [save(typo), save(dropped), save(right), save(right)]
  await expect.poll(() => requestPayment).toHaveBeenCalledOnce()
  answers[0]!.answer()
  await expect.poll(() => requestPayment).toHaveBeenCalledTimes(2)
  expect(checkout.busy.value).toBe('refund')
  answers[1]!.answer()
  await Promise.all(saving)
  expect(requestPayment.mock.calls.map((call) => (call as unknown[])[1])).toMatchObject([{ refundAddress: typo }, { refundAddress: right }])
  expect(checkout.busy.value).toBeUndefined()
})

test('behavior: a second hash is looked up too', async () => {
  const findTransaction = vi.fn(async (_: string, hash: string) => ({ found: hash === orders.hash, message: 'Nothing.' }))
  const { checkout } = start(orders.expired(), { findTransaction, order: async () => orders.expired() })
  await Promise.all([checkout.find('0xwrong'), checkout.find(orders.hash)])
  expect(findTransaction.mock.calls.map(([, hash]) => hash)).toEqual(['0xwrong', orders.hash])
  expect(checkout.found.value).toBe(orders.hash)
  expect(checkout.problem.value).toBeUndefined()
})

test('behavior: of two requested tokens the second is shown, however the first ends', async () => {
  const requests = [held<void>(), held<void>()]
  let next = 0
  const requestPayment = vi.fn(() => requests[next++]!.promise)
  const order = async () => (next === 1 ? orders.awaiting() : inEther())
  const { checkout, navigations } = start(orders.pending(), { requestPayment, order }, picking)
  const paying = [checkout.pay(inUsdc), checkout.pay({ currency: { chain_id: 1, address: null } })]
  await expect.poll(() => requestPayment).toHaveBeenCalledOnce()
  requests[0]!.answer()
  await expect.poll(() => requestPayment).toHaveBeenCalledTimes(2)
  expect(checkout.step.value.at).toBe('pick')
  requests[1]!.answer()
  await Promise.all(paying)
  expect(checkout.step.value).toMatchObject({ at: 'pay', deposit: { currency: { symbol: 'ETH' } } })
  expect(navigations.map(([choice]) => choice.currency)).toEqual(['1-native'])
})

test('behavior: a problem stays on the page while other requests run', async () => {
  const client = {
    requestPayment: () => Promise.reject(new ApiError(422, 'This address is blocked.')),
    findTransaction: async () => ({ found: true, message: '' }),
    currencies: async () => [orders.usdc],
    order: async () => orders.awaiting(),
  }
  const { checkout } = start(orders.awaiting(), client)
  await Promise.all([checkout.pay({ ...inUsdc, refundAddress: refundTo }, 'refund'), checkout.find(orders.hash), checkout.search('')])
  expect(checkout.problem.value).toMatchObject({ at: 'refund', message: 'This address is blocked.' })
})

test('behavior: a refusal is gone once the payer sees another screen', async () => {
  const { checkout } = start(orders.awaiting(), { requestPayment: () => Promise.reject(new ApiError(422, 'This address is blocked.')) })
  await checkout.pay({ ...inUsdc, refundAddress: refundTo }, 'refund')
  checkout.apply(orders.partial())
  expect(checkout.problem.value).toMatchObject({ at: 'refund' })
  checkout.apply(orders.completed())
  expect(checkout.problem.value).toBeUndefined()
})

test('behavior: a refund address and more time never undo a newer choice of token', async () => {
  const token = held<void>()
  const sent: PaymentRequest[] = []
  const requestPayment = vi.fn(async (_: string, ask: PaymentRequest) => {
    sent.push(ask)
    if (sent.length === 1) await token.promise
  })
  const { checkout } = start(orders.awaiting(), { requestPayment, order: async () => inEther() })
  const asking = [
    checkout.pay({ currency: { chain_id: 1, address: null } }),
    checkout.pay({ ...inUsdc, refundAddress: refundTo }, 'refund'),
    checkout.pay({ ...inUsdc, extend: true }, 'extend'),
  ]
  token.answer()
  await Promise.all(asking)
  // The address was typed for Base, but the order is now on Ethereum, so it is not sent. The extension applies to the current token.
  expect(sent.map(({ currency, refundAddress, extend }) => [currency.chain_id, refundAddress, extend])).toEqual([
    [1, undefined, undefined],
    [1, undefined, true],
  ])
  expect(checkout.problem.value).toMatchObject({ at: 'refund', code: 'said', typed: refundTo })
})

test('behavior: on the same network the refund address is saved with the current token', async () => {
  const requestPayment = vi.fn(async () => {})
  const { checkout } = start(orders.awaiting(), { requestPayment, order: async () => orders.awaiting() })
  await checkout.pay({ currency: { chain_id: 8453, address: null }, refundAddress: refundTo }, 'refund')
  expect(requestPayment.mock.lastCall?.slice(1, 2)).toEqual([{ ...inUsdc, refundAddress: refundTo }])
})

test('behavior: while a changed order cannot be read, the next request is not sent', async () => {
  const requestPayment = vi.fn(async () => {})
  const order = vi.fn(() => Promise.reject(new ApiError(0, 'gone')))
  const { checkout } = start(orders.awaiting(), { requestPayment, order })
  await checkout.pay({ currency: { chain_id: 1, address: null } })
  await checkout.pay({ ...inUsdc, refundAddress: refundTo }, 'refund')
  expect(requestPayment).toHaveBeenCalledOnce()
  expect(checkout.problem.value).toEqual({ at: 'refund', code: 'offline', typed: refundTo })
})

test('behavior: a successful request whose read fails shows no problem, and its instructions appear when they arrive', async () => {
  const order = () => Promise.reject(new ApiError(0, 'gone'))
  const { checkout } = start(orders.awaiting(), { requestPayment: async () => {}, order }, picking)
  await checkout.pay({ currency: { chain_id: 1, address: null } })
  expect(checkout.problem.value).toBeUndefined()
  // The old token's address must not be shown for the new one.
  expect(checkout.step.value.at).toBe('pick')
  checkout.apply(inEther())
  expect(checkout.step.value).toMatchObject({ at: 'pay', deposit: { currency: { symbol: 'ETH' } } })
  const found = start(orders.expired(), { findTransaction: async () => ({ found: true, message: '' }), order })
  await found.checkout.find(orders.hash)
  expect(found.checkout.found.value).toBe(orders.hash)
  expect(found.checkout.problem.value).toBeUndefined()
})

test('behavior: a card page that was requested counts as opened although the read fails', async () => {
  const { checkout } = start(orders.pending(), { requestPayment: async () => {}, order: () => Promise.reject(new ApiError(0, 'gone')) })
  const flow = checkout.start(payByCard)
  await flow.run({ do: 'open' })
  expect(flow.step.value).toEqual({ at: 'opened' })
})

test('error: a script chunk that fails to load is reported where the request was made', async () => {
  const gone = start(orders.pending(), {}, noChoice, Promise.reject(new TypeError('Failed to fetch dynamically imported module')))
  await gone.checkout.pay({ ...inUsdc, refundAddress: refundTo }, 'refund')
  expect(gone.checkout.problem.value).toEqual({ at: 'refund', code: 'offline', typed: refundTo })
  expect(gone.checkout.busy.value).toBeUndefined()
  const paying = gone.checkout.pay(inUsdc)
  expect(gone.checkout.busy.value).toBe('currency')
  await paying
  expect(gone.checkout.problem.value).toMatchObject({ at: 'currency', code: 'offline' })
  expect(gone.checkout.busy.value).toBeUndefined()
  await gone.checkout.search('dai')
  expect(gone.checkout.problem.value).toMatchObject({ at: 'search', code: 'offline' })
  expect(gone.checkout.searching.value).toBe(false)
})

test('behavior: a list opened by another token’s link keeps its search', async () => {
  const elsewhere: Choice = { method: 'address', pick: false, currency: '1-native' }
  const { checkout } = start(orders.awaiting(), { currencies: async () => [orders.usdc] }, elsewhere)
  expect(checkout.step.value.at).toBe('pick')
  await checkout.search('dai')
  expect(checkout.choice.value).toEqual({ ...elsewhere, query: 'dai' })
})

test('behavior: an older search that fails late does not affect the newer list', async () => {
  const [older, newer] = [held<never>(), held<CurrencyRead[]>()]
  const currencies = vi.fn().mockReturnValueOnce(older.promise).mockReturnValueOnce(newer.promise)
  const { checkout } = start(orders.pending(), { currencies }, picking)
  const searches = [checkout.search('da'), checkout.search('dai')]
  await expect.poll(() => currencies).toHaveBeenCalledTimes(2)
  newer.answer([orders.usdc])
  await searches[1]
  older.refuse(new ApiError(0, 'gone'))
  await searches[0]
  expect(checkout.problem.value).toBeUndefined()
})

test('behavior: Back from the address leads to the list of ways again, and on a page that began with an address to that', () => {
  const began = start(orders.pending())
  began.checkout.choose({ method: 'address', pick: false })
  began.checkout.apply(orders.awaiting())
  expect(began.checkout.step.value.at).toBe('pay')
  began.checkout.restore({ pick: false })
  expect(began.checkout.step.value.at).toBe('choose')
  const returned = start(orders.awaiting())
  returned.checkout.choose({ method: 'choose', pick: false })
  returned.checkout.restore({ pick: false })
  expect(returned.checkout.step.value.at).toBe('pay')
})

test('behavior: a refusal stays when the list arrives, and disappears with its screen', async () => {
  const listed = held<CurrencyRead[]>()
  const client = { requestPayment: () => Promise.reject(new ApiError(422, 'Not available here.')), currencies: () => listed.promise }
  const { checkout } = start(orders.pending(), client, picking)
  const searching = checkout.search('')
  await checkout.pay({ currency: { chain_id: 1, address: null } })
  listed.answer([orders.usdc])
  await searching
  expect(checkout.problem.value).toMatchObject({ at: 'currency', message: 'Not available here.' })
  checkout.restore({ method: 'choose', pick: false })
  expect(checkout.problem.value).toBeUndefined()
})

test('behavior: a refund address of another chain is never sent', async () => {
  const requestPayment = vi.fn(async () => {})
  const { checkout } = start(orders.awaiting(), { requestPayment })
  await checkout.pay({ currency: { chain_id: 8453, address: null }, refundAddress: 'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq' }, 'refund')
  expect(requestPayment).not.toHaveBeenCalled()
  expect(checkout.problem.value).toMatchObject({ at: 'refund', code: 'shape' })
})

test('behavior: a service without a look-up hides it, and a look-up that finds nothing says so', async () => {
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

test('behavior: a transfer that disappears is reported, and its amount is due again', () => {
  const { checkout } = start(orders.partlySeen())
  checkout.apply({ ...orders.awaiting(), updated_at: '2026-05-12T14:05:00.000Z' })
  expect(checkout.news.value).toMatchObject({ type: 'vanished', amount: { raw: 20_000_000n } })
  expect(checkout.step.value).toMatchObject({ at: 'pay', funding: { due: 42_500_000n } })
})

test('behavior: the clock is the service’s, and a device that is an hour off changes nothing', () => {
  const { checkout, clock, setDevice } = start(orders.awaiting())
  clock.sync(orders.recordedNow + 3_600_000)
  expect(checkout.step.value).toMatchObject({ at: 'pay', lapsed: true })
  setDevice(0)
  clock.sync(orders.recordedNow)
  expect(clock.now.value).toBe(orders.recordedNow)
})
