import * as z from 'zod/mini'
import { FiatCurrency } from './currency.ts'
import { localeCodes } from './locale.ts'
import { Order } from './order.ts'
import { OrderRead, optionalString } from './order-read.ts'
import { PageQuery, Pagination } from './pagination.ts'
import { DateTime, Decimal, Email, Id, PostalAddress, TaxNumber, text } from './scalars.ts'

/** `address` and `tax_number` are Till extensions. An address has a line for each line of the text. */
const Party = z.strictObject({
  email: Email,
  name: text(200, 1),
  address: z.optional(PostalAddress),
  tax_number: z.optional(TaxNumber),
})
const Paper = z.strictObject({ no: text(64, 1), date: z.iso.date(), due_date: z.iso.date() })
const Line = z.strictObject({ name: text(200, 1), quantity: Decimal, tax: z.optional(Decimal), unitPrice: Decimal })
const Lines = z.array(Line).check(z.minLength(1), z.maxLength(200))

export const InvoiceData = z.strictObject({ from: Party, recipient: Party, invoice: Paper, items: Lines })
export type InvoiceData = z.infer<typeof InvoiceData>

/** server/invoices/invoice-status.ts decides which one an invoice has. */
export const InvoiceStatus = z.enum(['draft', 'open', 'overdue', 'processing', 'partly_paid', 'paid', 'refunded', 'closed'])
export type InvoiceStatus = z.infer<typeof InvoiceStatus>

export const Invoice = z.object({
  id: z.string(),
  organization_id: z.string(),
  order_id: z.optional(z.string()),
  orders: z.array(Order),
  payment_url: z.string(),
  data: InvoiceData,
  /** These four members are Till extensions. `locale` is the language of the e-mail and of the PDF attached to it. */
  status: InvoiceStatus,
  fiat_unit: z.optional(FiatCurrency),
  total: z.optional(Decimal),
  locale: z.optional(z.enum(localeCodes)),
  created_at: DateTime,
  updated_at: DateTime,
  published_at: z.optional(DateTime),
  archived_at: z.optional(DateTime),
})
export type Invoice = z.infer<typeof Invoice>

const PartyRead = z.object({ email: z.string(), name: z.string(), address: optionalString, tax_number: optionalString })

/** Other services may send more members, so this schema is not strict. */
const InvoiceDataRead = z.object({
  from: PartyRead,
  recipient: PartyRead,
  invoice: z.object({ no: z.string(), date: z.iso.date(), due_date: z.iso.date() }),
  items: z.array(z.object({ name: z.string(), quantity: Decimal, tax: z.optional(Decimal), unitPrice: Decimal })),
})

/** The page also shows invoices of other services, so it requires only the members that it cannot do without. */
export const InvoiceRead = z.object({
  id: z.string(),
  order_id: z.optional(z.nullable(z.string())),
  orders: z.catch(z.array(OrderRead), []),
  data: InvoiceDataRead,
  fiat_unit: z.catch(z.optional(FiatCurrency), undefined),
  status: z.catch(z.optional(z.string()), undefined),
  created_at: DateTime,
  published_at: z.optional(z.nullable(DateTime)),
  archived_at: z.optional(z.nullable(DateTime)),
})
export type InvoiceRead = z.infer<typeof InvoiceRead>

export const InvoiceDraft = z.extend(InvoiceData, {
  fiat_unit: z.prefault(FiatCurrency, 'usd'),
  locale: z.prefault(z.enum(localeCodes), 'en'),
})
export type InvoiceDraft = z.infer<typeof InvoiceDraft>
export const InvoiceCreate = z.union([z.strictObject({ id: Id }), InvoiceDraft])
export const InvoiceListQuery = z.extend(PageQuery, { search: z.optional(text(200)) })
export const InvoiceList = z.object({ data: z.array(Invoice), pagination: Pagination })
export const InvoicePath = z.object({ invoice_id: Id })
