/** The choice is in the page's URL, so that a reload, another device, and a browser without scripts show the same screen. */
export interface Choice {
  /** This is the slug of a method, or 'choose' for the list of methods. It is absent until the payer has chosen. */
  readonly method?: string
  /** The list of networks and tokens is open, and the payer searched it for `query`. */
  readonly pick: boolean
  readonly query?: string
  /** This is the key of the currency to pay in, which `currencyKey` (funds.ts) makes. */
  readonly currency?: string
  readonly qr?: 'address' | 'amount'
  /** This is true while the payer types into a form, so that a page without scripts does not refresh itself. */
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

/** Returns a query that starts with `?`, or '' if there is nothing to say, so it can follow the path directly. */
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
