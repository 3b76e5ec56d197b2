import * as z from 'zod/mini'
import { Amount } from './amount.ts'
import { ChainId } from './chain.ts'
import { Currency, CurrencyBase, FiatCurrency, NetworkFee } from './currency.ts'
import { metadata } from './metadata.ts'
import { PageQuery, Pagination } from './pagination.ts'
import { ProblemCode } from './problems.ts'
import { QuoteInput, QuoteOutput, SlippageBps, TradeType } from './quote.ts'
import { OrderTerms } from './terms/order-terms.ts'
import { Address, DateTime, Decimal, Id, Origin, SecureUrl, StorableDateTime, SupportUrl, text, TxHash } from './scalars.ts'

/** These schemas describe the orders that this service writes. The page reads those of any service with order-read.ts. */

export const OrderMode = z.enum(['SALE', 'DEPOSIT', 'REFUND', 'SWAP', 'FEE_CLAIM'])
export type OrderMode = z.infer<typeof OrderMode>

export const orderStatuses = [
  'PENDING',
  'AWAITING_PAYMENT',
  'AWAITING_CONFIRMATION',
  'OPTIMISTIC_CONFIRMED',
  'PARTIAL_PAYMENT',
  'EXECUTING_ORDER',
  'COMPLETED',
  'EXPIRED',
  'FAILED',
  'REFUNDED',
] as const
export const OrderStatus = z.enum(orderStatuses)
export type OrderStatus = z.infer<typeof OrderStatus>

/** The merchant signed the request, anybody with the publishable key made it, or the service made it for an invoice or a refund. */
export const CreatedBy = z.enum(['signature', 'key', 'service'])
export type CreatedBy = z.infer<typeof CreatedBy>

/** This is the amount as it was requested. `unit` is a fiat unit or the `id` of a currency. */
export const Price = z.object({ amount: z.string(), unit: z.string() })
export type Price = z.infer<typeof Price>

export const PaymentRail = z.enum(['CRYPTO', 'FIAT'])

export const TransactionState = z.enum(['seen', 'confirmed', 'applied', 'refunded', 'held'])
export type TransactionState = z.infer<typeof TransactionState>

export const FundingTransaction = z.object({
  amount: Amount,
  tx_hash: z.string(),
  chain_id: ChainId,
  currency: Currency,
  state: TransactionState,
  confirmations: z.int(),
  required_confirmations: z.int(),
  reason: z.optional(z.string()),
  explorer_url: z.optional(z.string()),
  seen_at: DateTime,
})

export const Funding = z.object({
  required_amount: Amount,
  received_amount: Amount,
  remaining_amount: Amount,
  transactions: z.array(FundingTransaction),
  /** This Till extension counts all transactions, because `transactions` has only the newest 100. */
  transactions_total: z.optional(z.int()),
})

export const DepositStep = z.object({
  rail: z.literal('CRYPTO'),
  kind: z.literal('deposit'),
  action: z.literal('send'),
  data: z.object({ deposit_address: z.string(), currency: Currency, amount: z.string() }),
})

export const TransactionStep = z.object({
  rail: z.literal('CRYPTO'),
  kind: z.literal('transaction'),
  action: z.literal('send'),
  data: z.object({ evm: z.object({ from: z.string(), to: z.string(), data: z.string(), value: z.string(), chainId: ChainId }) }),
})

export const CardStep = z.object({
  rail: z.literal('FIAT'),
  kind: z.literal('stripe_onramp'),
  action: z.literal('open'),
  data: z.object({
    session_id: z.string(),
    hosted_url: z.string(),
    status: z.string(),
    destination_amount: z.string(),
    quote: z.object({ source_total_amount: z.string(), source_currency: FiatCurrency }),
    /** The Till extension `message` tells the payer why the provider did not continue. A page can translate it by its code `problem`. */
    message: z.optional(z.string()),
    problem: z.optional(ProblemCode),
  }),
})

export const PaymentStep = z.discriminatedUnion('kind', [DepositStep, TransactionStep, CardStep])
export type PaymentStep = z.infer<typeof PaymentStep>

export const RefundRecord = z.object({
  amount: Amount,
  chain_id: z.optional(ChainId),
  currency: z.optional(Currency),
  address: z.string(),
  tx_hash: z.optional(z.string()),
  state: z.enum(['pending', 'confirmed', 'failed']),
})

/** This Till extension describes money that was received and is neither applied to the order nor refunded. */
export const HeldMoney = z.object({ chain_id: ChainId, currency: Currency, amount: Amount, reason: z.string() })

/** This Till extension describes a transfer that will never arrive, because its sender has replaced its transaction by another. */
export const ReplacedTransfer = z.object({
  chain_id: ChainId,
  currency: Currency,
  amount: Amount,
  tx_hash: z.string(),
  replaced_by: z.string(),
})

