import type { Locale } from '../wire/locale.ts'

/** Formats a date without a time: '2026-05-12' becomes '12 May 2026', in English the British way, as in words.ts. Only invoices have such dates. */
export const day = (locale: Locale, date: string): string =>
  new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    numberingSystem: 'latn',
    timeZone: 'UTC',
  }).format(Date.parse(date))
