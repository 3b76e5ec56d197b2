import { signal } from '@preact/signals'
import { fireEvent, render } from '@testing-library/preact'
import { expect, test, vi } from 'vitest'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { createWords, WordsContext } from '../../src/i18n/words.ts'
import type { Holding } from '../../src/methods/wallet/holdings.ts'
import type { Plan, SendStep } from '../../src/methods/wallet/pay-by-transfer.ts'
import type { SignatureInput, SignatureStep } from '../../src/methods/wallet/pay-by-signature.ts'
import { walletScreen } from '../../src/methods/wallet/view/wallet-view.tsx'
import { CostNotes } from '../../src/screens/pieces/fee-notes.tsx'
import { localeCodes, type Locale } from '../../src/wire/locale.ts'
import * as orders from '../support/orders/orders.ts'

/** What a payer sees of the money in a connected wallet, and of a transfer that it was asked for. */

const tether = { ...orders.usdc, address: `0x${'2'.repeat(40)}`, symbol: 'USDT' }
const onEthereum = { ...tether, chain_id: 1 }
const ether = { ...orders.usdc, address: null, symbol: 'ETH', decimals: 18 as const }
const fee = { amount: 0.02, unit: 'USD', chain_id: 8453 }
const holding = (change: Partial<Holding>): Holding => ({
  due: { raw: 43_000_000n, currency: tether },
  balance: 60_000_000n,
  offer: undefined,
  fee,
  lacksCoin: false,
  ...change,
})
const wallet = { rdns: 'alpha', name: 'Alpha', provider: { request: async () => undefined }, usedBefore: false }
const connection = { from: '0x1111111111111111111111111111111111111111' } as never
const plan: Plan = {
  wallet,
  connection,
  rest: { to: orders.depositAddress, due: { raw: 43_000_000n, currency: tether } },
  fee: { raw: 41_382_000_289_674n, currency: ether },
}
const holdings = [
  holding({}),
  holding({ due: { raw: 17_000_000_000_000_000n, currency: ether }, balance: 20_000_000_000_000_000n }),
  holding({ due: { raw: 43_000_000n, currency: onEthereum }, lacksCoin: true }),
  holding({ due: { raw: 42_500_000n, currency: orders.usdc }, balance: 10_000_000n }),
  holding({ due: { raw: 1n, currency: { ...tether, address: `0x${'4'.repeat(40)}`, symbol: 'DAI' } }, balance: 0n }),
]
const purse = { wallet, connection, asked: { offers: [], resource: undefined, error: undefined, extensions: undefined }, holdings }

function shown(step: SendStep, locale: Locale = 'en', held = purse) {
  const run = vi.fn<(input: SignatureInput) => Promise<void>>(async () => {})
  const Screen = walletScreen({ step: signal<SignatureStep>({ at: 'transfer', step, purse: held }), run, stop: () => {} })
  const screen = render(
    <WordsContext.Provider value={createWords(locale, catalogue[locale])}>
      <Screen order={orders.pending()} CostNotes={CostNotes} leave={() => {}} toAddress={() => {}} />
    </WordsContext.Provider>,
  )
  return { ...screen, run, text: screen.container.textContent?.replaceAll('\u00a0', ' ') ?? '' }
}

test('default: the plan says what is paid and about what the network takes, and what else could pay', async () => {
  const { text, findAllByRole, getAllByRole, run, unmount } = shown({ at: 'plan', plan, needs: 'send' })
  expect(text).toContain('43.00 USDT on Base')
  // The fee is in money that the payer knows, and not in 18 decimals.
  expect(text).toContain('About $0.02')
  expect(text).not.toContain('0.000041')
  // 43 USDT are worth as many dollars, and the network takes two cents. The order's price is 42.50.
  expect(text).toContain('43.00 USDT on Base ≈ $43.00Includes $0.50 for conversion')
  expect(text).toContain('Total≈ $43.02incl. $0.52 fees')
  const rows = (await findAllByRole('listitem')).map((row) => row.textContent)
  // What the screen is about is not listed, and neither is what the account does not hold.
  expect(rows).toHaveLength(3)
  expect(rows[0]).toContain('0.017 ETH')
  // The test's ether costs a dollar, and the network takes two cents.
  expect(rows[0]).toContain('≈ $0.04')
  expect(rows[0]).toContain('incl. $0.02 fees')
  expect(rows[1]).toContain('No ETH for the network fee')
  expect(rows[2]).toContain('32.50 USDC missing')
  run.mockClear()
  const [ethers, , poor] = getAllByRole('listitem').map((row) => row.querySelector('button')!)
  fireEvent.click(poor!)
  expect(run).not.toHaveBeenCalled()
  fireEvent.click(ethers!)
  expect(run).toHaveBeenCalledWith({ do: 'choose', purse, holding: holdings[1] })
  unmount()
})

test('behavior: of many only the cheapest three are shown at once', async () => {
  const many = Array.from({ length: 5 }, (_, at) =>
    holding({ due: { raw: 43_000_000n, currency: { ...ether, address: `0x${'5'.repeat(39)}${at}` } } }),
  )
  const { container, findAllByRole, unmount } = shown({ at: 'plan', plan, needs: 'send' }, 'en', { ...purse, holdings: many })
  await findAllByRole('listitem')
  const fold = container.querySelector('details.fold')!
  expect(container.querySelectorAll('li')).toHaveLength(5)
  expect(fold.querySelectorAll('li')).toHaveLength(2)
  unmount()
})

test('default: what a wallet may still ask about is named, and the payer alone can say that it is gone', () => {
  const transfer = { wallet: 'Alpha', from: '0x1', due: plan.rest.due, nonce: '0x0', state: 'asked' } as const
  const { text, getByRole, run, unmount } = shown({ at: 'pending', transfer })
  expect(text).toContain('Check Alpha')
  expect(text).toContain('Alpha was asked to send 43.00 USDT on Base and may still ask.')
  fireEvent.click(getByRole('button', { name: 'It was declined or has failed' }))
  expect(run).toHaveBeenLastCalledWith({ do: 'transfer', purse, input: { do: 'withdraw' } })
  unmount()
})

const steps: readonly SendStep[] = [
  { at: 'plan', plan, needs: 'send' },
  { at: 'plan', plan, needs: 'switch' },
  { at: 'plan', plan, needs: 'money', notice: { code: 'insufficient_balance', has: { raw: 1n, currency: tether } } },
  { at: 'asking', plan, slow: true },
  { at: 'sent', hash: orders.hash },
  {
    at: 'pending',
    transfer: { wallet: 'Alpha', from: '0x1', due: plan.rest.due, nonce: undefined, state: 'sent' },
    notice: { code: 'failed' },
  },
]

test.each(localeCodes)('default: in %s each step has one title and no gap in its texts', (locale) => {
  for (const step of steps) {
    const { text, container, unmount } = shown(step, locale)
    expect(container.querySelectorAll('h1')).toHaveLength(1)
    expect(text).not.toMatch(/[{}]|undefined/)
    unmount()
  }
})
