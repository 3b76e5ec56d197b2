import type { messages } from './locales/en.ts'

type English = typeof messages

export type MessageKey = keyof English

/** A text that counts: one form per plural category, `other` always. */
export type Plural = { readonly other: string } & { readonly [C in Exclude<Intl.LDMLPluralRule, 'other'>]?: string }

export type Messages = { readonly [K in MessageKey]: English[K] extends string ? string : Plural }

type Names<S> = S extends `${string}{${infer Name}}${infer Rest}` ? Name | Names<Rest> : never

/** What a text needs filled in, read from the English one. */
export type Params<K extends MessageKey> = Names<English[K] extends string ? English[K] : English[K][keyof English[K]]>

export type TextKey = { [K in MessageKey]: English[K] extends string ? K : never }[MessageKey]
export type CountKey = Exclude<MessageKey, TextKey>
/** Texts without anything to fill in. */
export type PlainKey = { [K in TextKey]: [Params<K>] extends [never] ? K : never }[TextKey]
