import type { Locale } from '../wire/locale.ts'
import { messages as ar } from './locales/ar.ts'
import { messages as de } from './locales/de.ts'
import { messages as en } from './locales/en.ts'
import { messages as es } from './locales/es.ts'
import { messages as fr } from './locales/fr.ts'
import { messages as he } from './locales/he.ts'
import { messages as hi } from './locales/hi.ts'
import { messages as it } from './locales/it.ts'
import { messages as ja } from './locales/ja.ts'
import { messages as ko } from './locales/ko.ts'
import { messages as nl } from './locales/nl.ts'
import { messages as pl } from './locales/pl.ts'
import { messages as ptBR } from './locales/pt-BR.ts'
import { messages as tr } from './locales/tr.ts'
import { messages as uk } from './locales/uk.ts'
import { messages as zhCN } from './locales/zh-CN.ts'
import type { Messages } from './messages.ts'

/** All languages at once: for the server, which answers in each of them. A page carries its own. */
export const catalogue: { readonly [L in Locale]: Messages } = {
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
