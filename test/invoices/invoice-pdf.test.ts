import { writeFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { fontsFor } from '../../server/pdf/fonts.ts'
import { invoicePdf, type PrintableInvoice } from '../../server/invoices/invoice-pdf.ts'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { invoiceWords } from '../../src/invoice-words.ts'
import { localeCodes, locales } from '../../src/wire/locale.ts'
import { readPdf } from '../support/browser/pdf.ts'

const paymentUrl = 'https://pay.example/invoice/inv_S3Q0vXyzAbC-12_d'

const paper = (more: Partial<PrintableInvoice['data']> = {}): PrintableInvoice => ({
  data: {
    from: { email: 'billing@northwind.example', name: 'Northwind Coffee' },
    recipient: { email: 'accounts@harbour.example', name: 'Harbour Studio' },
    invoice: { no: 'NW-2026-0112', date: '2026-05-12', due_date: '2026-05-26' },
    items: [
      { name: 'Ethiopia Guji, whole bean', quantity: '1', tax: '7', unitPrice: '26.64' },
      { name: 'Porcelain dripper, size 02', quantity: '2.5', tax: '19', unitPrice: '11.76' },
      { name: 'Delivery', quantity: '1', unitPrice: '0' },
    ],
    ...more,
  },
  fiatUnit: 'usd',
  paymentUrl,
  isLive: false,
  publishedAt: new Date('2026-05-12T10:00:00Z'),
})

/** Typical names of merchants and payers in each language. */
const names: Record<(typeof localeCodes)[number], string> = {
  en: 'Harbour & Sons “Studio” — №5',
  de: 'Weißbäckerei Größenwahn GmbH',
  es: 'Panadería Núñez, ¿quién?',
  fr: 'Crêperie L’Œuf à la coque',
  it: 'Caffè Perché Così S.r.l.',
  'pt-BR': 'Pão de Açúcar & Irmãos Ltda.',
  nl: 'Coöperatie Eén B.V.',
  pl: 'Łódź Źdźbło Sp. z o.o.',
  tr: 'İğneli Çağdaş Işık Şti.',
  ja: '株式会社ハーバー・スタジオ（東京）',
  ko: '하버 스튜디오 주식회사',
  'zh-CN': '海港工作室有限公司（上海）',
  ar: 'مقهى ريح الشمال للقهوة',
  he: 'סטודיו הנמל בע"מ',
  hi: 'उत्तरी कॉफ़ी संस्कृति प्राइवेट लिमिटेड',
  uk: 'Кав’ярня «Ґанок і Їжак» ТОВ',
}

test('default: the PDF names both parties, items and total, and leads to the page by link and by QR code', async () => {
  const bytes = await invoicePdf(paper(), invoiceWords('en'))
  const read = await readPdf(bytes)
  for (const phrase of [
    'Invoice NW-2026-0112',
    'Issued 12 May 2026',
    'Due 26 May 2026',
    'Northwind Coffee',
    'billing@northwind.example',
    'Harbour Studio',
    'accounts@harbour.example',
    'Ethiopia Guji, whole bean',
    '1 × $26.64',
    '7%',
    '2.5 × $11.76',
    '$29.40',
    'Subtotal',
    '$56.04',
    'Tax 7%',
    '$1.86',
    'Tax 19%',
    '$5.59',
    'Total',
    '$63.49',
    paymentUrl,
    'Test mode',
  ])
    expect(read.text).toContain(phrase)
  expect(read.pages).toBe(1)
  expect(new Set(read.links)).toEqual(new Set([paymentUrl]))
  expect(read.qr).toBe(paymentUrl)
  expect(bytes.length).toBeLessThan(120_000)
})

test.for(localeCodes)('behavior: %s is drawn without a missing glyph, and the QR code decodes', async (locale) => {
  const name = names[locale]
  const words = invoiceWords(locale)
  const bytes = await invoicePdf(
    paper({
      recipient: { email: 'accounts@harbour.example', name },
      items: [{ name: `${name} ${locales[locale]}`, quantity: '3', tax: '7.5', unitPrice: '1234.5' }],
    }),
    words,
  )
  if (process.env.TILL_PICTURES) writeFileSync(`${process.env.TILL_PICTURES}/invoice-${locale}.pdf`, bytes)
  const read = await readPdf(bytes)
  expect(read.text).not.toContain('\uFFFD')
  expect(read.qr).toBe(paymentUrl)
  // PDF readers order right-to-left text differently, so only its parts are checked.
  for (const part of words.dir === 'rtl' ? ['NW', '2026-0112'] : ['NW-2026-0112', name.split(' ')[0]!]) expect(read.text).toContain(part)
  // Every text of the language must be drawable at both weights, and so must its names.
  const texts = [
    ...Object.values(catalogue[locale]).flatMap((message) => (typeof message === 'string' ? message : Object.values(message))),
    name,
    locales[locale],
  ]
  for (const weight of [400, 600] as const) {
    const fonts = await fontsFor(texts, locale, weight)
    const characters = [...new Set(texts.join('').normalize('NFC'))].filter((character) => !/\s/u.test(character))
    expect(characters.filter((character) => !fonts(character))).toEqual([])
  }
})

test('behavior: a character without a glyph is shown as missing, and bidirectional control characters do not reverse the text', async () => {
  const hostile = { email: 'a@b.example', name: '\u202Eevil\u2066 </text> (\\) ﷽ 𓀀 😀\n\tend' }
  const read = await readPdf(await invoicePdf(paper({ from: hostile }), invoiceWords('en')))
  expect(read.text).toContain('evil </text> (\\)')
  expect(read.text).toContain('end')
  expect(read.qr).toBe(paymentUrl)
})

test('behavior: address and tax number of either party are printed line by line, and the longest ones leave the rest on its pages', async () => {
  const seller = {
    email: 'billing@northwind.example',
    name: 'Northwind Coffee',
    address: 'Kai 7\r\n20457 Hamburg',
    tax_number: 'DE 811 907 980',
  }
  const buyer = { email: 'a@b.example', name: 'Harbour', address: '1 Quay\n\n\u202Eevil</text>' }
  const read = await readPdf(await invoicePdf(paper({ from: seller, recipient: buyer }), invoiceWords('en')))
  for (const phrase of ['Kai 7', '20457 Hamburg', 'Tax number DE 811 907 980', '1 Quay', 'evil</text>']) expect(read.text).toContain(phrase)
  expect(read.pages).toBe(1)
  const wide = (length: number) => 'W'.repeat(length)
  const longest = { email: `${wide(64)}@${wide(180)}.example`, name: wide(200), address: wide(300), tax_number: wide(64) }
  const long = await readPdf(await invoicePdf(paper({ from: longest, recipient: longest }), invoiceWords('en')))
  expect(long.text).toContain('$63.49')
  expect(long.qr).toBe(paymentUrl)
  expect(long.pages).toBe(2)
})

test('behavior: two hundred long items take as many pages as they need', async () => {
  const items = Array.from({ length: 200 }, (_, index) => ({
    name: `${index + 1}: ${'Wort-ohne-Ende'.repeat(12)}`,
    quantity: '1',
    tax: '19',
    unitPrice: '0.01',
  }))
  const read = await readPdf(await invoicePdf(paper({ items }), invoiceWords('ar')))
  expect(read.pages).toBeGreaterThan(10)
  expect(read.text).toContain('Wort')
  expect(read.qr).toBe(paymentUrl)
})
