/** Each language is listed by its own name for itself, so that everybody can find theirs. */
export const locales = {
  en: 'English',
  de: 'Deutsch',
  es: 'Español',
  fr: 'Français',
  it: 'Italiano',
  'pt-BR': 'Português (Brasil)',
  nl: 'Nederlands',
  pl: 'Polski',
  tr: 'Türkçe',
  ja: '日本語',
  ko: '한국어',
  'zh-CN': '简体中文',
  ar: 'العربية',
  he: 'עברית',
  hi: 'हिन्दी',
  uk: 'Українська',
} as const

export type Locale = keyof typeof locales

export const localeCodes = /* @__PURE__ */ Object.keys(locales) as Locale[]

export const isLocale = (value: string): value is Locale => Object.hasOwn(locales, value)

export const directionOf = (locale: Locale): 'ltr' | 'rtl' => (locale === 'ar' || locale === 'he' ? 'rtl' : 'ltr')
