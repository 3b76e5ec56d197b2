import type { Locale } from '../wire/locale.ts'

/** Returns a text like 'A, B, or C'. No first screen needs it, so it is not among the words. */
export const anyOf = (locale: Locale, names: readonly string[]): string =>
  new Intl.ListFormat(locale, { type: 'disjunction' }).format(names)
