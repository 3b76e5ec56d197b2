interface SchemaDescription {
  readonly about?: string
  readonly members?: Readonly<Record<string, string>>
}

const evm = 'An EVM address in mixed case must have the right checksum; small letters alone are taken as they are.'
const bps = 'In hundredths of a percent.'

/** What the schemas cannot say by themselves: units, meanings, and what may come later. Requests stand under their operation's name. */
export const schemaDescriptions: Readonly<Record<string, SchemaDescription>> = {
  Amount: {
    about: 'An amount of a currency.',
    members: {
      raw: "In the currency's smallest units: a whole number as a string. What counts.",
      ui: 'The same in whole units: an exact decimal string.',
      value_usd: 'About what it is worth in US dollars. For display only.',
    },
  },
  ChainID: {
    about:
      '1 Ethereum, 10 Optimism, 56 BNB Smart Chain, 137 Polygon, 4663 Robinhood Chain, 8453 Base, 42161 Arbitrum One, 20000000000001 Bitcoin, 30000000000001 Solana, 30000000000002 Sui. Which of them a service takes is its configuration; the others are 422 "not available here".',
  },
  Currency: {
    about: 'A currency on a chain: key on `chain_id` and `address`.',
    members: {
      address: 'Of its contract. The native coin is 0x0000000000000000000000000000000000000000. EVM addresses compare in lower case.',
      decimals: 'How many decimals `raw` has.',
      id: 'Opaque.',
      price_usd: 'Of one unit, in US dollars. For display only.',
    },
  },
  CurrencyBase: {
    about: 'Names a currency on a chain.',
    members: { address: 'Of its contract; null, absent or the zero address for the native coin.' },
  },
  OrderStatus: {
    about:
      'Goods are delivered on COMPLETED and on nothing else. Later releases may have more: treat one that you do not know as "not yet".',
  },
  OrderMode: { about: 'SALE and DEPOSIT are made by callers, the others by the service.' },
  OrderEvent: { about: 'Later releases may have more: ignore one that you do not know.' },
  Order: {
    about: 'An amount that somebody owes, and what became of it. Every message holds the whole of it.',
    members: {
      id: 'Opaque, unguessable and safe in a URL.',
      organization_name: 'Who the payer pays.',
      is_live: 'False for orders of test keys.',
      hosted_url: 'Where the payer pays.',
      updated_at: 'Grows with each change: of two snapshots the one with the later time counts.',
      payment: 'Absent until somebody asked how to pay.',
      refunds_order_id: 'On an order of mode REFUND: the order that it refunds.',
    },
  },
  Fulfillment: {
    about: 'What the recipient gets.',
    members: {
      amount: 'What the recipient gets, in `asset`.',
      asset: 'What it is settled in.',
      custom_fee_bps: `The organisation's own fee. ${bps}`,
      fiat_unit: 'What the order was priced in; absent where it was priced in a currency.',
      rate_usd: 'What one unit of `asset` cost in US dollars when this was priced: a decimal string.',
    },
  },
  Payment: {
    about: 'How it is paid, and what has come.',
    members: {
      source_tx_hash: "The payer's transaction.",
      destination_tx_hash: 'The transaction that paid the recipient.',
      fee_tx_hash: 'The transaction that paid the fees.',
      expires_at: 'Until then the price holds.',
      input: 'What the payer sends, with every part of it.',
      output: 'What the recipient gets.',
      steps: 'What the payer does. A `kind` that you do not know is a new way: show the hosted page instead.',
      surplus: 'What came beyond what was asked, in the currency that was paid.',
      held_until: 'Until then money that could not be settled is kept for the merchant to decide.',
      refund: 'The newest refund, or where one would go.',
    },
  },
  Funding: {
    about: 'Confirmed money only.',
    members: {
      required_amount: 'What the payer has to send.',
      received_amount: 'What has come and is confirmed.',
      remaining_amount: 'What is still to be sent; never negative.',
      transactions: 'Everything that reached the address, whatever became of it.',
    },
  },
  FundingTransaction: {
    members: {
      confirmations: 'Blocks on top of it, as far as they are counted.',
      required_confirmations: 'From so many on it counts.',
      reason: 'Why it is held.',
    },
  },
  PaymentStep: { about: 'What the payer does, by its `kind`. `data.amount` of a deposit is in smallest units.' },
  Breakdown: { about: 'Parts of an amount, all in the same currency; together they are `total`.' },
  QuoteOutput: { members: { amount_out_minimum: 'What is given at least, with the slippage taken.' } },
  OrderMetadata: {
    about:
      'What the merchant keeps with an order. Beside these members it holds up to 20 of your own: strings of at most 500 characters, kept and given back as they are.',
    members: { reference: "The merchant's number for this order, as the payer knows it." },
  },
  OrderSettings: {
    members: {
      embed_origins: 'Sites that may show the checkout in a frame. Absent: those of the organisation. Empty: none.',
      return_url: 'Where the page leads back to. https, or http on localhost.',
    },
  },
  Pagination: { members: { total_count: 'How many there are in all.' } },
  PaymentMethod: {
    about: '`available` decides; `reason` explains, and may be there on an available method.',
    members: {
      problem: '`reason` in a word.',
      network_fee: "About what the network takes from the sender, in the order's fiat unit. For display only.",
    },
  },
  FeeBalance: {
    about:
      "What the collector of the organisation's own fee still owes it, in whole cents. Fees that were paid out on chain to a recipient of the organisation are not counted.",
  },
  EventEnvelope: { about: 'What a webhook is sent and what `data` of an event on the socket is.', members: { order: 'The whole order.' } },
  ErrorResponse: {
    about: 'Every refusal and every failure.',
    members: {
      error: 'The text of the status.',
      message: 'A sentence that a person can act on.',
      code: 'The status.',
      details:
        'Of a 400, and of a 422 about a member, `{issues: [{path, message}]}`, which names every member that is wrong; of a 500 a trace id; else what the refusal has to say, `{problem}` in a word.',
    },
  },
  PaymentRequired: { about: 'x402 version 2: what the header PAYMENT-REQUIRED holds, as base64 of JSON.' },
  PaymentPayload: {
    about: 'x402 version 2: what the header PAYMENT-SIGNATURE holds, as base64 of JSON. `accepted` is one of `accepts`, byte for byte.',
  },
  PaymentResponse: {
    about: 'x402 version 2: what the header PAYMENT-RESPONSE holds, as base64 of JSON. `success` is one receipt, not finality.',
  },
  SwapQuoteResponse: {
    about: 'NO_ROUTE has no `quote`. HIGH_IMPACT has one, and says in `issues` how much the amount itself moves the price.',
  },
  Webhook: { members: { events: 'It is sent these and no others.' } },

  createOrder: {
    members: {
      mode: 'SALE: the recipient gets exactly `amount`; signed. DEPOSIT: the payer sends exactly `amount`; it names `currency` and `recipient`, and the key is enough.',
      amount:
        'A decimal string: in `fiat_unit` where that is given, else in units of `currency`, else in units of what the organisation settles in. It has no more decimals than that currency.',
      currency: 'What the recipient gets. Absent: what the organisation settles in.',
      recipient: `Who gets it. Absent: the organisation. ${evm}`,
    },
  },
  requestPayment: {
    members: {
      refund_address: `Where money goes that has to go back. Until the first transfer is seen the key may set it, then only a signature. ${evm}`,
      extend: '30 minutes more, in the last 5 minutes, three times at most.',
    },
  },
  refundOrder: {
    members: {
      amount: 'In units of `currency`.',
      currency: 'Which of several currencies that came; absent: what the order was paid in.',
      recipient: `Absent: the refund address of the order. ${evm}`,
    },
  },
  orderQuotes: {},
  swapQuote: { members: { amount: 'In units of the side that `trade_type` fixes.', slippage_bps: bps, recipient: evm } },
}

