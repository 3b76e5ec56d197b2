import type { InvoicePort } from '../pages/pages-parts.ts'
import { ordersOfInvoices, publishedInvoice } from '../invoices/invoice-queries.ts'
import type { Engine } from '../orders/engine.ts'
import { invoiceStatus, orderInForce } from '../invoices/invoice-status.ts'
import { renew } from '../invoices/invoicing.ts'

/** Serves the invoice pages from this service's own database. A page-only process uses signed invoices instead. */
export const invoicesFor = (engine: Engine): Omit<InvoicePort, 'words'> => ({
  async find(id) {
    const invoice = await publishedInvoice(engine.sql, id)
    const orders = (invoice && (await ordersOfInvoices(engine.sql, [id])).get(id)) ?? []
    const order = orderInForce(orders)
    if (!invoice?.publishedAt || !order) return undefined
    return {
      id,
      orderId: order.id,
      data: invoice.data,
      fiatUnit: invoice.fiatUnit,
      isLive: order.isLive,
      isClosed: invoice.archivedAt !== undefined,
      isOverdue: invoiceStatus(invoice, orders, engine.clock()) === 'overdue',
      publishedAt: invoice.publishedAt,
    }
  },
  async renew(id) {
    const made = await renew(engine, id)
    if (made && 'why' in made) throw new Error(`the invoice cannot be priced: ${made.why}`)
  },
})
