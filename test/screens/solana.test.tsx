import { waitFor } from '@testing-library/preact'
import { expect, test } from 'vitest'
import * as orders from '../support/orders/orders.ts'
import { show } from './support.tsx'

/** What an order on Solana shows that others do not. */

const least = 'The network refuses a first transfer of less than 0.00089088 SOL on Solana'
const textOf = ({ container }: ReturnType<typeof show>) => container.querySelector('main')?.textContent?.replaceAll('\u00a0', ' ')

test('default: before coins are sent, the least amount that the network takes is stated', () => {
  expect(textOf(show(orders.recorded['04-solana']!()))).toContain(least)
})

test('behavior: tokens, other networks, and an order that has received something have no such least amount', async () => {
  const order = orders.recorded['04-solana']!()
  const screen = show(order)
  const [received_amount, remaining_amount] = [
    { ui: '0.1', raw: '100000000' },
    { ui: '0.18', raw: '180000000' },
  ]
  expect(textOf(screen)).toContain(least)
  screen.page.checkout.apply({
    ...order,
    status: 'PARTIAL_PAYMENT',
    updated_at: '2030-05-12T14:06:00.000Z',
    payment: { ...order.payment!, funding: { ...order.payment!.funding!, received_amount, remaining_amount } },
  })
  await waitFor(() => expect(textOf(screen)).not.toContain(least))
  expect(textOf(show(orders.awaiting()))).not.toContain('refuses a first')
})
