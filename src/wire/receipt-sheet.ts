import type { OrderBoot } from './boot.ts'
import type { Locale } from './locale.ts'

/** A receipt as text, to be printed. The built page writes it, because the server must not import its code. */
export interface ReceiptSheet {
  readonly locale: Locale
  readonly dir: 'ltr' | 'rtl'
  readonly title: string
  readonly amount: string | undefined
  readonly merchant: string
  readonly reference: string
  /** The payment's time, in unix milliseconds. */
  readonly at: number | undefined
  readonly lines: readonly { readonly name: string; readonly detail: string | undefined; readonly amount: string | undefined }[]
  readonly facts: readonly ReceiptFact[]
  readonly testMode: string | undefined
}

export interface ReceiptFact {
  readonly label: string
  readonly value: string
  /** An amount of money, an address or a hash runs from left to right in every language. */
  readonly as?: 'money' | 'code'
  readonly link?: string
}

/** An order that is not paid has no receipt. */
export type ReceiptSheetOf = (data: OrderBoot) => ReceiptSheet | undefined
