import type { AllWords } from './words.ts'

/** Returns a text like 'A, B, or C'. No first screen needs it, so it is not among the words. */
export const anyOf = ({ locale, cached }: Pick<AllWords, 'locale' | 'cached'>, names: readonly string[]): string =>
  cached(names.join(), () => new Intl.ListFormat(locale, { type: 'disjunction' }).format(names))
