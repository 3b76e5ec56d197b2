import { signal } from '@preact/signals'
import { render } from '@testing-library/preact'
import { expect, test } from 'vitest'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { createWords, WordsContext } from '../../src/i18n/words.ts'
import type { SignatureStep } from '../../src/methods/wallet/pay-by-signature.ts'
import type { TransferStep } from '../../src/methods/wallet/pay-by-transfer.ts'
import type { Cost, SolanaStep } from '../../src/methods/wallet/solana/pay-on-solana.ts'
import { transferScreen } from '../../src/methods/wallet/view/transfer-view.tsx'
import { walletScreen } from '../../src/methods/wallet/view/wallet-view.tsx'
import { localeCodes, type Locale } from '../../src/wire/locale.ts'
import * as orders from '../support/orders/orders.ts'

/** What a payer with a wallet of Solana sees before he signs. */

const order = orders.recorded['04-solana']!()
const { currency } = order.payment!.input!
const due = { raw: 280_000_000n, currency: { ...currency, symbol: 'USDC' } }
const sol = { ...currency, symbol: 'SOL', decimals: 9 }
const wallet = { rdns: 'solana:Aurora', name: 'Aurora', usedBefore: false } as never
const account = { address: '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin' } as never
const reviewWith = (cost: Cost | undefined) => ({ wallet, account, due, to: 'address', isRest: false, cost, others: [] })
const cost: Cost = {
  fee: { funds: { raw: 5_600n, currency: sol }, fiat: { amount: 0.01, unit: 'USD' } },
  account: { funds: { raw: 2_039_280n, currency: sol }, fiat: { amount: 0.31, unit: 'USD' } },
}

function shown(step: SolanaStep, locale: Locale = 'en'): string {
  const Screen = walletScreen({ step: signal<SignatureStep>({ at: 'solana', step }), run: async () => {}, stop: () => {} })
  const { container, unmount } = render(
    <WordsContext.Provider value={createWords(locale, catalogue[locale])}>
      <Screen order={order} CostNotes={undefined} leave={() => {}} toAddress={() => {}} />
    </WordsContext.Provider>,
  )
  const text = container.textContent?.replaceAll('\u00a0', ' ') ?? ''
  unmount()
  return text
}

test('default: what the network takes is on the screen, in coins and about in fiat, before and while the wallet is asked', () => {
  for (const at of ['review', 'asking'] as const) {
    const text = shown(at === 'review' ? { at, review: reviewWith(cost) } : { at, review: reviewWith(cost), slow: false })
    expect(text).toContain('Network feeAbout 0.0000056 SOL on Solana ($0.01)')
    expect(text).toContain('Opens an account0.00203928 SOL on Solana ($0.31)')
  }
})

test('behavior: without a price there is no fiat, who pays nothing reads that, and what nobody has said is not there', () => {
  const fee = { funds: cost.fee!.funds, fiat: undefined }
  const withoutPrice = shown({ at: 'review', review: reviewWith({ fee, account: null }) })
  expect(withoutPrice).toContain('About 0.0000056 SOL on Solana')
  expect(withoutPrice).not.toContain('($')
  expect(withoutPrice).not.toContain('Opens an account')
  expect(shown({ at: 'review', review: reviewWith({ fee: null, account: null }) })).toContain('Network feeFree')
  expect(shown({ at: 'review', review: reviewWith(undefined) })).not.toContain('Network fee')
})

test.each(localeCodes)('default: in %s', (locale) => {
  const text = shown({ at: 'review', review: reviewWith(cost) }, locale)
  const words = createWords(locale, catalogue[locale])
  expect(text).toContain(words.t('networkFee'))
  expect(text).toContain(words.t('accountFee'))
  expect(text).toContain('SOL')
})

test('behavior: each step of sending the rest is a screen with one title', () => {
  const steps: readonly SolanaStep[] = [
    { at: 'connecting', wallet, slow: false },
    { at: 'review', review: reviewWith(cost) },
    { at: 'asking', review: reviewWith(cost), slow: false },
    { at: 'sent' },
    { at: 'elsewhere' },
    { at: 'untrue' },
    { at: 'stopped', wallet, notice: { code: 'locked' } },
  ]
  for (const step of steps) {
    const Screen = transferScreen({ step: signal<TransferStep>({ at: 'solana', step }), run: async () => {}, stop: () => {} })
    const { container, unmount } = render(
      <WordsContext.Provider value={createWords('en', catalogue.en)}>
        <Screen order={order} rest={{ to: 'address', due }} fee={undefined} leave={() => {}} />
      </WordsContext.Provider>,
    )
    expect(container.querySelectorAll('h1')).toHaveLength(1)
    unmount()
  }
})