const ProposedAddress = z.object({ address: z.string(), chain_id: z.int(), proposed_at: DateTime })

export const Payment = z.object({
  payment_rail: PaymentRail,
  recipient: z.string(),
  source_tx_hash: z.optional(z.string()),
  destination_tx_hash: z.optional(z.string()),
  fee_tx_hash: z.optional(z.string()),
  estimated_duration_seconds: z.int(),
  expires_at: z.optional(DateTime),
  funding: z.optional(Funding),
  input: z.optional(QuoteInput),
  output: z.optional(QuoteOutput),
  refund: z.optional(
    z.object({
      address: z.optional(z.string()),
      reason: z.optional(z.string()),
      tx_hash: z.optional(z.string()),
      /** This Till extension lists addresses of which the merchant may make one the refund address. */
      proposed: z.optional(z.array(ProposedAddress)),
    }),
  ),
  steps: z.array(PaymentStep),
  surplus: z.optional(Amount),
  refunds: z.optional(z.array(RefundRecord)),
  held: z.optional(z.array(HeldMoney)),
  held_until: z.optional(DateTime),
  /** This Till extension lists transfers that a newer transaction of the payer has replaced before they were final. */
  replaced: z.optional(z.array(ReplacedTransfer)),
  /** This Till extension says whose signature a refund or a conversion of the order waits for. */
  waiting_for: z.optional(z.enum(['guard'])),
})
export type Payment = z.infer<typeof Payment>

export const OrderItem = z.strictObject({
  name: text(200, 1),
  description: z.optional(text(1000)),
  image: z.optional(SecureUrl),
  currency: z.optional(text(20)),
  quantity: z.optional(z.int().check(z.minimum(1), z.maximum(1_000_000))),
  unit_price: z.optional(z.number().check(z.minimum(0), z.maximum(1e12))),
})

export const OrderRefundMetadata = metadata({
  name: z.optional(text(200)),
  reason: z.optional(text(500)),
  additional_info: z.optional(text(1000)),
  currency: z.optional(text(20)),
  refund_amount: z.optional(z.number().check(z.minimum(0))),
})

export const OrderMetadata = metadata({
  items: z.optional(z.array(OrderItem).check(z.maxLength(100))),
  refund: z.optional(OrderRefundMetadata),
  /** This Till extension is the merchant's number for the order, which the payer knows. */
  reference: z.optional(text(64)),
})
export type OrderMetadata = z.infer<typeof OrderMetadata>

