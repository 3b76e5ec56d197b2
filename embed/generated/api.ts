/** Written from the table of endpoints by test/reference/client.test.ts (TILL_CLIENT=write). Do not edit. */

import type { CallOptions } from '../call-api.ts'

/** An amount of a currency. */
export interface Amount {
  /** In the currency's smallest units: a whole number as a string. This is the exact amount. */
  readonly raw: string
  /** The same in whole units: an exact decimal string. */
  readonly ui: string
  /** Its approximate value in US dollars. For display only. */
  readonly value_usd: number
}

export interface ApiKey {
  readonly id: string
  readonly label: string
  readonly active: boolean
  readonly is_live: boolean
  readonly api_key_last_four: string
  readonly created_at: string
  readonly updated_at: string
  readonly last_used_at?: string
}

export interface BankOnrampDeposit {
  readonly id: string
  readonly account_id: string
  readonly status: BankOnrampDepositStatus
  readonly source_currency: FiatCurrency
  readonly destination: OnrampDestination
  readonly settlement?: OnrampSettlement | null
  readonly created_at: string
  readonly updated_at: string
}

export type BankOnrampDepositStatus = 'PROCESSING' | 'COMPLETED' | 'FAILED'

/** Parts of an amount, all in the same currency; they add up to `total`. */
export interface Breakdown {
  readonly base: Amount
  readonly fees: {
    readonly custom_fee: Amount
    readonly protocol_fee: Amount
    readonly relayer_fee: Amount
    readonly total_fee: Amount
  }
  readonly gas: Amount
  readonly total: Amount
}

/** 1 Ethereum, 10 Optimism, 56 BNB Smart Chain, 137 Polygon, 4663 Robinhood Chain, 8453 Base, 42161 Arbitrum One, 20000000000001 Bitcoin, 30000000000001 Solana, 30000000000002 Sui. Which of them a service takes is its configuration; the others are 422 "not available here". */
export type ChainID = 1 | 10 | 56 | 137 | 4663 | 8453 | 42161 | 20000000000001 | 30000000000001 | 30000000000002 | (number & {})

/** A currency on a chain: key on `chain_id` and `address`. */
export interface Currency {
  /** The address of its contract. The native coin is 0x0000000000000000000000000000000000000000. EVM addresses compare in lower case. */
  readonly address: string
  readonly chain_id: ChainID
  /** How many decimals `raw` has. */
  readonly decimals: number
  /** Opaque. */
  readonly id: string
  readonly name: string
  /** The price of one unit, in US dollars. For display only. */
  readonly price_usd: number
  /** The price of one unit of the order's fiat currency in US dollars at the same time: a decimal string. Only where an order with a `fiat_unit` names its prices. */
  readonly fiat_unit_usd?: string
  readonly symbol: string
}

/** Names a currency on a chain. */
export interface CurrencyBase {
  /** The address of its contract; null, absent or the zero address for the native coin. */
  readonly address?: string | null
  readonly chain_id: ChainID
}

/** One event for one webhook. It is kept until 30 days after it ended. */
export interface Delivery {
  /** What Till-Webhook-Id contains, at every attempt. */
  readonly id: string
  readonly event: OrderEvent | (string & {})
  readonly order_id: string
  /** waiting: not accepted yet, or to be sent again. delivered: accepted. failed: given up after three days. */
  readonly state: DeliveryState
  /** When the order changed: `delivered_at` in the body. */
  readonly created_at: string
  /** When it is sent next. */
  readonly next_attempt_at?: string
  /** The newest 20, oldest first. */
  readonly attempts: readonly DeliveryAttempt[]
  /** The exact text that is sent, over which the signature is computed. */
  readonly body: string
}

export interface DeliveryAttempt {
  readonly at: string
  /** What the receiver answered; absent if it did not. */
  readonly status?: number
  /** How long it took, in milliseconds. */
  readonly ms: number
  /** Why it does not count as received; absent if it does. */
  readonly error?: string
}

export type DeliveryState = 'waiting' | 'delivered' | 'failed'

export interface EmailChallenge {
  readonly challenge_id: string
  readonly code: string
  readonly expires_in_seconds: number
}

/** The body of a webhook delivery, and `data` of an event on the socket. */
export interface EventEnvelope {
  readonly event: OrderEvent | (string & {})
  readonly delivered_at: string
  /** The whole order. */
  readonly order: Order
}

export interface EventList {
  readonly data: readonly ListedEvent[]
  /** The next page is `after` the last event of this one. */
  readonly has_more: boolean
}

/** What the collector of the organisation's own fee still owes it, in whole cents. Fees that were paid out on chain to a recipient of the organisation are not counted. */
export interface FeeBalance {
  readonly fee_balance: {
    readonly amount_cents: number
    readonly fiat: string
  }
}

export type FiatCurrency = 'usd' | 'eur' | 'mxn' | 'brl' | 'gbp' | 'cop' | (string & {})

/** What the recipient gets. */
export interface Fulfillment {
  /** What the recipient gets, in `asset`. */
  readonly amount: Amount
  /** The currency that it is settled in. */
  readonly asset: Currency
  /** The organisation's own fee. In hundredths of a percent. */
  readonly custom_fee_bps: number
  /** The fiat currency that the order was priced in; absent where it was priced in a currency on a chain. */
  readonly fiat_unit?: FiatCurrency
  /** The price of one unit of `asset` in US dollars when this was priced: a decimal string. */
  readonly rate_usd: string
  /** The price of one `fiat_unit` in US dollars when this was priced: a decimal string. One unit of `asset` counted as `rate_usd` ÷ `fiat_unit_usd` of the fiat currency. Absent without `fiat_unit`, and on older orders. */
  readonly fiat_unit_usd?: string
  readonly recipient: string
  readonly swap: {
    readonly slippage_bps: number
    readonly trade_type: TradeType
  }
}

