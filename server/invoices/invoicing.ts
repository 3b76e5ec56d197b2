import type { InvoiceDraft, Invoice as WireInvoice } from '../../src/wire/invoice.ts'
import { fiatDecimal } from '../orders/model/rate.ts'
import { invoiceTotals, orderMetadataOf } from './invoice.ts'
import { transaction } from '../database/transaction.ts'
import type { Change, Effects, Engine } from '../orders/engine.ts'
import { closing, isUnpaid } from '../orders/model/funding.ts'
import type { Order, Terms } from '../orders/model/order.ts'
import { snapshot } from '../orders/model/snapshot.ts'
import type { Tx } from '../database/connect.ts'
import {
  insertInvoice,
  type Invoice,
  linkOrder,
  lockInvoice,
  ordersOfInvoices,
  publishedInvoice,
  lockInvoiceShared,
  siblingsOf,
} from './invoice-queries.ts'
import { invoiceStatus } from './invoice-status.ts'
import { enqueueMail } from './mails.ts'
import { type Organization, organizationById } from '../organizations/organizations.ts'
import { ordersById } from '../orders/order-queries.ts'
import { newId, newOrder } from '../orders/new-order.ts'
import { type AmountProblem, type PricedTerms, priceTerms } from '../orders/price-terms.ts'
import { isAny, saleDestinations, saleTerms } from '../orders/sale-terms.ts'

export const paymentUrl = (engine: Pick<Engine, 'payUrl'>, invoiceId: string): string => `${engine.payUrl}/invoice/${invoiceId}`

export function invoiceSnapshot(engine: Pick<Engine, 'payUrl' | 'clock'>, invoice: Invoice, orders: readonly Order[]): WireInvoice {
  const totals = invoiceTotals(invoice.data, invoice.fiatUnit)
  return {
    id: invoice.id,
    organization_id: invoice.organizationId,
    order_id: invoice.orderId,
    orders: orders.map((order) => snapshot(order)),
    payment_url: paymentUrl(engine, invoice.id),
    data: invoice.data,
    status: invoiceStatus(invoice, orders, engine.clock()),
    fiat_unit: invoice.fiatUnit,
    total: fiatDecimal(totals.total, totals.digits),
    locale: invoice.locale,
    created_at: invoice.createdAt.toISOString(),
    updated_at: invoice.updatedAt.toISOString(),
    published_at: invoice.publishedAt?.toISOString(),
    archived_at: invoice.archivedAt?.toISOString(),
  }
}

export async function newDraft(
  engine: Engine,
  tx: Tx,
  organizationId: string,
  { fiat_unit: fiatUnit, locale, ...data }: InvoiceDraft,
  id = newId('inv'),
): Promise<Invoice> {
  const now = new Date(engine.clock())
  const invoice: Invoice = {
    id,
    organizationId,
    data: { ...data, from: { ...data.from, ...printedBy(data.from, await organizationById(tx, organizationId)) } },
    fiatUnit,
    locale,
    orderId: undefined,
    createdAt: now,
    updatedAt: now,
    publishedAt: undefined,
    archivedAt: undefined,
  }
  await insertInvoice(tx, invoice)
  return invoice
}

/**
 * What is printed about the seller is stored with the invoice, so that a later change of the organisation changes no paper. The
 * organisation's are taken together or not at all: an invoice that names one of its own may be another company's.
 */
const printedBy = (
  { address, tax_number }: InvoiceDraft['from'],
  organization: Pick<Organization, 'address' | 'taxNumber'>,
): Pick<InvoiceDraft['from'], 'address' | 'tax_number'> =>
  address !== undefined || tax_number !== undefined
    ? {}
    : {
        ...(organization.address !== undefined && { address: organization.address }),
        ...(organization.taxNumber !== undefined && { tax_number: organization.taxNumber }),
      }

export type InvoiceProblem = AmountProblem | { readonly why: 'no_currency' }

/**
 * Prices the SALE order of an invoice now. It fetches prices, so it must never be called with a transaction open. The minimum only refuses
 * publishing: with `anySize` a published invoice stays payable whatever gas costs later.
 */
export async function priceInvoice(
  engine: Engine,
  invoice: Pick<Invoice, 'id' | 'organizationId' | 'data' | 'fiatUnit'>,
  { anySize = false } = {},
): Promise<PricedTerms | InvoiceProblem> {
  const organization = await organizationById(engine.sql, invoice.organizationId)
  const totals = invoiceTotals(invoice.data, invoice.fiatUnit)
  const destinations = saleDestinations(engine, organization)
  if (!isAny(destinations)) return { why: 'no_currency' }
  if (totals.total === 0n) return { why: 'too_small' }
  const draft = {
    ...saleTerms(organization, { card_payments: true, support_url: `mailto:${invoice.data.from.email}` }),
    createdBy: 'service' as const,
    amount: fiatDecimal(totals.total, totals.digits),
    fiatUnit: invoice.fiatUnit,
    metadata: orderMetadataOf(invoice.data, totals, invoice.fiatUnit),
    invoiceId: invoice.id,
  }
  return priceTerms(engine, draft, destinations, { anySize })
}

