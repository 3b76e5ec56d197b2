import * as z from 'zod/mini'
import { ChainId } from '../chain.ts'

const EvmAddress = z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/, 'must be an EVM address'))
const Whole = z.string().check(z.regex(/^(0|[1-9]\d{0,77})$/, 'must be a whole number'))

/** An order may settle in this token, or in the chain's own coin where `token` is null. The fee's caps are for everything that is ever moved. */
export const TermsSettlement = z.strictObject({
  chain_id: ChainId,
  token: z.nullable(EvmAddress),
  recipient: EvmAddress,
  fee_collector: EvmAddress,
  max_fee_bps: z.int().check(z.minimum(0), z.maximum(10_000)),
  /** In the token's smallest units. */
  max_fee_flat: Whole,
  /** Its recipient may take what nobody expected on this chain. */
  first_of_chain: z.boolean(),
})
export type TermsSettlement = z.infer<typeof TermsSettlement>

/**
 * This Till extension says where the money of an order may go. Its hash is the salt of the order's deposit address on EVM chains, so whoever
 * knows the terms can compute the address and the contract there enforces them (docs/terms.md).
 */
export const OrderTerms = z.strictObject({
  version: z.literal(1),
  order_id: z.string(),
  factory: EvmAddress,
  /** Sorted by chain and token. */
  settlements: z.array(TermsSettlement).check(z.minLength(1), z.maxLength(16)),
  default_recipient: EvmAddress,
  /** The zero address if nobody can sign for refunds and conversions. */
  guard: EvmAddress,
  /** Unix seconds. From then on anybody can release the money to the recipients. */
  release_at: z.int().check(z.minimum(0)),
})
export type OrderTerms = z.infer<typeof OrderTerms>