/** About an operation, beside its summary. */
export const operationDescriptions: Readonly<Record<string, string>> = {
  createOrder:
    'A SALE is signed; a DEPOSIT takes the key alone. Send an Idempotency-Key of your own (the cart), and a request that you had to repeat makes one order. Members that this API does not know are refused by name, except in `metadata`.',
  getOrder: 'Take the status from here or from a webhook, never from what a browser says.',
  requestPayment:
    'The same source again gives the same instructions. After the price has run out with nothing received it is priced anew. The answer is the `payment` of the order.',
  paymentMethods: 'The path for generated clients; the one under /v2 answers the same.',
  paymentMethodsV2:
    'The published path of an older version, at the origin and not under /v3. A generated client that puts one base address before every path should use /orders/{order_id}/payment-methods, which answers the same.',
  completeX402:
    'Without PAYMENT-SIGNATURE: 402, and PAYMENT-REQUIRED says what can be signed. With it: 200 when it is paid, 202 while the transaction is on its way (the same header again asks how it is), 402 with a new PAYMENT-REQUIRED when it was refused.',
  createWebhook: 'The secret is in this answer and never again. Deliveries are described under `webhooks`.',
  rotateWebhook: 'For 24 hours deliveries carry two signatures, separated by a comma: one by each secret.',
  createInvoice: 'Either the whole invoice, or `{id}` of a draft, which is published then.',
  findTransaction: 'Believes nothing that the caller says, and looks at the chain once. 6 a minute for an order.',
  refundOrder:
    'Money still at the deposit address is sent from there. After settlement the order that is made has an address of its own, which the merchant pays.',
  feeBalance: 'What somebody else collected for the organisation. What was paid out to it on chain is its own already and not counted.',
  swapQuote: 'NO_ROUTE and HIGH_IMPACT are answers, not errors.',
  createEmailChallenge: 'The code is for a server that sends it on, never for a browser.',
}
