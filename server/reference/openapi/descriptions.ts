import { type ChainId, chains } from '../../../src/wire/chain-facts.ts'
import { invoiceDescriptions } from './invoice-descriptions.ts'
import type { SchemaDescription } from './schema-description.ts'

const evm = 'An EVM address in mixed case must have the right checksum; an address in lower case is accepted as it is.'
const bps = 'In hundredths of a percent.'

export const aboutChains = (ids: readonly ChainId[]): string =>
  `${ids.map((id) => `${id} ${chains[id].name}`).join(', ')}. Which of them a service takes is its configuration; the others are 422 "not available here".`

/** Schemas cannot express units, meanings, or what may be added later. Requests are listed under their operation's name. */
export const schemaDescriptions: Readonly<Record<string, SchemaDescription>> = {
  Amount: {
    about: 'An amount of a currency.',
    members: {
      raw: "In the currency's smallest units: a whole number as a string. This is the exact amount.",
      ui: 'The same in whole units: an exact decimal string.',
      value_usd: 'Its approximate value in US dollars. For display only.',
    },
  },
  Currency: {
    about: 'A currency on a chain: key on `chain_id` and `address`.',
    members: {
      address:
        'The address of its contract. The native coin is 0x0000000000000000000000000000000000000000. EVM addresses compare in lower case.',
      decimals: 'How many decimals `raw` has.',
      id: 'Opaque.',
      price_usd: 'The price of one unit, in US dollars. For display only.',
      fiat_unit_usd:
        "The price of one unit of the order's fiat currency in US dollars at the same time: a decimal string. Only where an order with a `fiat_unit` names its prices.",
    },
  },
  CurrencyBase: {
    about: 'Names a currency on a chain.',
    members: { address: 'The address of its contract; null, absent or the zero address for the native coin.' },
  },
  OrderStatus: {
    about: 'Deliver goods on COMPLETED and on nothing else. Later releases may add more: treat a status that you do not know as "not yet".',
  },
  OrderMode: { about: 'SALE and DEPOSIT are created by callers, the others by the service.' },
  OrderEvent: { about: 'Later releases may add more: ignore an event that you do not know.' },
  Order: {
    about: 'An amount that somebody owes, and its state. Every message contains the whole order.',
    members: {
      id: 'Opaque, unguessable and safe in a URL.',
      organization_name: 'Who the payer pays.',
      is_live: 'False for orders of test keys.',
      hosted_url: 'Where the payer pays.',
      updated_at: 'Increases with each change: of two snapshots the one with the later time is current.',
      payment: 'Absent until somebody asks how to pay.',
      refunds_order_id: 'On an order of mode REFUND: the order that it refunds.',
      test: 'Only in the example that a webhook is tested with: there is no such order.',
    },
  },
  Fulfillment: {
    about: 'What the recipient gets.',
    members: {
      amount: 'What the recipient gets, in `asset`.',
      asset: 'The currency that it is settled in.',
      custom_fee_bps: `The organisation's own fee. ${bps}`,
      fiat_unit: 'The fiat currency that the order was priced in; absent where it was priced in a currency on a chain.',
      rate_usd: 'The price of one unit of `asset` in US dollars when this was priced: a decimal string.',
      fiat_unit_usd:
        'The price of one `fiat_unit` in US dollars when this was priced: a decimal string. One unit of `asset` counted as `rate_usd` ÷ `fiat_unit_usd` of the fiat currency. Absent without `fiat_unit`, and on older orders.',
    },
  },
  ...invoiceDescriptions,
  Payment: {
    about: 'How it is to be paid, and what has been received.',
    members: {
      source_tx_hash: "The payer's transaction.",
      destination_tx_hash: 'The transaction that paid the recipient.',
      fee_tx_hash: 'The transaction that paid the fees.',
      estimated_duration_seconds: 'From sending the payment until COMPLETED, estimated by the pace of the chain.',
      expires_at: 'The price is valid until then.',
      input: 'What the payer sends, with every part of it.',
      output: 'What the recipient gets.',
      steps: 'What the payer has to do. A `kind` that you do not know is a new method: show the hosted page instead.',
      surplus: 'What was paid beyond the amount due, in the currency that was paid.',
      held_until: 'Money that could not be settled is kept until then for the merchant to decide.',
      refund: 'The newest refund, or where one would go.',
    },
  },
  Funding: {
    about: 'Confirmed money only.',
    members: {
      required_amount: 'What the payer has to send.',
      received_amount: 'What has been received and is confirmed.',
      remaining_amount: 'What is still due; never negative.',
      transactions: 'Every transfer that reached the address, whatever happened to it.',
    },
  },
  FundingTransaction: {
    members: {
      confirmations: 'Its confirmations, up to the number required.',
      required_confirmations: 'How many it needs before it counts.',
      reason: 'Why it is held.',
    },
  },
  PaymentStep: { about: 'What the payer has to do, by its `kind`. `data.amount` of a deposit is in smallest units.' },
  Breakdown: { about: 'Parts of an amount, all in the same currency; they add up to `total`.' },
  QuoteOutput: { members: { amount_out_minimum: 'The least that is received, after slippage.' } },
  OrderMetadata: {
    about:
      'What the merchant stores with an order. Besides these members it holds up to 20 of your own: strings of at most 500 characters, stored and returned as they are.',
    members: { reference: "The merchant's reference for this order, as the payer knows it." },
  },
  OrderSettings: {
    members: {
      embed_origins: 'Sites that may show the checkout in a frame. Absent: those of the organisation. Empty: none.',
      return_url: 'Where the page links back to. https, or http on localhost.',
      support_url:
        'Where payers get help when something went wrong: an https page, or `mailto:` with one address. A mail has the reference in its subject. Only on signed orders; the contact of an invoice is its sender.',
    },
  },
  Pagination: { members: { total_count: 'How many there are in total.' } },
  PaymentMethod: {
    about: '`available` decides; `reason` explains, and may be there on an available method.',
    members: {
      problem: '`reason` as a code.',
      network_fee: "The network's approximate fee for the sender, in the order's fiat currency. For display only.",
      estimated_total:
        'About what a card is charged, all costs included, if the service knows what its card provider takes. For display only.',
      least_total: "About what the cheapest of the order's settlement currencies costs, with the network's fee. For display only.",
    },
  },
  FeeBalance: {
    about:
      "What the collector of the organisation's own fee still owes it, in whole cents. Fees that were paid out on chain to a recipient of the organisation are not counted.",
  },
  EventEnvelope: { about: 'The body of a webhook delivery, and `data` of an event on the socket.', members: { order: 'The whole order.' } },
  ErrorResponse: {
    about: 'The body of every error response.',
    members: {
      error: 'The reason phrase of the status.',
      message: 'A sentence that a person can act on.',
      code: 'The status code.',
      details:
        'Of a 400, and of a 422 about a member, `{issues: [{path, message}]}`, which names every member that is wrong; of a 500 a trace id; else what explains the refusal, with `problem` as its code.',
    },
  },
  PaymentRequired: { about: 'x402 version 2: what the header PAYMENT-REQUIRED holds, as base64 of JSON.' },
  PaymentPayload: {
    about: 'x402 version 2: what the header PAYMENT-SIGNATURE holds, as base64 of JSON. `accepted` is one of `accepts`, byte for byte.',
  },
  PaymentResponse: {
    about: 'x402 version 2: what the header PAYMENT-RESPONSE holds, as base64 of JSON. `success` means mined, not final.',
  },
  SwapQuoteResponse: {
    about: 'NO_ROUTE has no `quote`. HIGH_IMPACT has one, and `issues` says how much the amount itself moves the price.',
  },
  Webhook: {
    members: {
      events: 'The events that it is sent.',
      failing: 'It has accepted nothing for three days, and you were mailed. The next delivery that it accepts ends this.',
    },
  },
  Delivery: {
    about: 'One event for one webhook. It is kept until 30 days after it ended.',
    members: {
      id: 'What Till-Webhook-Id contains, at every attempt.',
      state: 'waiting: not accepted yet, or to be sent again. delivered: accepted. failed: given up after three days.',
      created_at: 'When the order changed: `delivered_at` in the body.',
      next_attempt_at: 'When it is sent next.',
      attempts: 'The newest 20, oldest first.',
      body: 'The exact text that is sent, over which the signature is computed.',
    },
  },
  DeliveryAttempt: {
    members: {
      status: 'What the receiver answered; absent if it did not.',
      ms: 'How long it took, in milliseconds.',
      error: 'Why it does not count as received; absent if it does.',
    },
  },
  TestDelivery: { about: 'An example that was sent once. It is no delivery: it is neither kept nor retried.' },
  ListedEvent: { members: { id: 'Opaque. The next page is `after` it.', order: 'The order as it was then.' } },
  EventList: { members: { has_more: 'The next page is `after` the last event of this one.' } },

  createOrder: {
    members: {
      mode: 'SALE: the recipient gets exactly `amount`; it must be signed. DEPOSIT: the payer sends exactly `amount`; it names `currency` and `recipient`, and the key is enough.',
      amount:
        'A decimal string: in `fiat_unit` if given, else in units of `currency`, else in units of what the organisation settles in. It must have no more decimals than that currency.',
      currency: 'The currency that the recipient gets. Default: the one that the organisation settles in.',
      recipient: `The address that gets it. Default: the organisation's. ${evm}`,
    },
  },
  requestPayment: {
    members: {
      source: 'What the payer wants to pay with. Only a call with nothing but a `refund_address` needs none.',
      refund_address: `Where refunds are sent. Until the first transfer is seen the key may set it, after that only a signed call. Alone and by key it is accepted in every status while there is none: it is then proposed to the merchant, and nothing is sent there until a signed call has set it. ${evm}`,
      refund_chain_id:
        'The network of a `refund_address` that is given alone, one on which money of this order has come or is asked for. Default: that of the payment.',
      extend: 'Extends the time to pay by 30 minutes: in its last 5 minutes, three times at most.',
    },
  },
  refundOrder: {
    members: {
      amount: 'In units of `currency`.',
      currency: 'Which of several received currencies to refund. Default: the one that the order was paid in.',
      recipient: `Default: the refund address of the order. ${evm}`,
    },
  },
  orderQuotes: {},
  swapQuote: { members: { amount: 'In units of the side that `trade_type` fixes.', slippage_bps: bps, recipient: evm } },
}

