import type { Locale } from './locale.ts'

/** An invoice's PDF and e-mail use these texts. The built page supplies them, because the server must not import its code. */
export interface InvoiceWords {
  readonly locale: Locale
  readonly dir: 'ltr' | 'rtl'
  readonly from: string
  readonly to: string
  readonly item: string
  readonly tax: string
  readonly amount: string
  readonly subtotal: string
  readonly total: string
  readonly payOnline: string
  readonly payOnlineHint: string
  readonly testMode: string
  readonly mailPay: string
  readonly mailAttached: string
  readonly mailReceipt: string
  title(number: string): string
  issued(date: string): string
  due(date: string): string
  taxNumber(number: string): string
  taxAt(rate: string): string
  /** Returns a text like '1 × $26.64'. */
  line(quantity: string, price: string): string
  money(decimal: string, unit: string): string
  rate(percent: string): string
  mailSubject(about: { readonly number: string; readonly name: string }): string
  paidSubject(about: { readonly number: string; readonly name: string }): string
  paidLead(about: { readonly number: string; readonly name: string; readonly total: string }): string
  mailLead(about: { readonly number: string; readonly name: string; readonly total: string; readonly date: string }): string
}

export type InvoiceWordsOf = (locale: Locale) => InvoiceWords
