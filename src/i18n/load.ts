import type { Locale } from '../wire/locale.ts'
import type { Messages } from './messages.ts'

/** One chunk per language; a page loads one. */
export const loadMessages: { readonly [L in Locale]: () => Promise<{ messages: Messages }> } = {
  en: () => import('./locales/en.ts'),
  de: () => import('./locales/de.ts'),
  es: () => import('./locales/es.ts'),
  fr: () => import('./locales/fr.ts'),
  it: () => import('./locales/it.ts'),
  'pt-BR': () => import('./locales/pt-BR.ts'),
  nl: () => import('./locales/nl.ts'),
  pl: () => import('./locales/pl.ts'),
  tr: () => import('./locales/tr.ts'),
  ja: () => import('./locales/ja.ts'),
  ko: () => import('./locales/ko.ts'),
  'zh-CN': () => import('./locales/zh-CN.ts'),
  ar: () => import('./locales/ar.ts'),
  he: () => import('./locales/he.ts'),
  hi: () => import('./locales/hi.ts'),
  uk: () => import('./locales/uk.ts'),
}
