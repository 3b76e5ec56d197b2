import * as z from 'zod/mini'
import { Amount } from './amount.ts'
import { ChainId } from './chain.ts'
import { Currency } from './currency.ts'
import { Address, Decimal } from './scalars.ts'

export const TradeType = z.enum(['EXACT_INPUT', 'EXACT_OUTPUT'])
export type TradeType = z.infer<typeof TradeType>

export const Breakdown = z.object({
  base: Amount,
  fees: z.object({ custom_fee: Amount, protocol_fee: Amount, relayer_fee: Amount, total_fee: Amount }),
  gas: Amount,
  total: Amount,
})
export type Breakdown = z.infer<typeof Breakdown>

export const QuoteInput = z.object({ amount: Amount, balance: z.optional(Amount), breakdown: Breakdown, currency: Currency })
export const QuoteOutput = z.object({ amount: Amount, amount_out_minimum: Amount, currency: Currency })

export const Quote = z.object({ trade_type: TradeType, input: QuoteInput, output: QuoteOutput })
export type Quote = z.infer<typeof Quote>

export const SlippageBps = z.int().check(z.minimum(0), z.maximum(5_000))

/** For the native coin, `address` may be absent, null, or the zero address. */
const SwapCurrency = z.strictObject({ address: z.optional(z.nullable(Address)), chain_id: ChainId })

export const SwapQuoteRequest = z.strictObject({
  source: SwapCurrency,
  destination: SwapCurrency,
  amount: Decimal,
  trade_type: TradeType,
  sender: z.optional(Address),
  recipient: z.optional(Address),
  slippage_bps: z.optional(SlippageBps),
})

export const SwapQuoteResponse = z.object({
  result_type: z.enum(['OK', 'NO_ROUTE', 'HIGH_IMPACT']),
  issues: z.optional(z.object({ price_impact_warning: z.optional(z.object({ impact: z.number(), threshold: z.number() })) })),
  quote: z.optional(Quote),
})
export type SwapQuoteResponse = z.infer<typeof SwapQuoteResponse>
