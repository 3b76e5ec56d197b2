import type { Name } from '../support/client/client.ts'

/**
 * The tables of the specification, copied by hand and independent of the code. Each row is checked against the API's description and
 * against the running service.
 */

export type Kind =
  | 'string'
  | 'number'
  | 'integer'
  | 'boolean'
  | 'date-time'
  | 'date'
  | 'url'
  | 'decimal'
  | 'object'
  | 'array'
  | 'string?null'
  /** A reference to an enumeration below, or to another resource. */
  | `@${string}`
  | `@${string}?null`
  | `[@${string}]`

/** Resource, member path (a dot enters an object, `[]` a list), kind, and whether the specification requires it. */
export type FieldRow = readonly [resource: string, member: string, kind: Kind, required?: 'required']

export const enums: Readonly<Record<string, readonly (string | number)[]>> = {
  ChainID: [1, 10, 56, 137, 4663, 8453, 42161, 20000000000001, 30000000000001, 30000000000002],
  FiatCurrency: ['usd', 'eur', 'mxn', 'brl', 'gbp', 'cop'],
  BankOnrampDepositStatus: ['PROCESSING', 'COMPLETED', 'FAILED'],
  VerificationType: ['individual', 'business'],
  KycStatus: [
    'not_started',
    'incomplete',
    'awaiting_questionnaire',
    'awaiting_ubo',
    'under_review',
    'approved',
    'rejected',
    'paused',
    'offboarded',
  ],
  TosStatus: ['pending', 'approved'],
  ResultType: ['OK', 'NO_ROUTE', 'HIGH_IMPACT'],
  TradeType: ['EXACT_INPUT', 'EXACT_OUTPUT'],
  Endorsement: ['base', 'cards', 'cop', 'faster_payments', 'pix', 'sepa', 'spei'],
}

const all = (resource: string, members: Readonly<Record<string, Kind>>): FieldRow[] =>
  Object.entries(members).map(([member, kind]) => [resource, member, kind])
const required = (rows: readonly FieldRow[]): FieldRow[] => rows.map(([resource, member, kind]) => [resource, member, kind, 'required'])

