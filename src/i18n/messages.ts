import type { first, rest } from './locales/en.ts'

/** English says which texts there are, and which of them a page is sent with. */
type First = typeof first
type English = First & typeof rest

export type MessageKey = keyof English
/** Texts that every page has; the rest comes with the screen that says it (load-rest.ts). */
export type FirstKey = keyof First

/** A text that counts: one form per plural category, `other` always. */
export type Plural = { readonly other: string } & { readonly [C in Exclude<Intl.LDMLPluralRule, 'other'>]?: string }

type Translated<Texts> = { readonly [K in keyof Texts]: Texts[K] extends string ? string : Plural }
export type FirstMessages = Translated<First>
export type RestMessages = Translated<typeof rest>
export type Messages = FirstMessages & RestMessages

type Names<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

/** What a text needs filled in, read from the English one. */
export type Params<K extends MessageKey> = Names<English[K] extends string ? English[K] : English[K][keyof English[K]]>

export type TextKey = { [K in MessageKey]: English[K] extends string ? K : never }[MessageKey]
export type CountKey = Exclude<MessageKey, TextKey>
/** Texts without anything to fill in. */
export type PlainKey = { [K in TextKey]: [Params<K>] extends [never] ? K : never }[TextKey]
