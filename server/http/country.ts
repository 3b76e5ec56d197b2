import { AsyncLocalStorage } from 'node:async_hooks'

/**
 * Where the payer is, as a trusted proxy says. It travels with the request, so that our own pages, which call the API in this process on
 * the payer's behalf, pass it on without knowing of it.
 */
const travelling = new AsyncLocalStorage<string | undefined>()

/** Where nobody says it nothing travels: following every promise has its price. */
export const withCountry = <T>(country: string | undefined, run: () => T): T =>
  country === undefined ? run() : travelling.run(country, run)

export const payerCountry = (): string | undefined => travelling.getStore()

/** Two letters as ISO 3166 has them; what a proxy writes where it does not know (XX, T1) names no country. */
export const countryOf = (header: string | undefined): string | undefined =>
  header !== undefined && /^[A-Za-z]{2}$/.test(header) && !/^xx$/i.test(header) ? header.toUpperCase() : undefined
