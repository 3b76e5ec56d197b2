import type { Locale } from '../wire/locale.ts'
import { type AllWords, utc } from './words.ts'

/** Formats a date without a time: '2026-05-12' becomes '12 May 2026', in English the British way, as in words.ts. Only invoices have such dates. */
export const day = (locale: Locale, date: string): string =>
  new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
    day: 'numeric',
    month: 'long',
    year: 'numeric',
    numberingSystem: 'latn',
    timeZone: 'UTC',
  }).format(Date.parse(date))

/** Returns a text like '12 May 2026, 14:07', for receipts. */
export const dayAndTime = ({ locale, cached }: Pick<AllWords, 'locale' | 'cached'>, ms: number, zone: string): string =>
  cached(`date ${ms} ${zone}`, () =>
    new Intl.DateTimeFormat(locale === 'en' ? 'en-GB' : locale, {
      day: 'numeric',
      month: 'short',
      year: 'numeric',
      hour: '2-digit',
      minute: '2-digit',
      numberingSystem: 'latn',
      hourCycle: 'h23',
      timeZone: zone,
    }).format(ms),
  ) + utc(zone)
