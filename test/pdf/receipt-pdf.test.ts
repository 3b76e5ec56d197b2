import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { receiptPdf } from '../../server/pdf/receipt-pdf.ts'
import type { ServedOrder } from '../../server/pages/order-source.ts'
import { receiptSheet, render } from '../../src/render.tsx'
import type { OrderBoot } from '../../src/wire/boot.ts'
import { directionOf, localeCodes, type Locale } from '../../src/wire/locale.ts'
import type { ReceiptSheet } from '../../src/wire/receipt-sheet.ts'
import { readPdf } from '../support/browser/pdf.ts'
import * as orders from '../support/orders/orders.ts'

const bootOf = (order: ServedOrder, locale: Locale = 'en'): OrderBoot => ({
  view: 'receipt',
  locale,
  now: orders.recordedNow,
  path: '/pay/x',
  surface: 'page',
  query: '',
  order,
  methods: undefined,
})
function sheetOf(order: ServedOrder, locale?: Locale): ReceiptSheet {
  const sheet = receiptSheet(bootOf(order, locale))
  if (!sheet) throw new Error('no receipt')
  return sheet
}
const paid = {
  completed: orders.completed(),
  overpaid: orders.overpaid(),
  overpaidBack: orders.overpaidBack(),
  byStranger: orders.byStranger(orders.completed()),
  testMode: { ...orders.completed(), is_live: false },
  bare: orders.bare('COMPLETED'),
  byCard: orders.completedByCard(),
  inEther: orders.completedInEther(),
}

test('default: the PDF names what was bought, what was paid and to whom, and links to the transaction', async () => {
  const bytes = await receiptPdf(sheetOf(paid.completed))
  const read = await readPdf(bytes)
  for (const phrase of [
    'Receipt',
    '42.50 USDC on Base',
    'Northwind Coffee',
    'NW-20418',
    'Ethiopia Guji, whole bean',
    '$28.50',
    '12 May 2026',
  ])
    expect(read.text).toContain(phrase)
  expect(read.links.every((link) => link.startsWith('https://basescan.org/tx/'))).toBe(true)
  expect(read.links.length).toBeGreaterThan(0)
  expect(read.pages).toBe(1)
  expect(bytes.length).toBeLessThan(120_000)
})

test('behavior: the PDF of a card payment has what the card was charged, and that of a converted payment what that cost', async () => {
  const card = await readPdf(await receiptPdf(sheetOf(paid.byCard)))
  expect(card.text).toContain('Card · $44.04')
  expect(card.text).not.toContain('USDC')
  const converted = await readPdf(await receiptPdf(sheetOf(paid.inEther)))
  expect(converted.text).toContain('Includes $0.45 for conversion')
  expect(converted.text).toContain('1 ETH = $2,500.00')
})

test('behavior: paper and page state the same facts in the same words and order, in every language', () => {
  for (const [name, order] of Object.entries(paid))
    for (const locale of localeCodes) {
      const html = render({ shell: { nonce: '', scripts: { main: [], secondary: [], host: [] } }, data: bootOf(order, locale) })
      const shown = html.slice(html.indexOf('<main'), html.indexOf('</main>')).replace(/<[^>]+>/g, '')
      const { facts, lines, testMode } = sheetOf(order, locale)
      const expected = [
        ...lines.flatMap((line) => [line.name, line.detail ?? '', line.amount ?? '']),
        ...facts.flatMap(({ label, value }) => [label, value]),
      ]
      expect(plain(shown), `${name} ${locale}`).toContain(plain([...expected, testMode ?? ''].join('')))
    }
})

/** Leaves out what does not decide what a text says: spaces, marks of direction and the entities of HTML. */
const plain = (text: string) =>
  text
    .replaceAll('&amp;', '&')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replace(/[\s\u200E\u200F\u2066-\u2069]/gu, '')

test.for(localeCodes)('behavior: %s is drawn without a missing glyph', async (locale) => {
  const bytes = await receiptPdf(sheetOf(paid.overpaid, locale))
  if (process.env.TILL_PICTURES) writeFileSync(`${process.env.TILL_PICTURES}/receipt-${locale}.pdf`, bytes)
  const read = await readPdf(bytes)
  expect(read.text).not.toContain('\uFFFD')
  // PDF readers order right-to-left text differently, so only its parts are checked.
  for (const part of directionOf(locale) === 'rtl' ? ['20418', 'USDC'] : ['NW-20418', 'USDC', 'Northwind Coffee'])
    expect(read.text).toContain(part)
})

test('behavior: a hundred long items continue on further pages, and hostile names stay text', async () => {
  const item = {
    name: '\u202Eevil </text> (\\) '.repeat(12),
    description: undefined,
    quantity: 2,
    unit_price: 1.5,
    currency: 'usd',
    image: undefined,
  }
  const order = { ...paid.completed, metadata: { reference: 'A/B"1', refund: undefined, items: Array.from({ length: 100 }, () => item) } }
  const read = await readPdf(await receiptPdf(sheetOf(order)))
  expect(read.pages).toBeGreaterThan(3)
  expect(read.text).toContain('evil </text> (\\)')
  expect(read.text).toContain(`1/${read.pages}`)
})

test('error: an order that is not paid has no receipt', () => {
  for (const order of [orders.pending(), orders.partial(), orders.held(), orders.refunded()])
    expect(receiptSheet(bootOf(order))).toBeUndefined()
})