/** Confirmed money only. */
export interface Funding {
  /** What the payer has to send. */
  readonly required_amount: Amount
  /** What has been received and is confirmed. */
  readonly received_amount: Amount
  /** What is still due; never negative. */
  readonly remaining_amount: Amount
  /** Every transfer that reached the address, whatever happened to it. */
  readonly transactions: readonly FundingTransaction[]
  readonly transactions_total?: number
}

export interface FundingTransaction {
  readonly amount: Amount
  readonly tx_hash: string
  readonly chain_id: ChainID
  readonly currency: Currency
  readonly state: 'seen' | 'confirmed' | 'applied' | 'refunded' | 'held'
  /** Its confirmations, up to the number required. */
  readonly confirmations: number
  /** How many it needs before it counts. */
  readonly required_confirmations: number
  /** Why it is held. */
  readonly reason?: string
  readonly explorer_url?: string
  readonly seen_at: string
}

export interface GuardMove {
  readonly digest: string
  readonly order_id: string
  readonly chain_id: ChainID
  readonly guard: string
  readonly state: 'waiting' | 'signed'
  readonly asked_at: string
  readonly deadline: string
  readonly typed_data: {
    readonly domain: {
      readonly [name: string]: string
    }
    readonly types: {
      readonly [name: string]: readonly {
        readonly name: string
        readonly type: string
      }[]
    }
    readonly primaryType: string
    readonly message: {
      readonly [name: string]: string | readonly {
        readonly [name: string]: string
      }[]
    }
  }
}

/** An invoice, and the orders that it was or can be paid with. */
export interface Invoice {
  readonly id: string
  readonly organization_id: string
  /** The newest of `orders`; absent for a draft. */
  readonly order_id?: string
  readonly orders: readonly Order[]
  /** Where the customer sees and pays it, once it is published. */
  readonly payment_url: string
  readonly data: InvoiceData
  /** Follows from the invoice, its orders and the date. */
  readonly status: InvoiceStatus
  readonly fiat_unit?: FiatCurrency
  /** The sum with tax, in `fiat_unit`: a decimal string. */
  readonly total?: string
  /** The language of the customer's mails. */
  readonly locale?: 'en' | 'de' | 'es' | 'fr' | 'it' | 'pt-BR' | 'nl' | 'pl' | 'tr' | 'ja' | 'ko' | 'zh-CN' | 'ar' | 'he' | 'hi' | 'uk'
  readonly created_at: string
  readonly updated_at: string
  readonly published_at?: string
  readonly archived_at?: string
}

/** What the paper says. An `address` has up to 6 lines. If `from` has neither `address` nor `tax_number`, those of your organisation are added. */
export interface InvoiceData {
  readonly from: {
    readonly email: string
    readonly name: string
    readonly address?: string
    readonly tax_number?: string
  }
  readonly recipient: {
    readonly email: string
    readonly name: string
    readonly address?: string
    readonly tax_number?: string
  }
  readonly invoice: {
    readonly no: string
    readonly date: string
    readonly due_date: string
  }
  readonly items: readonly {
    readonly name: string
    readonly quantity: string
    readonly tax?: string
    readonly unitPrice: string
  }[]
}

/** draft: not published. open: published, and nothing has been paid. overdue: the same, after its due date has ended everywhere. processing: money has come and is being confirmed or settled, or its order has FAILED and waits for you. partly_paid: less than the total has come. paid: an order of it is COMPLETED. refunded: all of the money has gone back. closed: archived before anything was paid. Later releases may add more. */
export type InvoiceStatus = 'draft' | 'open' | 'overdue' | 'processing' | 'partly_paid' | 'paid' | 'refunded' | 'closed'

export interface ListedEvent {
  readonly event: OrderEvent | (string & {})
  readonly delivered_at: string
  /** The order as it was then. */
  readonly order: Order
  /** Opaque. The next page is `after` it. */
  readonly id: string
}

export interface OffRampVerification {
  readonly id: string
  readonly type: 'individual' | 'business'
  readonly email: string
  readonly full_name?: string
  readonly customer_id?: string
  readonly kyc_link: string
  readonly kyc_status: 'not_started' | 'incomplete' | 'awaiting_questionnaire' | 'awaiting_ubo' | 'under_review' | 'approved' | 'rejected' | 'paused' | 'offboarded'
  readonly tos_link: string
  readonly tos_status: 'pending' | 'approved'
  readonly rejection_reasons: readonly {
    readonly developer_reason: string
    readonly reason: string
    readonly created_at: string
  }[]
  readonly created_at: string
}

export interface OnrampDestination {
  readonly currency: CurrencyBase
  readonly wallet_address: string
}

export interface OnrampSettlement {
  readonly source: {
    readonly currency: string
    readonly amount: string
  }
  readonly destination: {
    readonly currency: CurrencyBase
    readonly amount: string
    readonly wallet_address: string
    readonly transaction_hash?: string
  }
  readonly fees: {
    readonly exchange: string
    readonly gas: string
    readonly developer: string
  }
}