export const fields: readonly FieldRow[] = [
  ...all('Amount', { raw: 'string', ui: 'decimal', value_usd: 'number' }),
  ['CurrencyBase', 'address', 'string?null'],
  ['CurrencyBase', 'chain_id', '@ChainID', 'required'],
  ...all('Currency', {
    address: 'string',
    chain_id: '@ChainID',
    decimals: 'integer',
    id: 'string',
    name: 'string',
    price_usd: 'number',
    symbol: 'string',
  }),
  ...all('ApiKey', {
    id: 'string',
    label: 'string',
    active: 'boolean',
    is_live: 'boolean',
    api_key_last_four: 'string',
    created_at: 'date-time',
    updated_at: 'date-time',
    last_used_at: 'date-time',
  }),
  ...required(all('Pagination', { total_count: 'integer', limit: 'integer', offset: 'integer' })),
  ...required(
    all('BankOnrampDeposit', {
      id: 'string',
      account_id: 'string',
      status: '@BankOnrampDepositStatus',
      source_currency: '@FiatCurrency',
      destination: '@OnrampDestination',
    }),
  ),
  ['BankOnrampDeposit', 'settlement', '@OnrampSettlement?null'],
  ...required(all('BankOnrampDeposit', { created_at: 'date-time', updated_at: 'date-time' })),
  ...required(all('OnrampDestination', { currency: '@CurrencyBase', wallet_address: 'string' })),
  ...required(
    all('OnrampSettlement', {
      source: 'object',
      'source.currency': 'string',
      'source.amount': 'decimal',
      destination: 'object',
      'destination.currency': '@CurrencyBase',
      'destination.amount': 'decimal',
      'destination.wallet_address': 'string',
    }),
  ),
  ['OnrampSettlement', 'destination.transaction_hash', 'string'],
  ...required(all('OnrampSettlement', { fees: 'object', 'fees.exchange': 'decimal', 'fees.gas': 'decimal', 'fees.developer': 'decimal' })),
  ...all('OffRampVerification', {
    id: 'string',
    type: '@VerificationType',
    email: 'string',
    full_name: 'string',
    customer_id: 'string',
    kyc_link: 'url',
    kyc_status: '@KycStatus',
    tos_link: 'url',
    tos_status: '@TosStatus',
    rejection_reasons: 'array',
    'rejection_reasons.[].developer_reason': 'string',
    'rejection_reasons.[].reason': 'string',
    'rejection_reasons.[].created_at': 'string',
    created_at: 'string',
  }),
  ...all('EmailChallenge', { challenge_id: 'string', code: 'string', expires_in_seconds: 'integer' }),
  ...all('SwapQuoteResponse', {
    result_type: '@ResultType',
    issues: 'object',
    'issues.price_impact_warning': 'object',
    'issues.price_impact_warning.impact': 'number',
    'issues.price_impact_warning.threshold': 'number',
    quote: '@Quote',
  }),
  ...all('Quote', {
    trade_type: '@TradeType',
    'input.amount': '@Amount',
    'input.balance': '@Amount',
    'input.breakdown': '@Breakdown',
    'input.currency': '@Currency',
    'output.amount': '@Amount',
    'output.amount_out_minimum': '@Amount',
    'output.currency': '@Currency',
  }),
  ...all('Breakdown', {
    base: '@Amount',
    'fees.custom_fee': '@Amount',
    'fees.protocol_fee': '@Amount',
    'fees.relayer_fee': '@Amount',
    'fees.total_fee': '@Amount',
    gas: '@Amount',
    total: '@Amount',
  }),
  ...all('Invoice', {
    id: 'string',
    organization_id: 'string',
    order_id: 'string',
    orders: '[@Order]',
    payment_url: 'url',
    data: '@InvoiceData',
    created_at: 'date-time',
    updated_at: 'date-time',
    published_at: 'date-time',
    archived_at: 'date-time',
  }),
  ...all('InvoiceData', {
    'from.email': 'string',
    'from.name': 'string',
    'recipient.email': 'string',
    'recipient.name': 'string',
    'invoice.no': 'string',
    'invoice.date': 'date',
    'invoice.due_date': 'date',
    items: 'array',
    'items.[].name': 'string',
    'items.[].quantity': 'string',
    'items.[].tax': 'string',
    'items.[].unitPrice': 'string',
  }),
  ...all('Order', {
    id: 'string',
    organization_id: 'string',
    mode: 'string',
    status: 'string',
    hosted_url: 'url',
    created_at: 'date-time',
    updated_at: 'date-time',
    'fulfillment.amount': '@Amount',
    'fulfillment.asset': '@Currency',
    'fulfillment.custom_fee_bps': 'integer',
    'fulfillment.fiat_unit': 'string',
    'fulfillment.rate_usd': 'string',
    'fulfillment.recipient': 'string',
    'fulfillment.swap.slippage_bps': 'integer',
    'fulfillment.swap.trade_type': '@TradeType',
    'metadata.items': 'array',
    'metadata.items.[].name': 'string',
    'metadata.items.[].description': 'string',
    'metadata.items.[].image': 'string',
    'metadata.items.[].currency': 'string',
    'metadata.items.[].quantity': 'integer',
    'metadata.items.[].unit_price': 'number',
    'metadata.refund.name': 'string',
    'metadata.refund.reason': 'string',
    'metadata.refund.additional_info': 'string',
    'metadata.refund.currency': 'string',
    'metadata.refund.refund_amount': 'number',
    'payment.payment_rail': 'string',
    'payment.recipient': 'string',
    'payment.source_tx_hash': 'string',
    'payment.destination_tx_hash': 'string',
    'payment.fee_tx_hash': 'string',
    'payment.estimated_duration_seconds': 'integer',
    'payment.expires_at': 'date-time',
    'payment.funding.required_amount': '@Amount',
    'payment.funding.received_amount': '@Amount',
    'payment.funding.remaining_amount': '@Amount',
    'payment.funding.transactions.[].amount': '@Amount',
    'payment.funding.transactions.[].tx_hash': 'string',
    'payment.input': 'object',
    'payment.output': 'object',
    'payment.refund.address': 'string',
    'payment.refund.reason': 'string',
    'payment.refund.tx_hash': 'string',
    'payment.steps.[].action': 'string',
    'payment.steps.[].kind': 'string',
    'payment.steps.[].rail': 'string',
    'settings.card_payments': 'boolean',
    'settings.hide_footer': 'boolean',
  }),
  ['PaymentMethodList', 'methods', '[@PaymentMethod]', 'required'],
  ...all('PaymentMethod', {
    available: 'boolean',
    method: 'string',
    'minimum_amount.amount': 'number',
    'minimum_amount.unit': 'string',
    reason: 'string',
  }),
  ...all('FeeBalance', { 'fee_balance.amount_cents': 'integer', 'fee_balance.fiat': 'string' }),
  ...required(all('ErrorResponse', { error: 'string', message: 'string', code: 'integer' })),
]

