import type { Context } from 'hono'
import type { Proxies } from './client-address.ts'
import type { RequestBindings } from './ready-response.ts'

export const payerCountry = (c: Context): string | undefined => (c.env as RequestBindings | undefined)?.country

export interface CountryParts {
  /** The proxy writes the payer's country into this header. */
  readonly header: string | undefined
  readonly isTrustedProxy: Proxies
  readonly isLocal: boolean
}

/** Only a trusted proxy's header is believed. Local mode has no proxy, so it believes any header and defaults to the US. */
export function countryFrom(request: Request, remote: string, { header, isTrustedProxy, isLocal }: CountryParts): string | undefined {
  const named = header === undefined ? null : request.headers.get(header)
  if (isLocal && named === null) return 'US'
  return isLocal || isTrustedProxy(remote) ? countryOf(named ?? undefined) : undefined
}

/** Accepts two letters only, as in ISO 3166. A proxy that does not know the country writes XX, or T1 for Tor, and neither is a country. */
const countryOf = (header: string | undefined): string | undefined =>
  header !== undefined && /^[A-Za-z]{2}$/.test(header) && !/^xx$/i.test(header) ? header.toUpperCase() : undefined