/** An amount that somebody owes, and its state. Every message contains the whole order. */
export interface Order {
  /** Opaque, unguessable and safe in a URL. */
  readonly id: string
  readonly organization_id: string
  /** Who the payer pays. */
  readonly organization_name?: string
  readonly mode: OrderMode
  readonly created_by: 'signature' | 'key' | 'service'
  readonly status: OrderStatus | (string & {})
  /** False for orders of test keys. */
  readonly is_live: boolean
  /** Where the payer pays. */
  readonly hosted_url: string
  readonly created_at: string
  /** Increases with each change: of two snapshots the one with the later time is current. */
  readonly updated_at: string
  readonly price: {
    readonly amount: string
    readonly unit: string
  }
  readonly fulfillment: Fulfillment
  readonly settlements?: readonly {
    readonly chain_id: ChainID
    readonly currency: Currency
    readonly recipient: string
    readonly amount: Amount
  }[]
  readonly terms?: {
    readonly version: 1
    readonly order_id: string
    readonly factory: string
    readonly settlements: readonly {
      readonly chain_id: ChainID
      readonly token: string | null
      readonly recipient: string
      readonly fee_collector: string
      readonly max_fee_bps: number
      readonly max_fee_flat: string
      readonly first_of_chain: boolean
    }[]
    readonly default_recipient: string
    readonly guard: string
    readonly release_at: number
  }
  readonly metadata: OrderMetadata
  /** Absent until somebody asks how to pay. */
  readonly payment?: Payment
  readonly settings: OrderSettings
  /** On an order of mode REFUND: the order that it refunds. */
  readonly refunds_order_id?: string
  /** Only in the example that a webhook is tested with: there is no such order. */
  readonly test?: true
}

/** Later releases may add more: ignore an event that you do not know. */
export type OrderEvent = 'ORDER_CREATED' | 'ORDER_AWAITING_PAYMENT' | 'ORDER_CONFIRMING' | 'ORDER_PARTIAL_PAYMENT' | 'ORDER_EXECUTING' | 'ORDER_COMPLETED' | 'ORDER_EXPIRED' | 'ORDER_ERROR' | 'ORDER_REFUNDED'

/** What the merchant stores with an order. Besides these members it holds up to 20 of your own: strings of at most 500 characters, stored and returned as they are. */
export interface OrderMetadata {
  readonly items?: readonly {
    readonly name: string
    readonly description?: string
    readonly image?: string
    readonly currency?: string
    readonly quantity?: number
    readonly unit_price?: number
  }[]
  readonly refund?: {
    readonly name?: string
    readonly reason?: string
    readonly additional_info?: string
    readonly currency?: string
    readonly refund_amount?: number
    readonly [name: string]: string | number | undefined
  }
  /** The merchant's reference for this order, as the payer knows it. */
  readonly reference?: string
  readonly [name: string]: string | object | undefined
}

/** SALE and DEPOSIT are created by callers, the others by the service. */
export type OrderMode = 'SALE' | 'DEPOSIT' | 'REFUND' | 'SWAP' | 'FEE_CLAIM'

export interface OrderSettings {
  readonly card_payments: boolean
  readonly hide_footer: boolean
  readonly logo_url?: string
  readonly theme_color?: string
  /** Where the page links back to. https, or http on localhost. */
  readonly return_url?: string
  /** Where payers get help when something went wrong: an https page, or `mailto:` with one address. A mail has the reference in its subject. Only on signed orders; the contact of an invoice is its sender. */
  readonly support_url?: string
  /** Sites that may show the checkout in a frame. Absent: those of the organisation. Empty: none. */
  readonly embed_origins?: readonly string[]
}

/** Deliver goods on COMPLETED and on nothing else. Later releases may add more: treat a status that you do not know as "not yet". */
export type OrderStatus = 'PENDING' | 'AWAITING_PAYMENT' | 'AWAITING_CONFIRMATION' | 'OPTIMISTIC_CONFIRMED' | 'PARTIAL_PAYMENT' | 'EXECUTING_ORDER' | 'COMPLETED' | 'EXPIRED' | 'FAILED' | 'REFUNDED'

export interface Pagination {
  /** How many there are in total. */
  readonly total_count: number
  readonly limit: number
  readonly offset: number
}

/** How it is to be paid, and what has been received. */
export interface Payment {
  readonly payment_rail: 'CRYPTO' | 'FIAT'
  readonly recipient: string
  /** The payer's transaction. */
  readonly source_tx_hash?: string
  /** The transaction that paid the recipient. */
  readonly destination_tx_hash?: string
  /** The transaction that paid the fees. */
  readonly fee_tx_hash?: string
  /** From sending the payment until COMPLETED, estimated by the pace of the chain. */
  readonly estimated_duration_seconds: number
  /** The price is valid until then. */
  readonly expires_at?: string
  readonly funding?: Funding
  /** What the payer sends, with every part of it. */
  readonly input?: QuoteInput
  /** What the recipient gets. */
  readonly output?: QuoteOutput
  /** The newest refund, or where one would go. */
  readonly refund?: {
    readonly address?: string
    readonly reason?: string
    readonly tx_hash?: string
    readonly proposed?: readonly {
      readonly address: string
      readonly chain_id: number
      readonly proposed_at: string
    }[]
  }
  /** What the payer has to do. A `kind` that you do not know is a new method: show the hosted page instead. */
  readonly steps: readonly PaymentStep[]
  /** What was paid beyond the amount due, in the currency that was paid. */
  readonly surplus?: Amount
  readonly refunds?: readonly {
    readonly amount: Amount
    readonly chain_id?: ChainID
    readonly currency?: Currency
    readonly address: string
    readonly tx_hash?: string
    readonly state: 'pending' | 'confirmed' | 'failed'
  }[]
  readonly held?: readonly {
    readonly chain_id: ChainID
    readonly currency: Currency
    readonly amount: Amount
    readonly reason: string
  }[]
  /** Money that could not be settled is kept until then for the merchant to decide. */
  readonly held_until?: string
  readonly replaced?: readonly {
    readonly chain_id: ChainID
    readonly currency: Currency
    readonly amount: Amount
    readonly tx_hash: string
    readonly replaced_by: string
  }[]
  readonly waiting_for?: 'guard'
}