export type AuthKind = 'KEY' | 'SIGNED' | 'BODY-SIGNED' | 'PUBLIC'

/** The operations of the specification. The last one is under /v2. */
export const operations: readonly (readonly [
  name: Name | 'paymentMethodsV2',
  method: string,
  path: string,
  auth: AuthKind,
  success: number,
])[] = [
  ['bankDeposits', 'GET', '/onramp/bank/accounts/{account_id}/deposits', 'KEY', 200],
  ['listApiKeys', 'GET', '/api-keys', 'SIGNED', 200],
  ['changeApiKey', 'PATCH', '/api-keys/{api_key_id}', 'SIGNED', 200],
  ['swapQuote', 'POST', '/swap/quote', 'KEY', 200],
  ['createVerification', 'POST', '/off-ramp/verification', 'SIGNED', 200],
  ['createEmailChallenge', 'POST', '/off-ramp/verification/email-challenge', 'BODY-SIGNED', 200],
  ['getInvoice', 'GET', '/invoices/{invoice_id}', 'SIGNED', 200],
  ['searchCurrencies', 'GET', '/search/currencies', 'KEY', 200],
  ['feeBalance', 'GET', '/fees/balance', 'SIGNED', 200],
  ['completeX402', 'POST', '/orders/{order_id}/x402/complete', 'PUBLIC', 200],
  ['paymentMethodsV2', 'GET', '/v2/pay-orders/{payorder_id}/payment-methods', 'KEY', 200],
]

/** Numbers and texts with limits. The values of `fits` and `not` are sent unchanged. */
export const limits = [
  { limit: 'limit of the bank deposits list', default: 20, fits: ['1', '100'], not: ['0', '101', '-1', 'x'] },
  { limit: 'offset of the bank deposits list', default: 0, fits: ['0', '100000'], not: ['-1', '100001', 'x'] },
  { limit: 'label length of an API key', fits: ['', 'x', 'x'.repeat(100)], not: ['x'.repeat(101)] },
  { limit: 'search text length', fits: ['us'], not: ['', 'u'] },
  { limit: 'result count of a currency search', default: 20, fits: ['1', '50'], not: ['0', '51'] },
  { limit: 'wallets per portfolio request', fits: ['1', '10'], not: ['0', '11'] },
] as const

export const errors: readonly (readonly [status: number, condition: string])[] = [
  [400, 'invalid limit or offset'],
  [401, 'unauthorized'],
  [404, 'on-ramp account not found'],
  [502, 'on-ramp provider unavailable'],
  [402, 'PAYMENT-SIGNATURE header missing; PAYMENT-REQUIRED header returned'],
  [200, 'soft errors of a swap quote'],
]

/** The request members that the specification names. */
export const requestMembers: readonly (readonly [name: Name, member: string, kind: Kind])[] = [
  ['changeApiKey', 'label', 'string'],
  ['swapQuote', 'source', 'object'],
  ['swapQuote', 'destination', 'object'],
  ['swapQuote', 'amount', 'string'],
  ['swapQuote', 'trade_type', '@TradeType'],
  ['swapQuote', 'sender', 'string'],
  ['swapQuote', 'recipient', 'string'],
  ['swapQuote', 'slippage_bps', 'integer'],
  ['createVerification', 'email', 'string'],
  ['createVerification', 'full_name', 'string'],
  ['createVerification', 'endorsements', '[@Endorsement]'],
  ['createVerification', 'redirect_uri', 'string'],
  ['createVerification', 'type', '@VerificationType'],
  ['createEmailChallenge', 'email', 'string'],
]
