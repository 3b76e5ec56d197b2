import type { Locale } from '../wire/locale.ts'
import type { RestMessages } from './messages.ts'

/** Each language is a file of its own. A page fetches one when it needs a text that the first screens do not have. */
const languages = import.meta.glob<RestMessages>('./locales/*.ts', { import: 'rest' })

export const loadRest = (locale: Locale): Promise<RestMessages> => {
  const load = languages[`./locales/${locale}.ts`]
  if (!load) throw new Error(`unknown locale: ${locale}`)
  return load()
}
