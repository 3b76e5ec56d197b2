import type { FiatCurrency } from '../../src/wire/currency.ts'
import type { InvoiceData } from '../../src/wire/invoice.ts'
import type { Locale } from '../../src/wire/locale.ts'
import type { Order } from '../orders/model/order.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { decodeJson, toJsonb } from '../database/json.ts'
import { decodeOrder } from '../orders/stored-order.ts'

export interface Invoice {
  readonly id: string
  readonly organizationId: string
  readonly data: InvoiceData
  readonly fiatUnit: FiatCurrency
  readonly locale: Locale
  /** This is the invoice's newest order, and undefined for a draft. */
  readonly orderId: string | undefined
  readonly createdAt: Date
  readonly updatedAt: Date
  readonly publishedAt: Date | undefined
  readonly archivedAt: Date | undefined
}

interface Row {
  id: string
  organization_id: string
  data: unknown
  fiat_unit: FiatCurrency
  locale: Locale
  order_id: string | null
  created_at: Date
  updated_at: Date
  published_at: Date | null
  archived_at: Date | null
}

const asInvoice = (row: Row): Invoice => ({
  id: row.id,
  organizationId: row.organization_id,
  data: decodeJson<InvoiceData>(row.data),
  fiatUnit: row.fiat_unit,
  locale: row.locale,
  orderId: row.order_id ?? undefined,
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  publishedAt: row.published_at ?? undefined,
  archivedAt: row.archived_at ?? undefined,
})

const fold = (text: string): string => text.normalize('NFKC').toLowerCase()

const searchText = ({ from, recipient, invoice }: InvoiceData): string =>
  fold([invoice.no, recipient.name, recipient.email, from.name, from.email].join('\n'))

export async function insertInvoice(tx: Tx, { id, organizationId, data, fiatUnit, locale, createdAt }: Invoice): Promise<void> {
  await tx`insert into invoices ${tx({
    id,
    organization_id: organizationId,
    data: tx.json(toJsonb(data)),
    fiat_unit: fiatUnit,
    locale,
    search: searchText(data),
    created_at: createdAt,
    updated_at: createdAt,
  })}`
}

/** Finds a published invoice of any organisation, since anyone who has its link may read it. */
export async function publishedInvoice(sql: Sql | Tx, id: string): Promise<Invoice | undefined> {
  const [row] = await sql<Row[]>`select * from invoices where id = ${id} and published_at is not null`
  return row && asInvoice(row)
}

export async function invoiceOf(sql: Sql | Tx, organizationId: string, id: string): Promise<Invoice | undefined> {
  const [row] = await sql<Row[]>`select * from invoices where id = ${id} and organization_id = ${organizationId}`
  return row && asInvoice(row)
}

/** Locks the invoice's row until the transaction ends. A transaction that changes an existing invoice must have this lock. */
export async function lockInvoice(tx: Tx, id: string): Promise<Invoice | undefined> {
  const [row] = await tx<Row[]>`select * from invoices where id = ${id} for update`
  return row && asInvoice(row)
}

/**
 * Keeps another order from being linked to the invoice until the transaction ends. It is for a transaction in which one of the invoice's
 * orders gets or loses money, and is shared so that two such transactions do not wait for each other.
 */
export async function lockInvoiceShared(tx: Tx, id: string): Promise<void> {
  await tx`select 1 from invoices where id = ${id} for share`
}

/** Links a new order, which is the one to pay from now on, and publishes the invoice if it is a draft. */
export async function linkOrder(tx: Tx, invoice: Invoice, orderId: string, at: Date): Promise<Invoice> {
  await tx`
    insert into invoice_orders (order_id, invoice_id, position)
    select ${orderId}, ${invoice.id}, count(*) from invoice_orders where invoice_id = ${invoice.id}`
  const [row] = await tx<Row[]>`
    update invoices set order_id = ${orderId}, updated_at = greatest(${at}, updated_at + interval '1 millisecond'), published_at = coalesce(published_at, ${at})
    where id = ${invoice.id} returning *`
  if (!row) throw new Error(`no invoice ${invoice.id}`)
  return asInvoice(row)
}

export async function archiveInvoice(tx: Tx, id: string, at: Date): Promise<Invoice> {
  const [row] = await tx<Row[]>`
    update invoices set archived_at = ${at}, updated_at = greatest(${at}, updated_at + interval '1 millisecond') where id = ${id} returning *`
  if (!row) throw new Error(`no invoice ${id}`)
  return asInvoice(row)
}

export async function deleteDraft(tx: Tx, id: string): Promise<void> {
  await tx`delete from invoices where id = ${id} and published_at is null`
}

/** Groups the orders by invoice, the oldest first. */
export async function ordersOfInvoices(sql: Sql | Tx, ids: readonly string[]): Promise<Map<string, Order[]>> {
  const rows = await sql`
    select l.invoice_id, o.state from invoice_orders l join orders o on o.id = l.order_id
    where l.invoice_id = any(${ids as string[]}) order by l.invoice_id, l.position`
  const byInvoice = new Map<string, Order[]>()
  for (const row of rows) byInvoice.set(row.invoice_id, [...(byInvoice.get(row.invoice_id) ?? []), decodeOrder(row.state)])
  return byInvoice
}

export async function siblingsOf(sql: Sql | Tx, invoiceId: string, orderId: string): Promise<string[]> {
  const rows = await sql`select order_id from invoice_orders where invoice_id = ${invoiceId} and order_id <> ${orderId} order by position`
  return rows.map((row) => row.order_id as string)
}

export interface InvoicePage {
  readonly limit: number
  readonly offset: number
  readonly search?: string
}

export async function listInvoices(
  sql: Sql,
  organizationId: string,
  { limit, offset, search }: InvoicePage,
): Promise<{ readonly invoices: readonly Invoice[]; readonly total: number }> {
  const wanted = fold(search?.trim() ?? '')
  const matches = sql`organization_id = ${organizationId} ${wanted === '' ? sql`` : sql`and strpos(search, ${wanted}) > 0`}`
  const [rows, [count]] = await Promise.all([
    sql<Row[]>`select * from invoices where ${matches} order by created_at desc, id desc limit ${limit} offset ${offset}`,
    sql`select count(*)::int as total from invoices where ${matches}`,
  ])
  return { invoices: rows.map(asInvoice), total: count?.total ?? 0 }
}