/** `available` decides; `reason` explains, and may be there on an available method. */
export interface PaymentMethod {
  readonly available: boolean
  readonly method: 'WALLET' | 'DEPOSIT_ADDRESS' | 'CARD'
  readonly minimum_amount?: {
    readonly amount: number
    readonly unit: string
  }
  readonly reason?: string
  /** `reason` as a code. */
  readonly problem?: 'partly_paid' | 'price_over' | 'on_its_way' | 'needs_transfer' | 'card_off' | 'card_away' | 'card_small' | 'card_place' | 'card_unplaced' | 'source_fixed' | 'not_payable' | 'too_early' | 'too_often' | 'refund_address_fixed' | 'currency_unavailable' | 'no_route' | 'address_lost' | 'address_ours' | 'address_mistyped' | 'transaction_unknown' | 'link' | 'identity' | 'payment_method' | 'session' | 'checkout'
  /** The network's approximate fee for the sender, in the order's fiat currency. For display only. */
  readonly network_fee?: {
    readonly amount: number
    readonly unit: string
    readonly chain_id: number
  }
  /** About what a card is charged, all costs included, if the service knows what its card provider takes. For display only. */
  readonly estimated_total?: {
    readonly amount: number
    readonly unit: string
  }
  /** About what the cheapest of the order's settlement currencies costs, with the network's fee. For display only. */
  readonly least_total?: {
    readonly amount: number
    readonly unit: string
  }
}

export interface PaymentMethodList {
  readonly methods: readonly PaymentMethod[]
}

/** What the payer has to do, by its `kind`. `data.amount` of a deposit is in smallest units. */
export type PaymentStep = {
  readonly rail: 'CRYPTO'
  readonly kind: 'deposit'
  readonly action: 'send'
  readonly data: {
    readonly deposit_address: string
    readonly currency: Currency
    readonly amount: string
  }
} | {
  readonly rail: 'CRYPTO'
  readonly kind: 'transaction'
  readonly action: 'send'
  readonly data: {
    readonly evm: {
      readonly from: string
      readonly to: string
      readonly data: string
      readonly value: string
      readonly chainId: ChainID
    }
  }
} | {
  readonly rail: 'FIAT'
  readonly kind: 'stripe_onramp'
  readonly action: 'open'
  readonly data: {
    readonly session_id: string
    readonly hosted_url: string
    readonly status: string
    readonly destination_amount: string
    readonly quote: {
      readonly source_total_amount: string
      readonly source_currency: FiatCurrency
    }
    readonly message?: string
    readonly problem?: 'partly_paid' | 'price_over' | 'on_its_way' | 'needs_transfer' | 'card_off' | 'card_away' | 'card_small' | 'card_place' | 'card_unplaced' | 'source_fixed' | 'not_payable' | 'too_early' | 'too_often' | 'refund_address_fixed' | 'currency_unavailable' | 'no_route' | 'address_lost' | 'address_ours' | 'address_mistyped' | 'transaction_unknown' | 'link' | 'identity' | 'payment_method' | 'session' | 'checkout'
  }
}

export interface Quote {
  readonly trade_type: TradeType
  readonly input: QuoteInput
  readonly output: QuoteOutput
}

export interface QuoteInput {
  readonly amount: Amount
  readonly balance?: Amount
  readonly breakdown: Breakdown
  readonly currency: Currency
}

export interface QuoteOutput {
  readonly amount: Amount
  /** The least that is received, after slippage. */
  readonly amount_out_minimum: Amount
  readonly currency: Currency
}

/** NO_ROUTE has no `quote`. HIGH_IMPACT has one, and `issues` says how much the amount itself moves the price. */
export interface SwapQuoteResponse {
  readonly result_type: 'OK' | 'NO_ROUTE' | 'HIGH_IMPACT'
  readonly issues?: {
    readonly price_impact_warning?: {
      readonly impact: number
      readonly threshold: number
    }
  }
  readonly quote?: Quote
}

/** An example that was sent once. It is no delivery: it is neither kept nor retried. */
export interface TestDelivery {
  readonly id: string
  readonly delivered: boolean
  readonly attempt: DeliveryAttempt
  readonly body: string
}

export type TradeType = 'EXACT_INPUT' | 'EXACT_OUTPUT'

export interface Webhook {
  readonly id: string
  readonly url: string
  /** The events that it is sent. */
  readonly events: readonly (OrderEvent | (string & {}))[]
  readonly active: boolean
  readonly include_unsigned: boolean
  /** It has accepted nothing for three days, and you were mailed. The next delivery that it accepts ends this. */
  readonly failing: boolean
}

