import { localeCodes, type Locale } from '../wire/locale.ts'
import * as ar from './locales/ar.ts'
import * as de from './locales/de.ts'
import * as en from './locales/en.ts'
import * as es from './locales/es.ts'
import * as fr from './locales/fr.ts'
import * as he from './locales/he.ts'
import * as hi from './locales/hi.ts'
import * as it from './locales/it.ts'
import * as ja from './locales/ja.ts'
import * as ko from './locales/ko.ts'
import * as nl from './locales/nl.ts'
import * as pl from './locales/pl.ts'
import * as ptBR from './locales/pt-BR.ts'
import * as tr from './locales/tr.ts'
import * as uk from './locales/uk.ts'
import * as zhCN from './locales/zh-CN.ts'
import type { FirstMessages, Messages, RestMessages } from './messages.ts'

/** Only the server loads all languages. A page gets the first texts of its own language in its HTML and fetches the rest. */
export const languages: { readonly [L in Locale]: { readonly first: FirstMessages; readonly rest: RestMessages } } = {
  en,
  de,
  es,
  fr,
  it,
  'pt-BR': ptBR,
  nl,
  pl,
  tr,
  ja,
  ko,
  'zh-CN': zhCN,
  ar,
  he,
  hi,
  uk,
}

export const catalogue = Object.fromEntries(localeCodes.map((code) => [code, { ...languages[code].first, ...languages[code].rest }])) as {
  readonly [L in Locale]: Messages
}