export const OrderSettings = z.strictObject({
  card_payments: z.boolean(),
  hide_footer: z.boolean(),
  logo_url: z.optional(SecureUrl),
  theme_color: z.optional(z.string().check(z.regex(/^#[0-9a-fA-F]{6}$/, 'must be a colour like #0f4c5c'))),
  return_url: z.optional(SecureUrl),
  /** This Till extension is where payers of the order get help: an https page, or `mailto:` with a mail address. */
  support_url: z.optional(SupportUrl),
  embed_origins: z.optional(z.array(Origin).check(z.maxLength(20))),
})
export type OrderSettings = z.infer<typeof OrderSettings>

export const Fulfillment = z.object({
  amount: Amount,
  asset: Currency,
  custom_fee_bps: z.int(),
  fiat_unit: z.optional(FiatCurrency),
  rate_usd: z.string(),
  /** This Till extension is present with `fiat_unit`, except on older orders. Amounts were converted at rate_usd / fiat_unit_usd. */
  fiat_unit_usd: z.optional(z.string()),
  recipient: z.string(),
  swap: z.object({ slippage_bps: z.int(), trade_type: TradeType }),
})

/** This Till extension is a currency in which the order may be paid as it is, with the amount that is asked for and who receives it. */
export const OrderSettlement = z.object({ chain_id: ChainId, currency: Currency, recipient: z.string(), amount: Amount })

export const Order = z.object({
  id: z.string(),
  organization_id: z.string(),
  /** This Till extension names the payee. It is absent for orders made with the key alone, which could misuse the name. */
  organization_name: z.optional(z.string()),
  mode: OrderMode,
  /** This Till extension says who made the order. Anybody with the publishable key can make one with `key`, so ship nothing for it. */
  created_by: CreatedBy,
  status: OrderStatus,
  is_live: z.boolean(),
  hosted_url: z.string(),
  created_at: DateTime,
  updated_at: DateTime,
  /** This Till extension is the amount as it was requested. It never changes, whatever currency the order is paid in. */
  price: Price,
  fulfillment: Fulfillment,
  /** This Till extension is present when the order may settle in more than one currency. The first is the default. */
  settlements: z.optional(z.array(OrderSettlement)),
  /** This Till extension is present when the order can be paid on an EVM chain. It implies the deposit address there (verifyOrder checks it). */
  terms: z.optional(OrderTerms),
  metadata: OrderMetadata,
  payment: z.optional(Payment),
  settings: OrderSettings,
  /** This Till extension names the order that an order of mode REFUND refunds. */
  refunds_order_id: z.optional(z.string()),
  /** This Till extension marks the example that a webhook is tested with. There is no such order. */
  test: z.optional(z.literal(true)),
})
export type Order = z.infer<typeof Order>

export const OrderCreate = z
  .strictObject({
    mode: z.enum(['SALE', 'DEPOSIT']),
    amount: Decimal,
    fiat_unit: z.optional(FiatCurrency),
    currency: z.optional(CurrencyBase),
    recipient: z.optional(Address),
    metadata: z.optional(OrderMetadata),
    settings: z.optional(z.partial(OrderSettings)),
  })
  .check(
    z.refine((order) => order.mode === 'SALE' || order.currency !== undefined, {
      path: ['currency'],
      message: 'a DEPOSIT names the currency it delivers',
    }),
    z.refine((order) => order.mode === 'SALE' || order.recipient !== undefined, {
      path: ['recipient'],
      message: 'a DEPOSIT names who receives it',
    }),
  )
export type OrderCreate = z.infer<typeof OrderCreate>

/** All filters but `status` are Till extensions. The range includes its beginning and not its end, so that ranges can follow each other. */
export const OrderListQuery = z
  .extend(PageQuery, {
    status: z.optional(OrderStatus),
    created_by: z.optional(CreatedBy),
    created_after: z.optional(StorableDateTime),
    created_before: z.optional(StorableDateTime),
    reference: z.optional(text(64, 1)),
    hash: z.optional(TxHash),
    address: z.optional(Address),
  })
  .check(
    z.refine(({ created_after: after, created_before: before }) => !after || !before || Date.parse(after) < Date.parse(before), {
      path: ['created_before'],
      message: 'must be later than created_after',
    }),
  )
export type OrderListQuery = z.infer<typeof OrderListQuery>
export const OrderList = z.object({ data: z.array(Order), pagination: Pagination })

export const PaymentRequest = z
  .strictObject({
    source: z.optional(z.strictObject({ currency: CurrencyBase, payment_rail: PaymentRail, slippage_bps: z.optional(SlippageBps) })),
    refund_address: z.optional(Address),
    /** This Till extension names the network of an address that is given without a source. */
    refund_chain_id: z.optional(ChainId),
    extend: z.optional(z.boolean()),
  })
  .check(
    z.refine(({ source, refund_address: address, extend }) => source !== undefined || (address !== undefined && extend === undefined), {
      path: ['source'],
      message: 'is required, except with nothing but a refund_address',
    }),
    z.refine(({ source, refund_chain_id: chainId }) => source === undefined || chainId === undefined, {
      path: ['refund_chain_id'],
      message: 'is only for a refund_address without a source, whose network it is otherwise',
    }),
  )
export type PaymentRequest = z.infer<typeof PaymentRequest>
export const PaymentAnswer = z.object({ data: Payment })

export const RefundRequest = z.strictObject({
  amount: Decimal,
  /** This Till extension chooses the currency to refund if several were received. The default is usually that of the payment. */
  currency: z.optional(CurrencyBase),
  recipient: z.optional(Address),
  metadata: z.optional(OrderRefundMetadata),
})
export type RefundRequest = z.infer<typeof RefundRequest>

export const FindTransactionRequest = z.strictObject({ tx_hash: TxHash, chain_id: z.optional(ChainId) })
export type FindTransactionRequest = z.infer<typeof FindTransactionRequest>
export const FindTransactionAnswer = z.object({
  found: z.boolean(),
  transaction: z.optional(FundingTransaction),
  message: z.string(),
  problem: z.optional(ProblemCode),
})
export type FindTransactionAnswer = z.infer<typeof FindTransactionAnswer>

const ChainType = z.enum(['EVM', 'SOL', 'SUI', 'UTXO'])
export const WalletRef = z.strictObject({
  address: Address,
  chain_type: ChainType,
  chain_ids: z.array(ChainId).check(z.minLength(1), z.maxLength(20)),
})

export const OrderQuotesRequest = z.strictObject({
  filter: z.strictObject({
    wallet: WalletRef,
    sources: z.optional(z.array(CurrencyBase).check(z.maxLength(50))),
    min_balance_usd: z.optional(z.number().check(z.minimum(0))),
    limit: z.optional(z.int().check(z.minimum(1), z.maximum(50))),
  }),
})
/** `network_fee` is a Till extension: what the network asks of the wallet for a plain transfer. */
export const OrderQuotesAnswer = z.object({
  options: z.array(z.object({ input: QuoteInput, output: QuoteOutput, network_fee: z.optional(NetworkFee) })),
})

export const OrderPath = z.object({ order_id: Id })

/** The service itself refunds money for these reasons. A refund by the merchant has the merchant's own words as its reason, or none. */
export type RefundReason = 'overpaid' | 'price_moved'
