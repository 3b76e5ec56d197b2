import type { first, rest } from './locales/en.ts'

/** The English texts define which texts exist, and which of them are sent with the page. */
type First = typeof first
type English = First & typeof rest

export type MessageKey = keyof English
/** Texts that every page has from the start. The rest is loaded with the screens that need it (live.ts). */
export type FirstKey = keyof First

/** A text with a count: one form for each plural category, of which `other` is always there. */
export type Plural = { readonly other: string } & { readonly [C in Exclude<Intl.LDMLPluralRule, 'other'>]?: string }

type Translated<Texts> = { readonly [K in keyof Texts]: Texts[K] extends string ? string : Plural }
export type FirstMessages = Translated<First>
export type RestMessages = Translated<typeof rest>
export type Messages = FirstMessages & RestMessages

type Names<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

/** The names of the values that a text needs, read from the English text. */
export type Params<K extends MessageKey> = Names<English[K] extends string ? English[K] : English[K][keyof English[K]]>

export type TextKey = { [K in MessageKey]: English[K] extends string ? K : never }[MessageKey]
export type CountKey = Exclude<MessageKey, TextKey>
/** Texts that need no values. */
export type PlainKey = { [K in TextKey]: [Params<K>] extends [never] ? K : never }[TextKey]
