// @vitest-environment happy-dom
import { expect, test, vi } from 'vitest'
import type { Context } from '../../embed/context.ts'
import { createButton } from '../../embed/create-button.ts'
import { createIcon } from '../../embed/icon.ts'
import { createReporter } from '../../embed/reporter.ts'
import { createSession } from '../../embed/session.ts'
import { adopt, spin, tokens } from '../../embed/style.ts'
import type { OrderSource } from '../../embed/till.ts'

const context: Context = {
  payUrl: 'https://pay.example',
  emit: () => {},
  drop: () => {},
  createIcon,
  button: createButton,
  adopt,
  spin,
  tokens,
}

function start(source: OrderSource | undefined) {
  const events: [string, unknown][] = []
  const open = createSession({ ...context, emit: (type, detail) => void events.push([type, detail]) }, source, () => null)
  return { open, take: createReporter(open), events, types: () => events.map(([type]) => type) }
}
const settled = () => new Promise((resolve) => setTimeout(resolve))

test('default: a known order is available at once', () => {
  const { open } = start('ord_0123456789abcd1')
  const run = vi.fn()
  open.whenKnown(run)
  expect(run).toHaveBeenCalledExactlyOnceWith('ord_0123456789abcd1')
})

test('behavior: the function is called once, inside the click, and all callers wait for it', async () => {
  const source = vi.fn(async () => 'ord_0123456789abcd2')
  const { open } = start(source)
  expect(source).toHaveBeenCalledOnce()
  const runs = [vi.fn(), vi.fn()]
  runs.forEach(open.whenKnown)
  await settled()
  for (const run of runs) expect(run).toHaveBeenCalledExactlyOnceWith('ord_0123456789abcd2')
  expect(open.session.order).toBe('ord_0123456789abcd2')
})

test.for<[string, OrderSource | undefined]>([
  ['a rejection', () => Promise.reject(new Error('out of stock'))],
  [
    'a throw',
    () => {
      throw new Error('out of stock')
    },
  ],
  ['nothing', undefined],
  ['an empty id', ''],
  ['no text', (() => Promise.resolve({ id: 'ord_0123456789abcd3' })) as never],
])('error: %s instead of an id ends the session with one event', async ([, source]) => {
  const { open, types, events } = start(source)
  await expect(open.session.result).resolves.toMatchObject({ type: 'error', code: 'order' })
  await settled()
  expect(types()).toEqual(['error', 'closed'])
  expect(events[0]?.[1]).toMatchObject({ message: expect.stringMatching(/^no order: /) })
})

test('behavior: each status is reported once when it is entered, and again when it comes back', () => {
  const { take: report, types } = start('ord_0123456789abcd1')
  const take = (type: 'pending' | 'partial' | 'paid', status: string) => report({ type, status })
  take('partial', 'PARTIAL_PAYMENT')
  report({ type: 'partial', status: 'PARTIAL_PAYMENT', again: true })
  take('pending', 'AWAITING_CONFIRMATION')
  take('pending', 'OPTIMISTIC_CONFIRMED')
  take('partial', 'PARTIAL_PAYMENT')
  take('partial', 'PARTIAL_PAYMENT')
  report({ type: 'paid', status: 'COMPLETED', again: true })
  report({ type: 'paid', status: 'COMPLETED', again: true })
  expect(types()).toEqual(['partial', 'pending', 'pending', 'partial', 'partial', 'paid'])
})

test('behavior: a session ends once, and callbacks registered later run at once', async () => {
  const { open, types } = start(() => new Promise(() => {}))
  const ends = [vi.fn(), vi.fn()]
  open.onEnd(ends[0]!)
  open.end('payer')
  open.session.close()
  open.onEnd(ends[1]!)
  for (const end of ends) expect(end).toHaveBeenCalledOnce()
  expect(types()).toEqual(['closed'])
  await expect(open.session.result).resolves.toEqual({ type: 'closed', reason: 'payer', order: undefined })
})

test('behavior: an order that arrives after the end opens nothing', async () => {
  const { open, types } = start(async () => 'ord_0123456789abcd1')
  const run = vi.fn()
  open.whenKnown(run)
  open.end('host')
  await settled()
  expect(run).not.toHaveBeenCalled()
  expect(types()).toEqual(['closed'])
})

test('behavior: a listener that throws does not stop the other listeners', () => {
  const { open, take } = start('ord_0123456789abcd1')
  const report = vi.fn()
  vi.stubGlobal('reportError', report)
  const run = vi.fn()
  open.session.on('ready', () => {
    throw new Error('the merchant’s own mistake')
  })
  const off = open.session.on('ready', run)
  take({ type: 'ready' })
  expect(run).toHaveBeenCalledExactlyOnceWith({ order: 'ord_0123456789abcd1' })
  expect(report).toHaveBeenCalledOnce()
  off()
  take({ type: 'ready' })
  expect(run).toHaveBeenCalledOnce()
})

test('behavior: what a function has given is kept for its holder until the order ends', async () => {
  const holder = {}
  const source = vi.fn(async () => 'ord_0123456789abcd7')
  const open = (key: string | null = null) =>
    createSession(context, source, (name) => (name === 'order-key' ? key : null), undefined, holder)
  const first = open()
  await settled()
  first.end('payer')
  const again = open()
  expect(again.session.order).toBe('ord_0123456789abcd7')
  expect(source).toHaveBeenCalledOnce()
  again.say('expired', { order: 'ord_0123456789abcd7', status: 'EXPIRED' })
  open()
  expect(source).toHaveBeenCalledOnce()
  again.say('paid', { order: 'ord_0123456789abcd7', status: 'COMPLETED' })
  open()
  await settled()
  expect(source).toHaveBeenCalledTimes(2)
  open('another cart')
  expect(source).toHaveBeenCalledTimes(3)
})
