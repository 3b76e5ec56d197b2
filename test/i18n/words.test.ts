import { expect, test } from 'vitest'
import { catalogue } from '../../src/i18n/catalogue.ts'
import { day, dayAndTime } from '../../src/i18n/day.ts'
import { createNumbers, plainAmount } from '../../src/i18n/number.ts'
import { uncached, reuseFormats, recordFormats } from '../../src/i18n/format-cache.ts'
import { anyOf } from '../../src/i18n/any-of.ts'
import { createWords, type Words } from '../../src/i18n/words.ts'
import { type Locale, localeCodes } from '../../src/wire/locale.ts'
import { usdc } from '../support/orders/orders.ts'

const gaps = (text: string) => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name).sort()

test('default: every language has all messages, with the same placeholders, translated', () => {
  for (const locale of localeCodes) {
    const messages: Record<string, string | Record<string, string>> = { ...catalogue[locale] }
    let same = 0
    for (const [key, english] of Object.entries(catalogue.en)) {
      const own = messages[key]
      if (typeof english === 'string') {
        expect(gaps(String(own)), `${locale} ${key}`).toEqual(gaps(english))
        if (own === english && english.length > 12) same++
      } else {
        // The plural categories that the language uses for whole numbers.
        const needed = new Set(Array.from({ length: 200 }, (_, count) => new Intl.PluralRules(locale).select(count)))
        for (const category of needed) expect(Object.keys(own as object), `${locale} ${key}`).toContain(category)
      }
      expect(JSON.stringify(own), `${locale} ${key}`).not.toMatch(/!|\bplease\b/)
    }
    if (locale !== 'en') expect(same, locale).toBeLessThanOrEqual(3)
  }
})

test('behavior: a copy button’s accessible name contains its visible label, so that voice control finds it', () => {
  for (const locale of localeCodes) {
    const { copy, copyAmount, copyReference } = catalogue[locale]
    for (const name of [copyAmount, copyReference]) expect(name.toLowerCase(), locale).toContain(copy.toLowerCase())
  }
})

test('behavior: money is exact, in Western digits, in every language', () => {
  for (const locale of localeCodes) {
    const numbers = createNumbers(locale, uncached)
    expect(numbers.amount(123456789012345678901234567n, 18).replace(/[^\d]/g, ''), locale).toBe('123456789012345678901234567')
    expect(numbers.amount(42_500_000n, 6), locale).toMatch(/^42[.,]50$/)
  }
  expect(createNumbers('de', uncached).amount(1_234_500_000n, 6)).toBe('1.234,50')
  expect(createNumbers('en', uncached).fiat('28.5', 'usd')).toBe('$28.50')
  expect(createNumbers('ja', uncached).fiat('500', 'jpy')).toContain('500')
  expect(createNumbers('en', uncached).fiat('5', 'points')).toBe('5.00 POINTS')
  expect(plainAmount(2_010_000n, 6)).toBe('2.01')
  expect(plainAmount(1n, 18)).toBe('0.000000000000000001')
  expect(plainAmount(7n, 0)).toBe('7')
})

test('behavior: amount, token and network stay together in each language', () => {
  const texts = localeCodes.map((locale) => createWords(locale, catalogue[locale]).funds({ raw: 42_500_000n, currency: usdc }))
  for (const text of texts) expect(text).toMatch(/^(42[.,]50 USDC.*Base.*|Base.*42[.,]50 USDC)$/)
})

test('behavior: text formatted by the server is reused exactly, and no other text is', () => {
  const noon = Date.parse('2026-05-12T12:07:00Z')
  const all = (words: Words) => [
    words.amount(1_234_567_890n, 6),
    words.amount(1_234_567_890n, 5),
    words.fiat('1234.5', 'usd'),
    words.fiat('1234.5', 'eur'),
    words.count(12_345),
    words.plural('minutesLeft', 2),
    words.plural('secondsLeft', 2),
    words.moment(noon, 'UTC'),
    dayAndTime(words, noon, 'UTC'),
    anyOf(words, ['Base', 'Polygon']),
    anyOf(words, ['Base', 'Polygon', 'ERC20']),
    words.time(noon, 'UTC'),
    words.time(noon, 'Asia/Tokyo'),
  ]
  for (const locale of localeCodes) {
    const texts: Record<string, string> = {}
    const afresh = all(createWords(locale, catalogue[locale]))
    expect(all(createWords(locale, catalogue[locale], { cached: recordFormats(texts) })), locale).toEqual(afresh)
    const misses: string[] = []
    const sent = reuseFormats(JSON.parse(JSON.stringify(texts)) as typeof texts)
    const cached = (key: string, write: () => string) => sent(key, () => (misses.push(key), write()))
    expect(all(createWords(locale, catalogue[locale], { cached })), locale).toEqual(afresh)
    expect(misses, locale).toEqual([])
    createWords(locale, catalogue[locale], { cached }).fiat('7', 'usd')
    expect(misses, locale).toContain('7 usd')
  }
})

test('default: one of several names', () => {
  const words = (locale: Locale) => createWords(locale, catalogue[locale])
  expect(anyOf(words('en'), ['ERC20', 'BEP20', 'Polygon'])).toBe('ERC20, BEP20, or Polygon')
  expect(anyOf(words('de'), ['Base', 'Polygon'])).toBe('Base oder Polygon')
})

test('default: dates of invoices are written in full, the British way in English', () => {
  expect(day('en', '2026-05-12')).toBe('12 May 2026')
  expect(day('de', '2026-05-12')).toBe('12. Mai 2026')
  for (const locale of localeCodes) expect(day(locale, '2026-05-12'), locale).toMatch(/2026/)
})

test('behavior: in no language do pesos look like dollars', () => {
  for (const locale of localeCodes) {
    const { fiat } = createWords(locale, catalogue[locale])
    const bare = fiat('850', 'usd')
    for (const unit of ['mxn', 'cop']) expect(fiat('850', unit), `${locale} ${unit}`).not.toBe(bare)
  }
  expect(createWords('en', catalogue.en).fiat('850', 'mxn')).toBe('MX$850.00')
})

test('error: a number that is no plain decimal is shown as it is', () => {
  expect(createWords('en', catalogue.en).fiat(String(1e21), 'XYZ')).toContain('1e+21')
  expect(createWords('en', catalogue.en).fiat(String(1e-9), 'USD')).toContain('1e-9')
})
