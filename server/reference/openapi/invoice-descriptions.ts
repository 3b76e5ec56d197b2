import type { SchemaDescription } from './schema-description.ts'

export const invoiceDescriptions: Readonly<Record<string, SchemaDescription>> = {
  Invoice: {
    about: 'An invoice, and the orders that it was or can be paid with.',
    members: {
      order_id: 'The newest of `orders`; absent for a draft.',
      payment_url: 'Where the customer sees and pays it, once it is published.',
      status: 'Follows from the invoice, its orders and the date.',
      total: 'The sum with tax, in `fiat_unit`: a decimal string.',
      locale: "The language of the customer's mails.",
    },
  },
  InvoiceStatus: {
    about:
      'draft: not published. open: published, and nothing has been paid. overdue: the same, after its due date has ended everywhere. processing: money has come and is being confirmed or settled, or its order has FAILED and waits for you. partly_paid: less than the total has come. paid: an order of it is COMPLETED. refunded: all of the money has gone back. closed: archived before anything was paid. Later releases may add more.',
  },
  InvoiceData: {
    about:
      'What the paper says. An `address` has up to 6 lines. If `from` has neither `address` nor `tax_number`, those of your organisation are added.',
  },
}
