import { isLocale, localeCodes, type Locale } from '../../src/wire/locale.ts'

/** Prefers the language that the URL names, then the best one that the browser accepts, then English. */
export function languageOf(asked: string | undefined, accepted: string | undefined): { locale: Locale; asked: Locale | undefined } {
  const named = asked ? match(asked) : undefined
  return { locale: named ?? best(accepted ?? '') ?? 'en', asked: named }
}

const best = (accepted: string): Locale | undefined =>
  accepted
    .split(',')
    .slice(0, 20)
    .map((part) => {
      const [tag = '', ...params] = part.trim().split(';')
      const q = params.map((param) => /^\s*q=([\d.]+)\s*$/.exec(param)?.[1]).find((value) => value !== undefined)
      return { tag, q: q === undefined ? 1 : Number(q) }
    })
    .filter(({ q }) => q > 0)
    .sort((a, b) => b.q - a.q)
    .map(({ tag }) => match(tag))
    .find((locale) => locale !== undefined)

/** `pt` and `pt-PT` get Brazilian Portuguese and `zh-TW` gets simplified Chinese, which are nearer than English. */
function match(tag: string): Locale | undefined {
  const exact = localeCodes.find((code) => code.toLowerCase() === tag.toLowerCase())
  if (exact) return exact
  const [language = ''] = tag.toLowerCase().split('-')
  if (isLocale(language)) return language
  return localeCodes.find((code) => code.toLowerCase().startsWith(`${language}-`))
}
