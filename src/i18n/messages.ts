import type { first, rest } from './locales/en.ts'

/** The English catalogue defines which texts exist and which of them are sent with the page, so the compiler finds missing translations. */
type First = typeof first
type English = First & typeof rest

export type MessageKey = keyof English
/** Every page has these texts from the start. The rest is loaded with the screens that need it (live.ts). */
export type FirstKey = keyof First

/** A text with a count has a form for each plural category of its language. Only `other` exists in every language. */
export type Plural = { readonly other: string } & { readonly [C in Exclude<Intl.LDMLPluralRule, 'other'>]?: string }

type Translated<Texts> = { readonly [K in keyof Texts]: Texts[K] extends string ? string : Plural }
export type FirstMessages = Translated<First>
export type RestMessages = Translated<typeof rest>
export type Messages = FirstMessages & RestMessages

type Names<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

/** Extracts the names in `{braces}` from the English text, so that a call with a missing value does not compile. */
export type Params<K extends MessageKey> = Names<English[K] extends string ? English[K] : English[K][keyof English[K]]>

export type TextKey = { [K in MessageKey]: English[K] extends string ? K : never }[MessageKey]
export type CountKey = Exclude<MessageKey, TextKey>
/** Only these texts can be used by key alone, because they need no values. */
export type PlainKey = { [K in TextKey]: [Params<K>] extends [never] ? K : never }[TextKey]
