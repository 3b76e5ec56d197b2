/**
 * What the payer chose, as it stands in the page's address: so that a reload, a link to another device and the way
 * without scripts all show the same.
 */
export interface Choice {
  /** The slug of a method, 'choose' for the list of them, or nothing yet. */
  readonly method?: string
  /** The list of networks and tokens is open. */
  readonly pick: boolean
  /** What the payer looked for in that list. */
  readonly query?: string
  /** A currency's key. */
  readonly currency?: string
  readonly qr?: 'address' | 'amount'
  /** Something is being typed: a page without scripts does not refresh itself meanwhile. */
  readonly form?: boolean
}

export const noChoice: Choice = { pick: false }

export const parseChoice = (params: URLSearchParams): Choice => {
  const qr = params.get('qr')
  return {
    method: short(params.get('method')),
    pick: params.has('pick'),
    form: params.has('form') || undefined,
    query: short(params.get('q')),
    currency: short(params.get('currency')),
    qr: qr === 'amount' || qr === 'address' ? qr : undefined,
  }
}

/** Starts with `?`, or is `.`-free and empty: ready to be put behind the page's path. */
export const choiceQuery = (choice: Choice, locale?: string): string => {
  const params = new URLSearchParams()
  if (choice.method) params.set('method', choice.method)
  if (choice.currency) params.set('currency', choice.currency)
  if (choice.pick) params.set('pick', '')
  if (choice.query) params.set('q', choice.query)
  if (choice.qr) params.set('qr', choice.qr)
  if (choice.form) params.set('form', '')
  if (locale) params.set('locale', locale)
  const text = params.toString()
  return text && `?${text}`
}

const short = (value: string | null): string | undefined => (value && value.length <= 200 ? value : undefined)
