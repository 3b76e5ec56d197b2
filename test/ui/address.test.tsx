import { render } from '@testing-library/preact'
import { renderToString } from 'preact-render-to-string'
import { expect, test } from 'vitest'
import { Address } from '../../src/ui/address.tsx'
import { Bar } from '../../src/ui/bar.tsx'
import { bitcoin, depositAddress, hash } from '../support/orders/orders.ts'

test('default: a selection copies the exact address: groups without spaces, nothing cut', () => {
  for (const value of [
    depositAddress,
    hash,
    'bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq',
    '9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin',
    bitcoin.symbol,
  ]) {
    const { container, unmount } = render(<Address value={value} />)
    expect(container.textContent).toBe(value)
    unmount()
  }
})

test('behavior: an address is one piece for screen readers, and no translator may change it, on the server or in the browser', () => {
  const { container, getByRole } = render(<Address value={depositAddress} />)
  expect(getByRole('img', { name: depositAddress }).getAttribute('translate')).toBe('no')
  const spoken = container.cloneNode(true) as HTMLElement
  for (const hidden of spoken.querySelectorAll('[aria-hidden=true]')) hidden.remove()
  expect(spoken.textContent).toBe('')
  const served = document.createElement('div')
  served.innerHTML = renderToString(<Address value={depositAddress} />)
  expect(served.querySelector('[translate=no]')?.textContent).toBe(depositAddress)
})

test.each([
  [depositAddress, ['0x', '4B7c', '902A']],
  ['bc1qar0srrr7xfkvy5l643lydnw9re59gtzzwf5mdq', ['bc1q', 'wf5m', 'dq']],
  ['9xQeWvG816bUx9EPjHmaT23yvVM2ZWbrrpZb9PusVFin', ['9xQe', 'VFin']],
])('behavior: the groups with the first and the last four characters of %s are emphasised', (value, emphasised) => {
  const { container } = render(<Address value={value} />)
  expect([...container.querySelectorAll('b')].map((b) => b.textContent)).toEqual(emphasised)
})

test('behavior: a progress bar is drawn without a style attribute and announces its value', () => {
  const { container, getByRole } = render(<Bar label="Received" text="20 of 42" value={0.4706} />)
  expect(getByRole('progressbar').getAttribute('aria-valuetext')).toBe('20 of 42')
  expect(container.querySelector('[style]')).toBeNull()
  expect(container.querySelector('rect:not(.off)')?.getAttribute('width')).toBe('47.06')
})
