import fc from 'fast-check'
import { expect, onTestFinished, test, vi } from 'vitest'
import { hostOf, isHelloMessage, isHereMessage, isHostMessage, isPageMessage, themeOf, windowName } from '../../embed/protocol.ts'

const status = { status: 'COMPLETED' }
const pageMessages: unknown[] = [
  { type: 'ready' },
  { type: 'close' },
  { type: 'resize', height: 523 },
  { type: 'method', method: 'address' },
  { type: 'paid', ...status },
  { type: 'partial', status: 'PARTIAL_PAYMENT', received: '20', remaining: '22.5' },
  { type: 'pending', status: 'AWAITING_CONFIRMATION', received: undefined },
  { type: 'check', order: { id: 'ord_1' }, factory: '0x1' },
  { type: 'check', order: { id: 'ord_1' } },
  { type: 'error', code: 'unverified', message: 'refused' },
  { type: 'ready', more: 'what a newer page adds' },
]

test('default: every message of the protocol is recognised', () => {
  for (const message of pageMessages) expect(isPageMessage(message)).toBe(true)
  expect(isHostMessage({ type: 'theme', theme: 'dark' })).toBe(true)
  expect(isHostMessage({ type: 'checked', ok: false })).toBe(true)
  expect(isHereMessage({ till: 1, type: 'here' })).toBe(true)
  expect(isHelloMessage({ till: 1, type: 'hello', theme: 'auto' })).toBe(true)
})

test('error: anything else is refused', () => {
  const wrong: unknown[] = [
    undefined,
    null,
    0,
    '',
    'ready',
    [],
    {},
    { type: 'open' },
    { type: 'resize' },
    { type: 'resize', height: '523' },
    { type: 'method', method: 5 },
    { type: 'paid' },
    { type: 'paid', status: 5 },
    { type: 'partial', ...status, received: 20 },
    { type: 'toString' },
    { type: '__proto__' },
    { type: ['ready'] },
    { type: 'check', factory: 5 },
    { type: 'error', code: 'unverified' },
  ]
  for (const message of wrong) expect(isPageMessage(message)).toBe(false)
  for (const message of [
    null,
    'theme',
    { type: 'theme' },
    { type: 'theme', theme: 'blue' },
    { type: 'checked' },
    { type: 'checked', ok: 'yes' },
  ])
    expect(isHostMessage(message)).toBe(false)
  for (const message of [null, { type: 'here' }, { till: 2, type: 'here' }, { till: '1', type: 'here' }])
    expect(isHereMessage(message)).toBe(false)
  for (const message of [
    { till: 1, type: 'hello' },
    { till: 1, type: 'hello', theme: null },
    { till: 1, type: 'here', theme: 'auto' },
  ])
    expect(isHelloMessage(message)).toBe(false)
})

test('behavior: guards never throw, whatever the input', () => {
  fc.assert(
    fc.property(fc.anything({ withNullPrototype: true, withBigInt: true, withMap: true }), (anything) => {
      for (const guard of [isPageMessage, isHostMessage, isHereMessage, isHelloMessage]) expect(typeof guard(anything)).toBe('boolean')
    }),
  )
})

test('behavior: only a window name of our form carries the origin there and back', () => {
  onTestFinished(() => void vi.unstubAllGlobals())
  for (const origin of ['https://shop.example', 'http://127.0.0.1:4021', 'https://xn--bcher-kva.example']) {
    vi.stubGlobal('location', { origin })
    expect(hostOf(windowName())).toBe(origin)
  }
  for (const name of [
    '',
    'till',
    'till https://shop.example',
    'x till https://shop.example 1',
    'till https://a.example https://b.example 1',
  ])
    expect(hostOf(name)).toBeUndefined()
})

test('behavior: an unknown theme is treated as the system’s', () => {
  expect(['light', 'dark', 'auto', null, '', 'blue'].map(themeOf)).toEqual(['light', 'dark', 'auto', 'auto', 'auto', 'auto'])
})
