import * as z from 'zod/mini'
import { AmountRead } from './amount.ts'
import { CurrencyRead } from './currency.ts'

/**
 * An order as the page reads it, from any service that follows the specification: only `id` and `status` are needed,
 * unknown members are ignored, a member that cannot be understood is as good as absent.
 */
const maybe = <S extends z.core.$ZodType>(schema: S) => z.catch(z.optional(schema), undefined)
const list = <S extends z.core.$ZodType>(schema: S) =>
  z.catch(
    z.optional(
      z.pipe(
        z.array(z.unknown()),
        z.transform((all) =>
          all.flatMap((one) => {
            const parsed = z.safeParse(schema, one)
            return parsed.success ? [parsed.data] : []
          }),
        ),
      ),
    ),
    undefined,
  )
const string = maybe(z.string())
const amount = maybe(AmountRead)
const currency = maybe(CurrencyRead)

export const TransactionRead = z.object({
  amount: AmountRead,
  tx_hash: z.string(),
  chain_id: maybe(z.int()),
  currency,
  state: string,
  confirmations: maybe(z.int()),
  required_confirmations: maybe(z.int()),
  reason: string,
  explorer_url: string,
  seen_at: string,
})
export type TransactionRead = z.infer<typeof TransactionRead>

const feesRead = z.object({ custom_fee: amount, protocol_fee: amount, relayer_fee: amount, total_fee: amount })

export const InputRead = z.object({
  amount: AmountRead,
  currency: CurrencyRead,
  breakdown: maybe(z.object({ base: amount, fees: maybe(feesRead), gas: amount, total: amount })),
})
const OutputRead = z.object({ amount: AmountRead, currency: CurrencyRead, amount_out_minimum: amount })

/** A step of a kind the page does not know is kept by its kind alone. */
export const StepRead = z.object({
  rail: string,
  kind: z.string(),
  action: string,
  data: maybe(
    z.object({
      deposit_address: string,
      currency,
      amount: string,
      evm: maybe(z.object({ from: string, to: z.string(), data: z.string(), value: z.string(), chainId: z.int() })),
      session_id: string,
      hosted_url: string,
      status: string,
      destination_amount: string,
      quote: maybe(z.object({ source_total_amount: z.string(), source_currency: z.string() })),
      message: string,
    }),
  ),
})
export type StepRead = z.infer<typeof StepRead>

const RefundRead = z.object({ amount, address: string, tx_hash: string, state: string })

export const PaymentRead = z.object({
  payment_rail: string,
  recipient: string,
  source_tx_hash: string,
  destination_tx_hash: string,
  fee_tx_hash: string,
  estimated_duration_seconds: maybe(z.number()),
  expires_at: string,
  funding: maybe(
    z.object({ required_amount: AmountRead, received_amount: amount, remaining_amount: amount, transactions: list(TransactionRead) }),
  ),
  input: maybe(InputRead),
  output: maybe(OutputRead),
  refund: maybe(z.object({ address: string, reason: string, tx_hash: string })),
  steps: list(StepRead),
  surplus: amount,
  refunds: list(RefundRead),
  held_until: string,
})
export type PaymentRead = z.infer<typeof PaymentRead>

export const OrderRead = z.object({
  id: z.string(),
  status: z.string(),
  mode: string,
  organization_id: string,
  organization_name: string,
  is_live: maybe(z.boolean()),
  hosted_url: string,
  created_at: string,
  updated_at: string,
  fulfillment: maybe(
    z.object({ amount, asset: currency, fiat_unit: string, rate_usd: string, recipient: string, custom_fee_bps: maybe(z.int()) }),
  ),
  metadata: maybe(
    z.object({
      items: list(
        z.object({
          name: z.string(),
          description: string,
          image: string,
          currency: string,
          quantity: maybe(z.number()),
          unit_price: maybe(z.number()),
        }),
      ),
      refund: maybe(
        z.object({ name: string, reason: string, additional_info: string, currency: string, refund_amount: maybe(z.number()) }),
      ),
      reference: string,
    }),
  ),
  payment: maybe(PaymentRead),
  settings: maybe(
    z.object({
      card_payments: maybe(z.boolean()),
      hide_footer: maybe(z.boolean()),
      logo_url: string,
      theme_color: string,
      return_url: string,
      embed_origins: list(z.string()),
    }),
  ),
})
export type OrderRead = z.infer<typeof OrderRead>

export const PaymentAnswerRead = z.object({ data: PaymentRead })
