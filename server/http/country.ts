import type { Context } from 'hono'
import type { Proxies } from './client-address.ts'
import type { Incoming } from './ready-response.ts'

/** The payer's country, if it is known. */
export const payerCountry = (c: Context): string | undefined => (c.env as Incoming | undefined)?.country

export interface CountryParts {
  /** The name of the header in which a proxy writes it. */
  readonly header: string | undefined
  readonly isTrustedProxy: Proxies
  readonly isLocal: boolean
}

/** Believed only from a trusted proxy. Local mode has none: there the header is believed, and payers are in the US without it. */
export function countryFrom(request: Request, remote: string, { header, isTrustedProxy, isLocal }: CountryParts): string | undefined {
  const named = header === undefined ? null : request.headers.get(header)
  if (isLocal && named === null) return 'US'
  return isLocal || isTrustedProxy(remote) ? countryOf(named ?? undefined) : undefined
}

/** Two letters as ISO 3166 has them. What a proxy writes when it does not know (XX, T1) names no country. */
const countryOf = (header: string | undefined): string | undefined =>
  header !== undefined && /^[A-Za-z]{2}$/.test(header) && !/^xx$/i.test(header) ? header.toUpperCase() : undefined
