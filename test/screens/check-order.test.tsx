import fc from 'fast-check'
import { expect, test } from 'vitest'
import { checkOrder } from '../../src/check-order.tsx'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { createWords } from '../../src/i18n/words.ts'
import { isOrderAddress } from '../../src/methods/wallet/is-order-address.ts'
import type { FlowPorts } from '../../src/methods/method.ts'
import { OrderRead } from '../../src/wire/order-read.ts'
import { changedAt, termedOrder } from '../support/orders/termed-order.ts'
import { show } from './support.tsx'

/** The browser's own check, after the server's: somebody between them may have changed what the page was sent. */

const [valid] = fc.sample(
  termedOrder.filter(({ order }) => order.payment?.steps[0]?.kind === 'deposit'),
  { seed: 11, numRuns: 1 },
)
const { order: made, address, factory } = valid!
const depositPath = ['payment', 'steps', 0, 'data', 'deposit_address']
const order = OrderRead.parse({ ...made, updated_at: '2026-05-12T14:00:00Z' })
const stolen = OrderRead.parse(changedAt({ ...made, updated_at: '2026-05-12T14:00:01Z' }, depositPath, () => factory))

function open(first: OrderRead) {
  const screen = show(first, { query: '?method=address', factory })
  screen.container.id = 'till'
  screen.container.setAttribute('data-unchecked', '')
  checkOrder(screen.page, createWords('en', catalogue.en), factory)
  return screen
}

test('default: an order that follows from its terms can be copied once it is checked', () => {
  const { container } = open(order)
  expect(container.hasAttribute('data-unchecked')).toBe(false)
  expect(container.querySelector('#address')?.textContent).toBe(address)
})

test('error: an order that was changed on its way disappears, with the reason', async () => {
  const { container, findByText } = open(stolen)
  await findByText('This order can’t be paid here')
  expect(container.hasAttribute('data-unchecked')).toBe(true)
  expect(container.querySelector('#address, [data-copy]')).toBeNull()
})

test('error: a later answer that was changed is never shown, and no later one brings the page back', async () => {
  const { container, findByText, page } = open(order)
  page.checkout.apply(stolen)
  await findByText('This order can’t be paid here')
  page.checkout.apply({ ...order, updated_at: '2026-05-12T14:00:02Z' })
  await Promise.resolve()
  expect(container.querySelector('#address')).toBeNull()
})

test('behavior: a wallet is only asked to pay to the address that follows from the terms', () => {
  const ports = (shown: OrderRead, more: Partial<FlowPorts> = {}) => ({ order: () => shown, factory, ...more }) as FlowPorts
  expect(isOrderAddress(ports(order), address)).toBe(true)
  expect(isOrderAddress(ports(order), factory)).toBe(false)
  expect(isOrderAddress(ports(stolen), factory)).toBe(false)
  expect(isOrderAddress(ports(stolen, { factory: undefined }), factory)).toBe(true)
})
