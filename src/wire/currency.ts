import * as z from 'zod/mini'
import { ChainId } from './chain.ts'
import { queryInteger } from './pagination.ts'
import { Address, text } from './scalars.ts'

export { nativeAddress } from './chain-facts.ts'

export const CurrencyBase = z.strictObject({ address: z.optional(z.nullable(Address)), chain_id: ChainId })
export type CurrencyBase = z.infer<typeof CurrencyBase>

export const Currency = z.object({
  address: z.string(),
  chain_id: ChainId,
  decimals: z.int().check(z.minimum(0), z.maximum(36)),
  id: z.string(),
  name: z.string(),
  price_usd: z.number(),
  symbol: z.string(),
})
export type Currency = z.infer<typeof Currency>

/** 0 to 36. Spelled out, it spares the page the code of two numeric bounds. */
const fewDecimals = z.literal([...Array(37).keys()])

/** What the page believes of a currency: a chain it does not know still shows as a number. */
export const CurrencyRead = z.object({
  address: z.optional(z.nullable(z.string())),
  chain_id: z.int(),
  decimals: fewDecimals,
  name: z.optional(z.string()),
  symbol: z.string(),
  price_usd: z.optional(z.number()),
})
export type CurrencyRead = z.infer<typeof CurrencyRead>

export const FiatCurrency = z.enum(['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop'])
export type FiatCurrency = z.infer<typeof FiatCurrency>

export const CurrencySearchQuery = z.object({
  q: z.optional(text(200)),
  chain_ids: z.optional(z.string().check(z.regex(/^\d{1,14}(,\d{1,14}){0,31}$/, 'must be chain ids separated by commas'))),
  limit: z.prefault(queryInteger(1, 50), '20'),
})

export const CurrencySearchAnswer = z.object({ currencies: z.array(Currency) })

/**
 * What is looked for before the payer types anything: a search needs two letters, and an empty list helps nobody. The
 * settlement token on other networks first, then what most people hold.
 */
export const firstSearches = (symbol: string | undefined): readonly string[] => [
  ...new Set([...(symbol && symbol.length > 1 ? [symbol] : []), 'USD', 'ETH', 'DAI']),
]