export interface NewOrder {
  /** SALE: the recipient gets exactly `amount`; it must be signed. DEPOSIT: the payer sends exactly `amount`; it names `currency` and `recipient`, and the key is enough. */
  readonly mode: 'SALE' | 'DEPOSIT'
  /** A decimal string: in `fiat_unit` if given, else in units of `currency`, else in units of what the organisation settles in. It must have no more decimals than that currency. */
  readonly amount: string
  readonly fiat_unit?: FiatCurrency
  /** The currency that the recipient gets. Default: the one that the organisation settles in. */
  readonly currency?: {
    readonly address?: string | null
    readonly chain_id: ChainID
  }
  /** The address that gets it. Default: the organisation's. An EVM address in mixed case must have the right checksum; an address in lower case is accepted as it is. */
  readonly recipient?: string
  readonly metadata?: {
    readonly items?: readonly {
      readonly name: string
      readonly description?: string
      readonly image?: string
      readonly currency?: string
      readonly quantity?: number
      readonly unit_price?: number
    }[]
    readonly refund?: {
      readonly name?: string
      readonly reason?: string
      readonly additional_info?: string
      readonly currency?: string
      readonly refund_amount?: number
      readonly [name: string]: string | number | undefined
    }
    readonly reference?: string
    readonly [name: string]: string | object | undefined
  }
  readonly settings?: {
    readonly card_payments?: boolean
    readonly hide_footer?: boolean
    readonly logo_url?: string
    readonly theme_color?: string
    readonly return_url?: string
    readonly support_url?: string
    readonly embed_origins?: readonly string[]
  }
}

export interface ListOrdersQuery {
  readonly limit?: number
  readonly offset?: number
  readonly status?: OrderStatus
  readonly created_by?: 'signature' | 'key' | 'service'
  readonly created_after?: string
  readonly created_before?: string
  readonly reference?: string
  readonly hash?: string
  readonly address?: string
}

export interface ListOrdersAnswer {
  readonly data: readonly Order[]
  readonly pagination: Pagination
}

export interface RequestPaymentBody {
  /** What the payer wants to pay with. Only a call with nothing but a `refund_address` needs none. */
  readonly source?: {
    readonly currency: {
      readonly address?: string | null
      readonly chain_id: ChainID
    }
    readonly payment_rail: 'CRYPTO' | 'FIAT'
    readonly slippage_bps?: number
  }
  /** Where refunds are sent. Until the first transfer is seen the key may set it, after that only a signed call. Alone and by key it is accepted in every status while there is none: it is then proposed to the merchant, and nothing is sent there until a signed call has set it. An EVM address in mixed case must have the right checksum; an address in lower case is accepted as it is. */
  readonly refund_address?: string
  /** The network of a `refund_address` that is given alone, one on which money of this order has come or is asked for. Default: that of the payment. */
  readonly refund_chain_id?: ChainID
  /** Extends the time to pay by 30 minutes: in its last 5 minutes, three times at most. */
  readonly extend?: boolean
}

export interface RequestPaymentAnswer {
  readonly data: Payment
}

export interface FindTransactionBody {
  readonly tx_hash: string
  readonly chain_id?: ChainID
}

export interface FindTransactionAnswer {
  readonly found: boolean
  readonly transaction?: FundingTransaction
  readonly message: string
  readonly problem?: 'partly_paid' | 'price_over' | 'on_its_way' | 'needs_transfer' | 'card_off' | 'card_away' | 'card_small' | 'card_place' | 'card_unplaced' | 'source_fixed' | 'not_payable' | 'too_early' | 'too_often' | 'refund_address_fixed' | 'currency_unavailable' | 'no_route' | 'address_lost' | 'address_ours' | 'address_mistyped' | 'transaction_unknown' | 'link' | 'identity' | 'payment_method' | 'session' | 'checkout'
}

export interface OrderQuotesBody {
  readonly filter: {
    readonly wallet: {
      readonly address: string
      readonly chain_type: 'EVM' | 'SOL' | 'SUI' | 'UTXO'
      readonly chain_ids: readonly ChainID[]
    }
    readonly sources?: readonly {
      readonly address?: string | null
      readonly chain_id: ChainID
    }[]
    readonly min_balance_usd?: number
    readonly limit?: number
  }
}

export interface OrderQuotesAnswer {
  readonly options: readonly {
    readonly input: QuoteInput
    readonly output: QuoteOutput
    readonly network_fee?: {
      readonly amount: number
      readonly unit: string
      readonly chain_id: number
    }
  }[]
}

export interface NewRefund {
  /** In units of `currency`. */
  readonly amount: string
  /** Which of several received currencies to refund. Default: the one that the order was paid in. */
  readonly currency?: {
    readonly address?: string | null
    readonly chain_id: ChainID
  }
  /** Default: the refund address of the order. An EVM address in mixed case must have the right checksum; an address in lower case is accepted as it is. */
  readonly recipient?: string
  readonly metadata?: {
    readonly name?: string
    readonly reason?: string
    readonly additional_info?: string
    readonly currency?: string
    readonly refund_amount?: number
    readonly [name: string]: string | number | undefined
  }
}

export interface CompleteX402Body {
  readonly preferred_chain_type?: string
  readonly preferred_chain_id?: ChainID
  readonly preferred_token_address?: string
}

export interface CompleteX402Answer {
  readonly order: Order
}

export interface WalletTransactionBody {
  readonly chain_id: ChainID
  readonly token_address: string | null
  readonly payer: string
  readonly amount?: string
  readonly signs_only?: boolean
}

export interface WalletTransactionAnswer {
  readonly transaction: string
  readonly offer: {
    readonly scheme: string
    readonly network: string
    readonly amount: string
    readonly asset: string
    readonly payTo: string
    readonly maxTimeoutSeconds: number
    readonly extra?: {
      readonly name?: string
      readonly version?: string
      readonly feePayer?: string
    }
  } | null
}

export interface WalletCostBody {
  readonly chain_id: ChainID
  readonly token_address: string | null
  readonly payer: string
  readonly amount?: string
  readonly signs_only?: boolean
}

