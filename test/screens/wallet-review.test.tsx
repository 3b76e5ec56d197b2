import { signal } from '@preact/signals'
import { act, render } from '@testing-library/preact'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { createWords, WordsContext } from '../../src/i18n/words.ts'
import type { Review, SignatureStep } from '../../src/methods/wallet/pay-by-signature.ts'
import { walletScreen } from '../../src/methods/wallet/view/wallet-view.tsx'
import * as orders from '../support/orders/orders.ts'

/** What a payer reads of a signature before the wallet is asked for it. */

const opened = Date.UTC(2026, 10, 29, 14, 20, 30)
const minutes = 60_000
beforeEach(() => void vi.useFakeTimers({ now: opened }))
afterEach(() => void vi.useRealTimers())

const review: Review = {
  wallet: { rdns: 'alpha', name: 'Alpha', provider: { request: async () => undefined }, usedBefore: false },
  connection: { from: '0x1111111111111111111111111111111111111111' } as never,
  asked: { offers: [], resource: undefined, error: undefined, extensions: undefined },
  holdings: [],
  offer: { chainId: 8453, payTo: orders.depositAddress, maxTimeoutSeconds: 600 } as never,
  funds: { raw: 42_500_000n, currency: orders.usdc },
  until: opened + 10 * minutes,
}

function shown(first: SignatureStep) {
  const step = signal(first)
  const Screen = walletScreen({ step, run: async () => {}, stop: () => {} })
  const { container } = render(
    <WordsContext.Provider value={createWords('en', catalogue.en)}>
      <Screen order={orders.pending()} CostNotes={undefined} leave={() => {}} toAddress={() => {}} />
    </WordsContext.Provider>,
  )
  return { step, times: () => container.textContent?.match(/(?<=until )\d\d:\d\d/g) }
}

const reviewed = (needs: 'sign' | 'resend'): SignatureStep => ({ at: 'review', review, needs })
const inZone = (ms: number) => createWords('en', catalogue.en).time(ms, Intl.DateTimeFormat().resolvedOptions().timeZone).slice(0, 5)
const twice = (ms: number) => [inZone(ms), inZone(ms)]

test('behavior: until a wallet is asked, the time that would be signed moves on while the payer reads', async () => {
  const { step, times } = shown(reviewed('sign'))
  expect(times()).toEqual(twice(opened + 10 * minutes))
  await act(() => void vi.advanceTimersByTime(11 * minutes))
  expect(times()).toEqual(twice(opened + 21 * minutes))
  const asked = { ...review, until: opened + 25 * minutes }
  await act(() => void (step.value = { at: 'signing', review: asked, slow: false }))
  expect(times()).toEqual(twice(asked.until))
  await act(() => void vi.advanceTimersByTime(3 * minutes))
  expect(times()).toEqual(twice(asked.until))
})

test('behavior: what is signed already keeps its time', async () => {
  const { times } = shown(reviewed('resend'))
  await act(() => void vi.advanceTimersByTime(11 * minutes))
  expect(times()).toEqual(twice(review.until))
})
