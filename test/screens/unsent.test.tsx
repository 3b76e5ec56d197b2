import { signal } from '@preact/signals'
import { cleanup, render } from '@testing-library/preact'
import { afterEach, expect, test } from 'vitest'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { createWords, WordsContext } from '../../src/i18n/words.ts'
import type { SignatureStep } from '../../src/methods/wallet/pay-by-signature.ts'
import { walletScreen } from '../../src/methods/wallet/view/wallet-view.tsx'
import * as orders from '../support/orders/orders.ts'

/** The options after a signature that has not paid. */

afterEach(cleanup)

function buttonsOf(code: 'unsent' | 'failed_transfer') {
  const step = signal<SignatureStep>({ at: 'unsent', review: undefined, notice: { code } })
  const Screen = walletScreen({ step, run: async () => {}, stop: () => {} })
  const screen = render(
    <WordsContext.Provider value={createWords('en', catalogue.en)}>
      <Screen order={orders.pending()} CostNotes={undefined} leave={() => {}} toAddress={() => {}} />
    </WordsContext.Provider>,
  )
  return screen.getAllByRole('button').map((button) => button.textContent)
}

test('behavior: without an answer yet, only sending again is offered', () => {
  expect(buttonsOf('unsent')).toEqual(['Try again'])
})

test('behavior: once the service has refused, other methods are offered too', () => {
  expect(buttonsOf('failed_transfer')).toEqual(['Other ways to pay', 'Try again'])
})
