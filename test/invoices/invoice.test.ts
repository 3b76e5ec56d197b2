import fc from 'fast-check'
import { expect, test } from 'vitest'
import { fiatDecimal } from '../../server/orders/model/rate.ts'
import { invoiceTotals, orderMetadataOf } from '../../server/invoices/invoice.ts'
import { OrderMetadata } from '../../src/wire/order.ts'
import { FiatCurrency } from '../../src/wire/currency.ts'
import { parseUnits } from '../../src/wire/money.ts'

type Item = { name: string; quantity: string; unitPrice: string; tax?: string }
const item = (quantity: string, unitPrice: string, tax?: string): Item => ({
  name: 'x',
  quantity,
  unitPrice,
  ...(tax === undefined ? {} : { tax }),
})
function totals(...items: Item[]) {
  const { subtotal, taxes, total, digits } = invoiceTotals({ items }, 'usd')
  return {
    subtotal: fiatDecimal(subtotal, digits),
    taxes: taxes.map(({ rate, amount }) => [rate, fiatDecimal(amount, digits)]),
    total: fiatDecimal(total, digits),
  }
}

test('default: a line is quantity times price, its tax a share of that, both rounded half-up, then summed', () => {
  expect(totals(item('1', '26.64', '7'), item('1', '11.76', '19'))).toEqual({
    subtotal: '38.40',
    taxes: [
      ['7', '1.86'],
      ['19', '2.23'],
    ],
    total: '42.49',
  })
  expect(totals(item('1', '0.50', '1')).taxes).toEqual([['1', '0.01']])
  expect(totals(item('1', '0.49', '1')).taxes).toEqual([['1', '0.00']])
  // Each line is rounded on its own, so three half cents make three cents.
  expect(totals(item('1', '0.50', '1'), item('1', '0.50', '1.0'), item('1', '0.50', '1.00'))).toEqual({
    subtotal: '1.50',
    taxes: [['1', '0.03']],
    total: '1.53',
  })
})

test('behavior: amounts that floating point gets wrong are exact', () => {
  expect(totals(item('3', '0.1'), item('1', '2.01')).total).toBe('2.31')
  expect(totals(item('1.005', '100')).total).toBe('100.50')
  expect(totals(item('1', '1.005')).total).toBe('1.01')
  expect(totals(item('0.1', '0.7', '19')).total).toBe('0.08')
  expect(totals(item('9'.repeat(30), '9'.repeat(30))).total).toBe(`${BigInt('9'.repeat(30)) ** 2n}.00`)
})

test('behavior: no tax is zero, not NaN', () => {
  expect(totals(item('2', '3'))).toEqual({ subtotal: '6.00', taxes: [], total: '6.00' })
  expect(totals(item('2', '3', '0'), item('1', '1', '0.00'))).toEqual({ subtotal: '7.00', taxes: [], total: '7.00' })
})

const decimal = (whole: number, places: number) =>
  fc
    .tuple(fc.integer({ min: 0, max: whole }), fc.stringMatching(new RegExp(`^\\d{0,${places}}$`)))
    .map(([left, right]) => (right ? `${left}.${right}` : String(left)))
const items = fc.array(
  fc.record({
    name: fc.constant('x'),
    quantity: decimal(1_000, 3),
    unitPrice: decimal(100_000, 4),
    tax: fc.option(decimal(30, 2), { nil: undefined }),
  }),
  { minLength: 1, maxLength: 120 },
)

test('behavior: printed lines add up, and each is at most half a cent off', () => {
  fc.assert(
    fc.property(items, (all) => {
      const { lines, subtotal, taxes, total } = invoiceTotals({ items: all }, 'usd')
      expect(subtotal).toBe(lines.reduce((sum, line) => sum + line.amount, 0n))
      expect(total).toBe(subtotal + taxes.reduce((sum, tax) => sum + tax.amount, 0n))
      expect(taxes.reduce((sum, tax) => sum + tax.amount, 0n)).toBe(lines.reduce((sum, line) => sum + line.tax, 0n))
      for (const [index, line] of lines.entries()) {
        const { quantity, unitPrice } = all[index]!
        const tenMillionths = parseUnits(quantity, 3)! * parseUnits(unitPrice, 4)! * 100n
        const off = line.amount * 10_000_000n - tenMillionths
        expect(off < 0n ? -off : off).toBeLessThanOrEqual(5_000_000n)
      }
    }),
  )
})

test('behavior: the order of an invoice shows items that fit an order and add up to its amount', () => {
  fc.assert(
    fc.property(items, fc.constantFrom(...FiatCurrency.options), (all, unit) => {
      const data = {
        from: { name: 'a', email: 'a@b.example' },
        recipient: { name: 'a', email: 'a@b.example' },
        invoice: { no: '1', date: '2026-05-12', due_date: '2026-05-12' },
        items: all,
      }
      const sums = invoiceTotals(data, unit)
      const metadata = orderMetadataOf(data, sums, unit)
      expect(OrderMetadata.safeParse(metadata).success).toBe(true)
      const cents = (metadata.items ?? []).reduce(
        (sum, item) => sum + BigInt(item.quantity ?? 1) * BigInt(Math.round((item.unit_price ?? 0) * 100)),
        0n,
      )
      expect(cents).toBe(sums.total)
    }),
  )
})
