import * as z from 'zod/mini'
import { Amount, AmountRead } from './amount.ts'
import { ChainId } from './chain.ts'
import { queryInteger } from './pagination.ts'
import { Address, Id, IntegerRead, text } from './scalars.ts'

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
  /** This Till extension is present in an order that has a `fiat_unit`. */
  fiat_unit_usd: z.optional(z.string()),
  symbol: z.string(),
})
export type Currency = z.infer<typeof Currency>

/** The list of all values from 0 to 36 replaces two numeric checks, whose code the page would otherwise have to load. */
const fewDecimals = z.literal([...Array(37).keys()])

/** The page also accepts a chain that it does not know, and shows its number. */
export const CurrencyRead = z.object({
  address: z.optional(z.nullable(z.string())),
  chain_id: IntegerRead,
  decimals: fewDecimals,
  name: z.optional(z.string()),
  symbol: z.string(),
  price_usd: z.optional(z.number()),
  fiat_unit_usd: z.catch(z.optional(z.string()), undefined),
})
export type CurrencyRead = z.infer<typeof CurrencyRead>

/** This is approximately what the network asks of the sender, in fiat. It is for display only. */
export const NetworkFee = z.object({ amount: z.number(), unit: z.string(), chain_id: z.int() })
export type NetworkFee = z.infer<typeof NetworkFee>
export const NetworkFeeRead = z.catch(z.optional(z.object({ amount: z.number(), unit: z.string(), chain_id: IntegerRead })), undefined)

/** A search marks what can pay the order, with the amount that it would ask for, where the service knows. */
export const FoundCurrencyRead = z.extend(CurrencyRead, {
  payable: z.optional(z.boolean()),
  amount: z.optional(AmountRead),
  network_fee: NetworkFeeRead,
  estimated_duration_seconds: z.catch(z.optional(IntegerRead), undefined),
})
export type FoundCurrencyRead = z.infer<typeof FoundCurrencyRead>

export const FiatCurrency = z.enum(['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop'])
export type FiatCurrency = z.infer<typeof FiatCurrency>

export const CurrencySearchQuery = z.object({
  /** This Till extension asks which of the currencies can pay the order. */
  order_id: z.optional(Id),
  q: z.optional(text(200)),
  chain_ids: z.optional(z.string().check(z.regex(/^\d{1,14}(,\d{1,14}){0,31}$/, 'must be chain ids separated by commas'))),
  limit: z.prefault(queryInteger(1, 50), '20'),
})

/**
 * These are Till extensions: whether this currency can pay the order that was named, how much it would ask, what the network asks, and how long
 * it takes from the payment until the order is COMPLETED.
 */
export const FoundCurrency = z.extend(Currency, {
  payable: z.optional(z.boolean()),
  amount: z.optional(Amount),
  network_fee: z.optional(NetworkFee),
  estimated_duration_seconds: z.optional(z.int()),
})
export type FoundCurrency = z.infer<typeof FoundCurrency>

export const CurrencySearchAnswer = z.object({ currencies: z.array(FoundCurrency) })
