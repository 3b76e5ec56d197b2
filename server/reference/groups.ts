import type { endpoints } from '../../src/wire/endpoints.ts'

type Name = keyof typeof endpoints

/** The groups are in the order in which an integrator needs them. */
export const groups: readonly {
  readonly title: string
  readonly about: string
  readonly operations: readonly (Name | 'paymentMethodsV2')[]
}[] = [
  {
    title: 'Orders',
    about: 'An order is an amount that somebody owes you. Create it on your server and send the payer to its hosted_url.',
    operations: ['createOrder', 'getOrder', 'listOrders', 'refundOrder'],
  },
  {
    title: 'Paying',
    about: 'What the hosted page calls. You need it only for a page of your own.',
    operations: [
      'paymentMethods',
      'paymentMethodsV2',
      'requestPayment',
      'findTransaction',
      'orderQuotes',
      'completeX402',
      'walletTransaction',
      'walletCost',
    ],
  },
  {
    title: 'Webhooks',
    about: 'Your server is notified of changes. Fulfil when ORDER_COMPLETED arrives with a valid signature.',
    operations: [
      'createWebhook',
      'listWebhooks',
      'getWebhook',
      'changeWebhook',
      'deleteWebhook',
      'rotateWebhook',
      'testWebhook',
      'listDeliveries',
      'resendDelivery',
      'listEvents',
    ],
  },
  {
    title: 'Invoices',
    about: 'An invoice document, an e-mail with it, and an order that pays it.',
    operations: ['createInvoice', 'createInvoiceDraft', 'listInvoices', 'getInvoice', 'archiveInvoice', 'deleteInvoice'],
  },
  {
    title: 'Tokens and wallets',
    about: 'What there is to pay with, what it costs in something else, and what a wallet holds.',
    operations: ['searchCurrencies', 'swapQuote', 'portfolio'],
  },
  {
    title: 'Banks and identity',
    about: 'Deposits to a reusable bank account, and verification for payouts.',
    operations: ['bankDeposits', 'createVerification', 'createEmailChallenge', 'checkEmailChallenge'],
  },
  {
    title: 'Account',
    about: 'Where you are paid, what your own guard signs, your keys and your fees.',
    operations: ['getSettlements', 'putSettlements', 'listGuardMoves', 'signGuardMove', 'listApiKeys', 'changeApiKey', 'feeBalance'],
  },
]
