import { endpoints } from '../../src/wire/endpoints.ts'
import type { InvoiceDraft } from '../../src/wire/invoice.ts'
import type { Order } from '../orders/model/order.ts'
import { ApiError, invalid, notFound } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { newId } from '../orders/new-order.ts'
import { type InvoiceProblem, invoiceSnapshot, newDraft, priceInvoice, publish } from './invoicing.ts'
import type { Tx } from '../database/connect.ts'
import { amountRefused } from '../orders/order-errors.ts'
import { archiveInvoice, deleteDraft, type Invoice, invoiceOf, listInvoices, lockInvoice, ordersOfInvoices } from './invoice-queries.ts'

export function invoices(route: Route, engine: Engine): void {
  const shown = async (tx: Tx, invoice: Invoice) =>
    invoiceSnapshot(engine, invoice, (await ordersOfInvoices(tx, [invoice.id])).get(invoice.id) ?? [])
  const locked = async (tx: Tx, organizationId: string, id: string): Promise<Invoice> => {
    const invoice = await lockInvoice(tx, id)
    if (invoice?.organizationId !== organizationId) throw notFound('invoice')
    return invoice
  }

  route(
    endpoints.createInvoice,
    async ({ body, organizationId }) => {
      if ('id' in body) {
        const draft = await invoiceOf(engine.sql, organizationId, body.id)
        return draft && !draft.publishedAt ? { id: draft.id, priced: await priceInvoice(engine, draft) } : undefined
      }
      const { fiat_unit: fiatUnit, locale: _, ...data } = requireDueDate(body)
      const id = newId('inv')
      return { id, priced: await priceInvoice(engine, { id, organizationId, data, fiatUnit }) }
    },
    async ({ body, organizationId, tx }, prepared) => {
      const invoice =
        'id' in body ? await locked(tx, organizationId, body.id) : await newDraft(engine, tx, organizationId, body, prepared?.id)
      if (invoice.publishedAt || !prepared) throw new ApiError(409, 'This invoice is published already.')
      if ('why' in prepared.priced) throw refused(prepared.priced)
      const made = await publish(engine, tx, invoice, prepared.priced)
      return { body: invoiceSnapshot(engine, made.invoice, [made.order]) }
    },
  )

  route(endpoints.createInvoiceDraft, async ({ body, organizationId, tx }) => ({
    body: invoiceSnapshot(engine, await newDraft(engine, tx, organizationId, requireDueDate(body)), []),
  }))

  route(endpoints.listInvoices, async ({ query, organizationId }) => {
    const { invoices: found, total } = await listInvoices(engine.sql, organizationId, query)
    const orders = await ordersOfInvoices(
      engine.sql,
      found.map((invoice) => invoice.id),
    )
    return {
      body: {
        data: found.map((invoice) => invoiceSnapshot(engine, invoice, orders.get(invoice.id) ?? [])),
        pagination: { total_count: total, limit: query.limit, offset: query.offset },
      },
    }
  })

  route(endpoints.getInvoice, async ({ params, organizationId }) => {
    const invoice = await invoiceOf(engine.sql, organizationId, params.invoice_id)
    if (!invoice) throw notFound('invoice')
    const orders = (await ordersOfInvoices(engine.sql, [invoice.id])).get(invoice.id) ?? []
    return { body: invoiceSnapshot(engine, invoice, orders), headers: { 'cache-control': 'no-store' } }
  })

  route(endpoints.archiveInvoice, async ({ params, organizationId, tx }) => {
    const invoice = await locked(tx, organizationId, params.invoice_id)
    if (!invoice.publishedAt) throw new ApiError(409, 'A draft cannot be archived. Delete it instead.')
    return { body: await shown(tx, invoice.archivedAt ? invoice : await archiveInvoice(tx, invoice.id, new Date(engine.clock()))) }
  })

  route(endpoints.deleteInvoice, async ({ params, organizationId, tx }) => {
    const invoice = await locked(tx, organizationId, params.invoice_id)
    if (invoice.publishedAt) throw new ApiError(409, 'A published invoice is kept: somebody may have it. Archive it instead.')
    await deleteDraft(tx, invoice.id)
    return {}
  })
}

function requireDueDate(body: InvoiceDraft): InvoiceDraft {
  const { date, due_date: due } = body.invoice
  if (due < date) throw invalid('invoice.due_date', 'must not be before invoice.date', 'The invoice is due before its own date.')
  return body
}

function refused(problem: InvoiceProblem): ApiError {
  switch (problem.why) {
    case 'too_small':
      return invalid('items', 'too small', 'The invoice total is too small to be paid.')
    case 'too_large':
      return invalid('items', 'too large', 'The invoice total is larger than any payment can be.')
    case 'no_currency':
      return new ApiError(422, 'The currencies that your organisation settles in are not available here.')
    case 'below_minimum':
      return amountRefused(problem, 'items')
    default:
      return problem satisfies never
  }
}

/** An invoice is paid with its newest order, so an earlier one that has expired may not be reopened. */
export async function requireNewestOfInvoice(tx: Tx, order: Order): Promise<void> {
  const { invoiceId } = order.terms
  if (invoiceId === undefined || order.status !== 'EXPIRED') return
  const [invoice] = await tx`select order_id, archived_at from invoices where id = ${invoiceId} for share`
  if (invoice?.order_id !== order.id) throw new ApiError(422, 'This invoice has a newer order. Open the link of the invoice to pay it.')
  if (invoice.archived_at) throw new ApiError(422, 'This invoice was closed by its sender.')
}
