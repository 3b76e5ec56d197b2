import type { FirstMessages, Messages, RestMessages } from './i18n/messages.ts'
import styles from './till.css?url'
import { addLateSymbols } from './ui/late-symbols.ts'
import type { Locale } from './wire/locale.ts'

/** The first response has the texts, styles, icons and marks that it shows. This fetches all others, and returns the texts. */
export const loadWhole = async (locale: Locale, messages: Messages): Promise<Messages> => {
  const [{ first, rest }] = await Promise.all([loadTexts(locale), loadStyles()])
  addLateSymbols()
  return Object.assign(messages, first, rest)
}

/** All of the stylesheet takes the place of the part that came first, before the rules of the merchant's colour. */
const loadStyles = async (): Promise<void> => {
  const answer = await fetch(styles)
  if (!answer.ok) throw new Error(`the stylesheet answered ${answer.status}`)
  document.getElementById('css')!.textContent = await answer.text()
}

/** Each language is a file of its own. */
const languages = import.meta.glob<Languages>('./i18n/locales/*.ts')
interface Languages {
  readonly first: FirstMessages
  readonly rest: RestMessages
}

const loadTexts = (locale: Locale): Promise<Languages> => {
  const load = languages[`./i18n/locales/${locale}.ts`]
  if (!load) throw new Error(`unknown locale: ${locale}`)
  return load()
}
