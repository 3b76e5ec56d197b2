import { fireEvent, waitFor } from '@testing-library/preact'
import { expect, test } from 'vitest'
import * as bitcoin from '../support/orders/bitcoin-orders.ts'
import * as orders from '../support/orders/orders.ts'
import { show } from './support.tsx'

/** What an order in bitcoin shows that others do not. */

const heading = (screen: ReturnType<typeof show>) => screen.getByRole('heading', { level: 1 }).textContent
function textOf(order: Parameters<typeof show>[0]) {
  const screen = show(order)
  const text = screen.container.querySelector('main')?.textContent ?? ''
  screen.unmount()
  return text
}
const again = /was replaced by another transaction that doesn’t pay this order/

test('default: the network fee is stated before the choice, and a wallet is not offered', () => {
  const withFee = (unit: string) =>
    show(bitcoin.recordedBitcoin['21-bitcoin-choose']!(), {
      methods: orders.paymentMethods.map((method) =>
        method.network_fee ? { ...method, network_fee: { amount: 0.42, unit, chain_id: orders.bitcoin.chain_id } } : method,
      ),
    })
  const screen = withFee('USD')
  expect(screen.getByText('Send to address').closest('.way')?.textContent).toMatch(/≈ \$42\.\d\dincl\. \$0\.42 fees0\.\d+ BTC$/)
  expect(screen.queryByRole('link', { name: /Wallet/ })).toBeNull()
  screen.unmount()
  // A fee in another currency than the order's cannot be added to what it is worth.
  expect(withFee('EUR').getByText('Send to address').closest('.way')?.textContent).toContain('Plus your network fee')
})

test('behavior: the list of currencies states each network’s fee, and never that of another network', () => {
  const fee = (chain_id: number) => ({ amount: 0.42, unit: 'USD', chain_id })
  const screen = show(orders.awaiting(), {
    query: '?method=address&pick',
    currencies: [
      { ...orders.bitcoin, payable: true, network_fee: fee(orders.bitcoin.chain_id) },
      { ...orders.usdt, payable: true, network_fee: fee(orders.bitcoin.chain_id) },
    ],
  })
  const rows = screen.getAllByRole('button').map(({ textContent }) => textContent)
  expect(rows.filter((row) => !row?.includes('Plus your network fee'))).toEqual([
    expect.stringMatching(/BTC.*BTCBitcoin≈ \$42\.92 with fees$/),
  ])
})

test('behavior: the list says once for each network how long a payment takes there', () => {
  const listed = (seconds?: number) => {
    const screen = show(orders.awaiting(), {
      query: '?method=address&pick',
      currencies: [
        { ...orders.bitcoin, payable: true, estimated_duration_seconds: seconds },
        { ...orders.usdt, payable: true, estimated_duration_seconds: 12 },
      ],
    })
    const texts = screen.getAllByRole('heading', { level: 2 }).map(({ parentElement }) => parentElement?.textContent)
    screen.unmount()
    return texts
  }
  expect(listed()).toEqual(['Base', 'BitcoinConfirming takes about 20 minutes.', 'EthereumTakes under a minute.'])
  expect(listed(5_400)).toContain('BitcoinConfirming takes about 90 minutes.')
})

test('behavior: the time is that of the network, before and after the payment', () => {
  expect(textOf(bitcoin.awaiting())).toContain('Confirming takes about 20 minutes. That’s usually 1 to 3 blocks.')
  expect(textOf(orders.awaiting())).not.toContain('blocks')
  const seen = textOf(bitcoin.seen())
  expect(seen).toContain('It’s waiting for a block. Don’t pay again. You can safely close this page.')
  expect(seen).toContain('0 of 2 confirmations')
  expect(seen).toContain('About 20 minutes left')
  expect(textOf(bitcoin.seen({ confirmations: 1 }))).toContain('About 15 minutes left')
})