export interface WalletCostAnswer {
  readonly network_fee: {
    readonly raw: string
    readonly fiat?: {
      readonly amount: number
      readonly unit: string
      readonly chain_id: number
    }
  } | null
  readonly account: {
    readonly raw: string
    readonly fiat?: {
      readonly amount: number
      readonly unit: string
      readonly chain_id: number
    }
  } | null
}

export type CreateInvoiceBody = {
  readonly id: string
} | {
  readonly from: {
    readonly email: string
    readonly name: string
    readonly address?: string
    readonly tax_number?: string
  }
  readonly recipient: {
    readonly email: string
    readonly name: string
    readonly address?: string
    readonly tax_number?: string
  }
  readonly invoice: {
    readonly no: string
    readonly date: string
    readonly due_date: string
  }
  readonly items: readonly {
    readonly name: string
    readonly quantity: string
    readonly tax?: string
    readonly unitPrice: string
  }[]
  readonly fiat_unit?: FiatCurrency
  readonly locale?: 'en' | 'de' | 'es' | 'fr' | 'it' | 'pt-BR' | 'nl' | 'pl' | 'tr' | 'ja' | 'ko' | 'zh-CN' | 'ar' | 'he' | 'hi' | 'uk'
}

export interface CreateInvoiceDraftBody {
  readonly from: {
    readonly email: string
    readonly name: string
    readonly address?: string
    readonly tax_number?: string
  }
  readonly recipient: {
    readonly email: string
    readonly name: string
    readonly address?: string
    readonly tax_number?: string
  }
  readonly invoice: {
    readonly no: string
    readonly date: string
    readonly due_date: string
  }
  readonly items: readonly {
    readonly name: string
    readonly quantity: string
    readonly tax?: string
    readonly unitPrice: string
  }[]
  readonly fiat_unit?: FiatCurrency
  readonly locale?: 'en' | 'de' | 'es' | 'fr' | 'it' | 'pt-BR' | 'nl' | 'pl' | 'tr' | 'ja' | 'ko' | 'zh-CN' | 'ar' | 'he' | 'hi' | 'uk'
}

export interface ListInvoicesQuery {
  readonly limit?: number
  readonly offset?: number
  readonly search?: string
}

export interface ListInvoicesAnswer {
  readonly data: readonly Invoice[]
  readonly pagination: Pagination
}

export interface SwapQuoteBody {
  readonly source: {
    readonly address?: string | null
    readonly chain_id: ChainID
  }
  readonly destination: {
    readonly address?: string | null
    readonly chain_id: ChainID
  }
  /** In units of the side that `trade_type` fixes. */
  readonly amount: string
  readonly trade_type: TradeType
  readonly sender?: string
  /** An EVM address in mixed case must have the right checksum; an address in lower case is accepted as it is. */
  readonly recipient?: string
  /** In hundredths of a percent. */
  readonly slippage_bps?: number
}

export interface SearchCurrenciesQuery {
  readonly order_id?: string
  readonly q?: string
  readonly chain_ids?: string
  readonly limit?: number
}

export interface SearchCurrenciesAnswer {
  readonly currencies: readonly {
    readonly address: string
    readonly chain_id: ChainID
    readonly decimals: number
    readonly id: string
    readonly name: string
    readonly price_usd: number
    readonly fiat_unit_usd?: string
    readonly symbol: string
    readonly payable?: boolean
    readonly amount?: Amount
    readonly network_fee?: {
      readonly amount: number
      readonly unit: string
      readonly chain_id: number
    }
    readonly estimated_duration_seconds?: number
  }[]
}

export interface PortfolioBody {
  readonly wallets: readonly {
    readonly address: string
    readonly chain_type: 'EVM' | 'SOL' | 'SUI' | 'UTXO'
    readonly chain_ids: readonly ChainID[]
  }[]
  readonly filter?: {
    readonly min_balance_usd?: number
    readonly limit?: number
  }
}

export interface PortfolioAnswer {
  readonly portfolio: readonly {
    readonly address: string
    readonly balances: readonly {
      readonly currency: Currency
      readonly amount: Amount
    }[]
  }[]
  readonly errors: readonly {
    readonly address: string
    readonly message: string
  }[]
}

export interface BankDepositsQuery {
  readonly limit?: number
  readonly offset?: number
}

export interface BankDepositsAnswer {
  readonly data: readonly BankOnrampDeposit[]
  readonly pagination: Pagination
}

export interface CreateVerificationBody {
  readonly email: string
  readonly type: 'individual' | 'business'
  readonly full_name?: string
  readonly endorsements?: readonly ('base' | 'cards' | 'cop' | 'faster_payments' | 'pix' | 'sepa' | 'spei')[]
  readonly redirect_uri?: string
}

export interface CreateEmailChallengeBody {
  readonly email: string
}

export interface CheckEmailChallengeBody {
  readonly challenge_id: string
  readonly code: string
}

export interface CheckEmailChallengeAnswer {
  readonly verified: boolean
  readonly attempts_left: number
}

export interface CreateWebhookBody {
  readonly url: string
  readonly events: readonly OrderEvent[]
  readonly include_unsigned?: boolean
}

export interface CreateWebhookAnswer {
  readonly id: string
  readonly url: string
  readonly events: readonly (OrderEvent | (string & {}))[]
  readonly active: boolean
  readonly include_unsigned: boolean
  readonly failing: boolean
  readonly secret: string
}

export interface ListWebhooksAnswer {
  readonly data: readonly Webhook[]
}

export interface ChangeWebhookBody {
  readonly url?: string
  readonly events?: readonly OrderEvent[]
  readonly active?: boolean
  readonly include_unsigned?: boolean
}