export const operationDescriptions: Readonly<Record<string, string>> = {
  createOrder:
    'A SALE must be signed; for a DEPOSIT the key is enough. Send an Idempotency-Key of your own (the cart), and a request that you had to repeat creates one order. Members that this API does not know are refused by name, except in `metadata`.',
  listOrders:
    'The filters add up. `created_after` is included in the range and `created_before` is not. `hash` is that of a transaction that paid the order, and `address` its deposit address on any chain.',
  getOrder: 'Take the status from here or from a webhook, never from what a browser says.',
  requestPayment:
    'The same source gives the same instructions again. Once the price has expired with nothing received, a new one is made. The response is the `payment` of the order.',
  paymentMethods: 'The path for generated clients; the one under /v2 gives the same response.',
  paymentMethodsV2:
    'The published path of an older version, at the origin and not under /v3. A generated client with a single base URL should use /orders/{order_id}/payment-methods, which gives the same response.',
  completeX402:
    'Without PAYMENT-SIGNATURE: 402, and PAYMENT-REQUIRED says what can be signed. With it: 200 when it is paid, 202 while the transaction is not mined yet (the same header again asks for its state), 402 with a new PAYMENT-REQUIRED when it was refused.',
  walletTransaction:
    'For an order whose instructions are in this currency. The same payer gets the same transaction for as long as a block can include it, and anybody else 409: two of them could both pay. Of an order that is partly paid, it pays the rest.',
  walletCost: 'Builds nothing and holds nothing. Where the service pays the network fee, both members are null.',
  getSettlements:
    'New orders may be paid on each of these chains, and settle on the chain where they are paid. Orders keep the list with which they were made.',
  putSettlements:
    'Replaces the whole list. It is mailed to you at once with a link that cancels it, comes into force a day after that mail (a setting of the service), and GET shows it as `pending` until then. An invalid list changes nothing.',
  listGuardMoves:
    'Only an organisation whose operator has named its own guard has any: refunds of its orders on EVM chains wait until its people have signed. Verify what `typed_data` says before you sign it.',
  signGuardMove:
    'The signature of a key over `typed_data` (EIP-712), or whatever the contract wallet accepts (ERC-1271). It is verified on the chain first: one that the guard does not accept is refused (`signature_not_accepted`) and changes nothing. The refund is sent within about a minute.',
  createWebhook: 'The secret is in this response only. Deliveries are described under `webhooks`.',
  rotateWebhook: 'For 24 hours deliveries carry two signatures, separated by a comma, one with each secret.',
  testWebhook:
    'The example is an ORDER_COMPLETED whose order has `test: true`. It is sent at once, whatever events the webhook has and whether it is `active` or not, and the response says what became of it within 30 seconds. At most two tests of an organisation run at a time.',
  resendDelivery:
    'It is due at once with the same id and body, whether it was accepted before or not, and has all its retries again. It neither waits for other events of its order nor delays them. To an endpoint that does not answer it may be sent up to a minute later.',
  listEvents:
    'To catch up, ask `after` the last event that you have handled until `has_more` is false: none is missed, and none comes twice. Orders that were created with the publishable key alone are left out without `include_unsigned=true`.',
  createInvoice: 'Either the whole invoice, or `{id}` of a draft, which is published then.',
  findTransaction: 'Looks the transaction up on its chain, once, and trusts nothing else. At most 6 calls a minute for an order.',
  refundOrder:
    'Money still at the deposit address is sent from there. After settlement the refund is an order with an address of its own, which the merchant pays.',
  feeBalance: 'Fees that were collected for the organisation by somebody else. What was paid out to it on chain is not counted.',
  swapQuote: 'NO_ROUTE and HIGH_IMPACT are results, not errors.',
  createEmailChallenge: 'The code is for a server that mails it, never for a browser.',
}