export interface MadeOrder {
  readonly invoice: Invoice
  readonly order: Order
}

async function withOrder(engine: Engine, tx: Tx, invoice: Invoice, priced: PricedTerms): Promise<MadeOrder> {
  const organization = await organizationById(tx, invoice.organizationId)
  const order = await newOrder(engine, tx, organization, priced)
  return { invoice: await linkOrder(tx, invoice, order.id, new Date(engine.clock())), order }
}

/** Creates the order, links it and enqueues the e-mail in one transaction, so that a published invoice never lacks either. */
export async function publish(engine: Engine, tx: Tx, invoice: Invoice, priced: PricedTerms): Promise<MadeOrder> {
  const made = await withOrder(engine, tx, invoice, priced)
  await enqueueMail(tx, { id: newId('mail'), kind: 'invoice', invoiceId: invoice.id })
  return made
}

/** Creates the next order only once all earlier ones have expired unpaid, so that two clicks, or two windows, create one order. */
export async function renew(engine: Engine, invoiceId: string): Promise<MadeOrder | InvoiceProblem | undefined> {
  const asked = await publishedInvoice(engine.sql, invoiceId)
  if (!asked) return undefined
  const priced = await priceInvoice(engine, asked, { anySize: true })
  if ('why' in priced) return priced
  return transaction(engine.sql, async (tx) => {
    const invoice = await lockInvoice(tx, invoiceId)
    if (!invoice?.publishedAt || invoice.archivedAt) return undefined
    const orders = (await ordersOfInvoices(tx, [invoiceId])).get(invoiceId) ?? []
    return orders.every(isOver) ? withOrder(engine, tx, invoice, priced) : undefined
  })
}

/** A card that was charged still pays an order whose time has run out. */
const isOver = (order: Order): boolean => order.status === 'EXPIRED' && isUnpaid(order) && closing(order)?.because !== 'charged'

function isCovered(order: Order): boolean {
  const closed = closing(order)
  return closed?.because === 'taken' || closed?.because === 'covered'
}

const ofInvoice = ({ invoiceId }: Terms): boolean => invoiceId !== undefined

export const invoiceEffects: Effects = {
  transfers_seen: { concerns: ofInvoice, perform: closeOthers },
  transfers_confirmed: { concerns: ofInvoice, perform: closeOthers },
  repriced: { concerns: ofInvoice, perform: closeOthers },
  transfers_dropped: { concerns: ofInvoice, perform: closeOrReopenOthers },
  transfers_held: { concerns: ofInvoice, perform: reportPaidTwice },
  became: { concerns: (terms, { status }) => ofInvoice(terms) && status === 'COMPLETED', perform: confirmPaid },
}

/** Money that covers one order, even late, pays the invoice. Unpaid other orders are superseded, and what still reaches them is surplus. */
async function closeOthers(change: Change, after: Order): Promise<void> {
  if (after.supersededBy !== undefined || !isCovered(after)) return
  for (const other of await othersOf(change, after))
    if (other.supersededBy === undefined && isUnpaid(other)) await change.record(other, { type: 'supersede', by: after.id })
}

/** When a reorganisation removes money and the rest does not cover the order, the orders that it superseded are reinstated. */
async function closeOrReopenOthers(change: Change, after: Order): Promise<void> {
  if (after.supersededBy !== undefined) return
  if (isCovered(after)) return closeOthers(change, after)
  for (const other of await othersOf(change, after))
    if (other.supersededBy === after.id) await change.record(other, { type: 'reinstate', supersededBy: after.id })
}

/** Reads the other orders without locking them. Only those that change are locked, so two orders rarely wait for each other. */
async function othersOf({ tx }: Change, { id, terms }: Order): Promise<readonly Order[]> {
  if (terms.invoiceId === undefined) return []
  // Waits for a concurrent `renew`, which otherwise would not see this money.
  await lockInvoiceShared(tx, terms.invoiceId)
  return ordersById(tx, await siblingsOf(tx, terms.invoiceId, id))
}

async function reportPaidTwice({ tx }: Change, { id, supersededBy, terms: { invoiceId } }: Order): Promise<void> {
  if (supersededBy === undefined || invoiceId === undefined) return
  await enqueueMail(tx, { id: newId('mail'), kind: 'invoice_paid_twice', invoiceId, orderId: id })
}

/** The customer is notified once, even if a reorganisation undoes the payment and it completes again. */
async function confirmPaid({ tx }: Change, { terms: { invoiceId } }: Order): Promise<void> {
  if (invoiceId !== undefined) await enqueueMail(tx, { id: newId('mail'), kind: 'invoice_paid', invoiceId })
}