export interface RotateWebhookAnswer {
  readonly id: string
  readonly url: string
  readonly events: readonly (OrderEvent | (string & {}))[]
  readonly active: boolean
  readonly include_unsigned: boolean
  readonly failing: boolean
  readonly secret: string
}

export interface ListDeliveriesQuery {
  readonly limit?: number
  readonly offset?: number
  readonly state?: DeliveryState
  readonly order_id?: string
}

export interface ListDeliveriesAnswer {
  readonly data: readonly Delivery[]
  readonly pagination: Pagination
}

export interface ListEventsQuery {
  readonly order_id?: string
  readonly event?: OrderEvent
  readonly after?: string
  readonly include_unsigned?: boolean
  readonly limit?: number
}

export interface GetSettlementsAnswer {
  readonly settlements: readonly {
    readonly chain_id: ChainID
    readonly address: string | null
    readonly recipient: string
    readonly fee_collector: string
  }[]
  readonly pending?: {
    readonly settlements: readonly {
      readonly chain_id: ChainID
      readonly address: string | null
      readonly recipient: string
      readonly fee_collector: string
    }[]
    readonly asked_at: string
    readonly in_force_at: string
  }
}

export interface PutSettlementsBody {
  readonly settlements: readonly {
    readonly chain_id: ChainID
    readonly address: string | null
    readonly recipient: string
    readonly fee_collector?: string
  }[]
  readonly confirmed?: boolean
}

export interface PutSettlementsAnswer {
  readonly settlements: readonly {
    readonly chain_id: ChainID
    readonly address: string | null
    readonly recipient: string
    readonly fee_collector: string
  }[]
  readonly pending?: {
    readonly settlements: readonly {
      readonly chain_id: ChainID
      readonly address: string | null
      readonly recipient: string
      readonly fee_collector: string
    }[]
    readonly asked_at: string
    readonly in_force_at: string
  }
}

export interface ListGuardMovesQuery {
  readonly limit?: number
  readonly offset?: number
}

export interface ListGuardMovesAnswer {
  readonly data: readonly GuardMove[]
  readonly pagination: Pagination
}

export interface SignGuardMoveBody {
  readonly signature: string
}

export interface ListApiKeysAnswer {
  readonly data: readonly ApiKey[]
}

export interface ChangeApiKeyBody {
  readonly label: string
}

