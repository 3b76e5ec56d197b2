import * as z from 'zod/mini'
import { AmountRead } from './amount.ts'
import { CurrencyRead } from './currency.ts'
import { Decimal, IntegerRead, RawString } from './scalars.ts'

/** The page reads orders of any service, so only `id` and `status` are required, and a malformed member counts as absent. */
export const maybe = <S extends z.core.$ZodType>(schema: S) => z.catch(z.optional(schema), undefined)
export const list = <S extends z.core.$ZodType>(schema: S) =>
  maybe(
    z.pipe(
      z.array(z.unknown()),
      z.transform((items) =>
        items.flatMap((item) => {
          const parsed = z.safeParse(schema, item)
          return parsed.success ? [parsed.data] : []
        }),
      ),
    ),
  )
export const optionalString = maybe(z.string())
/** This URL becomes a link, so anything but http(s), such as `javascript:`, counts as absent. */
const page = maybe(z.string().check(z.regex(/^https?:\/\//i)))
const amount = maybe(AmountRead)
const currency = maybe(CurrencyRead)

export const TransactionRead = z.object({
  amount: AmountRead,
  tx_hash: z.string(),
  chain_id: maybe(IntegerRead),
  currency,
  state: optionalString,
  confirmations: maybe(IntegerRead),
  required_confirmations: maybe(IntegerRead),
  reason: optionalString,
  explorer_url: optionalString,
  seen_at: optionalString,
})
export type TransactionRead = z.infer<typeof TransactionRead>

/** Only what the payer sends has a breakdown. Its `gas` is the network's part. */
const BreakdownRead = z.object({ gas: z.object({ raw: RawString }) })
export const SideRead = z.object({
  amount: AmountRead,
  currency: CurrencyRead,
  recipient: optionalString,
  breakdown: maybe(BreakdownRead),
})

/** Steps of unknown kinds are accepted, because a newer service may add some. */
export const StepRead = z.object({
  kind: z.string(),
  data: maybe(
    z.object({
      deposit_address: optionalString,
      currency,
      amount: optionalString,
      hosted_url: optionalString,
      status: optionalString,
      destination_amount: optionalString,
      quote: maybe(z.object({ source_total_amount: Decimal, source_currency: z.string() })),
      message: optionalString,
      problem: optionalString,
    }),
  ),
})
export type StepRead = z.infer<typeof StepRead>

const ReplacedRead = z.extend(TransactionRead, { replaced_by: z.string() })

const RefundRead = z.object({ amount, currency, address: optionalString, tx_hash: optionalString, state: optionalString })
export type RefundRead = z.infer<typeof RefundRead>

export const PaymentRead = z.object({
  source_tx_hash: optionalString,
  estimated_duration_seconds: maybe(z.number()),
  expires_at: optionalString,
  funding: maybe(
    z.object({ required_amount: AmountRead, received_amount: amount, remaining_amount: amount, transactions: list(TransactionRead) }),
  ),
  input: maybe(SideRead),
  output: maybe(SideRead),
  refund: maybe(
    z.object({
      address: optionalString,
      reason: optionalString,
      tx_hash: optionalString,
      proposed: list(z.object({ address: z.string(), chain_id: maybe(z.number()) })),
    }),
  ),
  steps: list(StepRead),
  recipient: optionalString,
  surplus: amount,
  refunds: list(RefundRead),
  held_until: optionalString,
  replaced: list(ReplacedRead),
})
export type PaymentRead = z.infer<typeof PaymentRead>

export const SettingsRead = z.object({
  hide_footer: maybe(z.boolean()),
  logo_url: optionalString,
  return_url: optionalString,
  support_url: optionalString,
})

export const OrderRead = z.object({
  created_by: optionalString,
  id: z.string(),
  status: z.string(),
  organization_name: optionalString,
  created_at: optionalString,
  hosted_url: page,
  updated_at: optionalString,
  is_live: maybe(z.boolean()),
  fulfillment: maybe(
    z.object({
      amount,
      asset: currency,
      fiat_unit: optionalString,
      rate_usd: optionalString,
      fiat_unit_usd: optionalString,
      recipient: optionalString,
    }),
  ),
  settlements: list(SideRead),
  price: maybe(z.object({ amount: Decimal, unit: z.string() })),
  metadata: maybe(
    z.object({
      items: list(
        z.object({
          name: z.string(),
          description: optionalString,
          image: optionalString,
          currency: optionalString,
          quantity: maybe(z.number()),
          unit_price: maybe(z.number()),
        }),
      ),
      refund: maybe(z.object({ reason: optionalString })),
      reference: optionalString,
    }),
  ),
  payment: maybe(PaymentRead),
  settings: maybe(SettingsRead),
  /** Whoever relies on the terms parses them (terms/read-terms.ts), so that what was sent is what is checked. */
  terms: z.optional(z.unknown()),
})
export type OrderRead = z.infer<typeof OrderRead>

export const PaymentAnswerRead = z.object({ data: PaymentRead })
