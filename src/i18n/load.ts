import type { Locale } from '../wire/locale.ts'
import type { Messages } from './messages.ts'

/** A chunk per language; a page fetches its own, when something has to be said that no first screen says. */
const languages = import.meta.glob<Messages>('./locales/*.ts', { import: 'messages' })

export const loadMessages = (locale: Locale): Promise<Messages> => {
  const load = languages[`./locales/${locale}.ts`]
  if (!load) throw new Error(`there is no language ${locale}`)
  return load()
}