export interface Api {
  /** Create an order (SALE is signed, DEPOSIT takes the key). A SALE must be signed; for a DEPOSIT the key is enough. Send an Idempotency-Key of your own (the cart), and a request that you had to repeat creates one order. Members that this API does not know are refused by name, except in `metadata`. */
  createOrder(body: NewOrder, options?: CallOptions): Promise<Order>
  /** List orders, newest first. The filters add up. `created_after` is included in the range and `created_before` is not. `hash` is that of a transaction that paid the order, and `address` its deposit address on any chain. */
  listOrders(query?: ListOrdersQuery, options?: CallOptions): Promise<ListOrdersAnswer>
  /** One order. Take the status from here or from a webhook, never from what a browser says. */
  getOrder(orderId: string, options?: CallOptions): Promise<Order>
  /** Choose what to pay with and get instructions. The same source gives the same instructions again. Once the price has expired with nothing received, a new one is made. The response is the `payment` of the order. */
  requestPayment(orderId: string, body: RequestPaymentBody, options?: CallOptions): Promise<RequestPaymentAnswer>
  /** Look a transaction up on its chain. Looks the transaction up on its chain, once, and trusts nothing else. At most 6 calls a minute for an order. */
  findTransaction(orderId: string, body: FindTransactionBody, options?: CallOptions): Promise<FindTransactionAnswer>
  /** What a wallet could pay this order with. */
  orderQuotes(orderId: string, body: OrderQuotesBody, options?: CallOptions): Promise<OrderQuotesAnswer>
  /** Payment methods available for an order. The path for generated clients; the one under /v2 gives the same response. */
  paymentMethods(orderId: string, options?: CallOptions): Promise<PaymentMethodList>
  /** Refund an order in whole or in part. Money still at the deposit address is sent from there. After settlement the refund is an order with an address of its own, which the merchant pays. */
  refundOrder(orderId: string, body: NewRefund, options?: CallOptions): Promise<Order>
  /** Complete an order payment through x402. Without PAYMENT-SIGNATURE: 402, and PAYMENT-REQUIRED says what can be signed. With it: 200 when it is paid, 202 while the transaction is not mined yet (the same header again asks for its state), 402 with a new PAYMENT-REQUIRED when it was refused. */
  completeX402(orderId: string, body?: CompleteX402Body, options?: CallOptions): Promise<CompleteX402Answer>
  /** Build the transaction with which a wallet of Solana pays. For an order whose instructions are in this currency. The same payer gets the same transaction for as long as a block can include it, and anybody else 409: two of them could both pay. Of an order that is partly paid, it pays the rest. */
  walletTransaction(orderId: string, body: WalletTransactionBody, options?: CallOptions): Promise<WalletTransactionAnswer>
  /** Say what the network takes from a payer on Solana. Builds nothing and holds nothing. Where the service pays the network fee, both members are null. */
  walletCost(orderId: string, body: WalletCostBody, options?: CallOptions): Promise<WalletCostAnswer>
  /** Create and publish an invoice, or publish a draft. Either the whole invoice, or `{id}` of a draft, which is published then. */
  createInvoice(body: CreateInvoiceBody, options?: CallOptions): Promise<Invoice>
  /** Create a draft invoice. */
  createInvoiceDraft(body: CreateInvoiceDraftBody, options?: CallOptions): Promise<Invoice>
  /** List invoices. */
  listInvoices(query?: ListInvoicesQuery, options?: CallOptions): Promise<ListInvoicesAnswer>
  /** One invoice. */
  getInvoice(invoiceId: string, options?: CallOptions): Promise<Invoice>
  /** Archive an invoice. */
  archiveInvoice(invoiceId: string, options?: CallOptions): Promise<Invoice>
  /** Delete a draft. */
  deleteInvoice(invoiceId: string, options?: CallOptions): Promise<undefined>
  /** Single-pair swap quote. NO_ROUTE and HIGH_IMPACT are results, not errors. */
  swapQuote(body: SwapQuoteBody, options?: CallOptions): Promise<SwapQuoteResponse>
  /** Token search. */
  searchCurrencies(query?: SearchCurrenciesQuery, options?: CallOptions): Promise<SearchCurrenciesAnswer>
  /** Balances of up to ten wallets. */
  portfolio(body: PortfolioBody, options?: CallOptions): Promise<PortfolioAnswer>
  /** Deposit history of a reusable bank account. */
  bankDeposits(accountId: string, query?: BankDepositsQuery, options?: CallOptions): Promise<BankDepositsAnswer>
  /** Create a KYC link. */
  createVerification(body: CreateVerificationBody, options?: CallOptions): Promise<OffRampVerification>
  /** Email challenge (internal credentials only). The code is for a server that mails it, never for a browser. */
  createEmailChallenge(body: CreateEmailChallengeBody, options?: CallOptions): Promise<EmailChallenge>
  /** Check the code of an email challenge (internal credentials only). */
  checkEmailChallenge(body: CheckEmailChallengeBody, options?: CallOptions): Promise<CheckEmailChallengeAnswer>
  /** Register a webhook. The secret is in this response only. Deliveries are described under `webhooks`. */
  createWebhook(body: CreateWebhookBody, options?: CallOptions): Promise<CreateWebhookAnswer>
  /** List webhooks. */
  listWebhooks(options?: CallOptions): Promise<ListWebhooksAnswer>
  /** One webhook. */
  getWebhook(webhookId: string, options?: CallOptions): Promise<Webhook>
  /** Change a webhook. */
  changeWebhook(webhookId: string, body: ChangeWebhookBody, options?: CallOptions): Promise<Webhook>
  /** Remove a webhook. */
  deleteWebhook(webhookId: string, options?: CallOptions): Promise<undefined>
  /** New secret; both sign for 24 hours. For 24 hours deliveries carry two signatures, separated by a comma, one with each secret. */
  rotateWebhook(webhookId: string, options?: CallOptions): Promise<RotateWebhookAnswer>
  /** What a webhook was sent, newest first, with each attempt. */
  listDeliveries(webhookId: string, query?: ListDeliveriesQuery, options?: CallOptions): Promise<ListDeliveriesAnswer>
  /** Send a delivery again. It is due at once with the same id and body, whether it was accepted before or not, and has all its retries again. It neither waits for other events of its order nor delays them. To an endpoint that does not answer it may be sent up to a minute later. */
  resendDelivery(webhookId: string, deliveryId: string, options?: CallOptions): Promise<Delivery>
  /** Send a webhook an example, and say what it answered. The example is an ORDER_COMPLETED whose order has `test: true`. It is sent at once, whatever events the webhook has and whether it is `active` or not, and the response says what became of it within 30 seconds. At most two tests of an organisation run at a time. */
  testWebhook(webhookId: string, options?: CallOptions): Promise<TestDelivery>
  /** What was announced in the last 30 days, oldest first. To catch up, ask `after` the last event that you have handled until `has_more` is false: none is missed, and none comes twice. Orders that were created with the publishable key alone are left out without `include_unsigned=true`. */
  listEvents(query?: ListEventsQuery, options?: CallOptions): Promise<EventList>
  /** Where your sales are settled. New orders may be paid on each of these chains, and settle on the chain where they are paid. Orders keep the list with which they were made. */
  getSettlements(options?: CallOptions): Promise<GetSettlementsAnswer>
  /** Change where your sales are settled (in force after a day). Replaces the whole list. It is mailed to you at once with a link that cancels it, comes into force a day after that mail (a setting of the service), and GET shows it as `pending` until then. An invalid list changes nothing. */
  putSettlements(body: PutSettlementsBody, options?: CallOptions): Promise<PutSettlementsAnswer>
  /** Moves that wait for the signature of your own guard. Only an organisation whose operator has named its own guard has any: refunds of its orders on EVM chains wait until its people have signed. Verify what `typed_data` says before you sign it. */
  listGuardMoves(query?: ListGuardMovesQuery, options?: CallOptions): Promise<ListGuardMovesAnswer>
  /** Hand in the signature of your own guard. The signature of a key over `typed_data` (EIP-712), or whatever the contract wallet accepts (ERC-1271). It is verified on the chain first: one that the guard does not accept is refused (`signature_not_accepted`) and changes nothing. The refund is sent within about a minute. */
  signGuardMove(digest: string, body: SignGuardMoveBody, options?: CallOptions): Promise<GuardMove>
  /** List API keys. */
  listApiKeys(options?: CallOptions): Promise<ListApiKeysAnswer>
  /** Relabel an API key. */
  changeApiKey(apiKeyId: string, body: ChangeApiKeyBody, options?: CallOptions): Promise<ApiKey>
  /** The claimable fee balance. Fees that were collected for the organisation by somebody else. What was paid out to it on chain is not counted. */
  feeBalance(options?: CallOptions): Promise<FeeBalance>
}

