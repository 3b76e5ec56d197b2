import type { Locale } from '../wire/locale.ts'
import type { RestMessages } from './messages.ts'

/** A file for each language; a page fetches its own when something has to be said that no first screen says. */
const languages = import.meta.glob<RestMessages>('./locales/*.ts', { import: 'rest' })

export const loadRest = (locale: Locale): Promise<RestMessages> => {
  const load = languages[`./locales/${locale}.ts`]
  if (!load) throw new Error(`there is no language ${locale}`)
  return load()
}