test('behavior: the part of the price that the network gets is stated before the payment, and an impossible one is not', () => {
  const { payment, ...order } = bitcoin.awaiting()
  const withGas = (raw: string) =>
    textOf({ ...order, payment: { ...payment!, input: { ...payment!.input!, breakdown: { gas: { raw } } } } })
  expect(withGas('1470')).toContain('The price includes a network fee of $1.37.')
  for (const raw of ['0', '45698', '9'.repeat(78)]) expect(withGas(raw), raw).not.toContain('includes')
  expect(textOf(bitcoin.seen())).not.toContain('includes')
})

test('behavior: a transfer that waits longer than estimated says so and shows no estimate any more', async () => {
  const screen = show(bitcoin.seen())
  expect(screen.queryByText(/longer than usual/)).toBeNull()
  screen.pass(20 * 60_000)
  await waitFor(() => expect(screen.getByText('This takes longer than usual. Your payment isn’t lost, so don’t pay again.')).toBeTruthy())
  expect(screen.queryByText(/left$/)).toBeNull()
})

test('behavior: a transaction replaced by one that pays as well changes nothing for the payer', async () => {
  const screen = show(bitcoin.seen())
  screen.page.checkout.apply({ ...bitcoin.seenAgain(), updated_at: '2026-05-12T14:06:00.000Z' })
  await waitFor(() => expect(screen.container.textContent?.replaceAll(/\s/g, '')).toContain(bitcoin.replacement))
  expect(heading(screen)).toContain('Payment detected')
  expect(screen.getByRole('status').textContent).toBe('')
  expect(screen.container.textContent).not.toMatch(/replaced|no longer/)
})

test('behavior: a transaction replaced by one that does not pay brings the address back, and the reason stays', async () => {
  const screen = show(bitcoin.seen())
  screen.page.checkout.apply({ ...bitcoin.takenBack(), updated_at: '2026-05-12T14:06:00.000Z' })
  await waitFor(() => expect(heading(screen)).toContain('Send 0.00045698 BTC'))
  await waitFor(() => expect(screen.getByRole('status').textContent).toMatch(again))
  expect(document.querySelector('#address')?.textContent).toBe(bitcoin.address)
  screen.unmount()
  for (const [name, isDue] of [
    ['21g-bitcoin-replaced', true],
    ['21j-bitcoin-expired', false],
  ] as const) {
    const text = textOf(bitcoin.recordedBitcoin[name]!())
    expect(text, name).toMatch(again)
    expect(text.includes('What’s due is shown here again.'), name).toBe(isDue)
  }
})

test('behavior: a hash of 64 digits without 0x finds a payment, and the field does not suggest 0x', async () => {
  const asked: string[] = []
  const screen = show(bitcoin.recordedBitcoin['21j-bitcoin-expired']!(), {
    client: { findTransaction: async (_, hash) => (asked.push(hash), { found: false, message: 'not here' }) },
  })
  const field = screen.getByLabelText(/Find my payment/)
  expect(field.getAttribute('placeholder')).toBeNull()
  fireEvent.input(field, { target: { value: bitcoin.replacement } })
  fireEvent.submit(field.closest('form')!)
  await waitFor(() => expect(asked).toEqual([bitcoin.replacement]))
})

test('behavior: no wallet of another family is offered for the rest', () => {
  expect(textOf(bitcoin.recordedBitcoin['21c-bitcoin-partial']!())).not.toContain('Pay the rest from a wallet')
  expect(textOf(orders.partial())).toContain('Pay the rest from a wallet')
})

test('behavior: several transfers are said to be fine, but not in bitcoin, where each costs its own fee', () => {
  for (const [order, isAllowed] of [
    [orders.awaiting(), true],
    [bitcoin.awaiting(), false],
  ] as const) {
    const text = textOf(order)
    expect(text).toContain('If your exchange takes its fee from the amount, add it on top')
    expect(text.includes('Same address, any number of transfers.')).toBe(isAllowed)
  }
  for (const [order, isAllowed] of [
    [orders.partial(), true],
    [bitcoin.recordedBitcoin['21c-bitcoin-partial']!(), false],
  ] as const) {
    const text = textOf(order)
    expect(text).toContain('What you sent is safe and counts.')
    expect(text.includes('Same address, any number of transfers.')).toBe(isAllowed)
  }
})
