import type { Context, Hono } from 'hono'
import * as z from 'zod/mini'
import type { InvoiceSheet, Problem } from '../../src/wire/boot.ts'
import { choiceQuery } from '../../src/wire/choice.ts'
import type { Locale } from '../../src/wire/locale.ts'
import { addressLines, Id } from '../../src/wire/scalars.ts'
import { printInvoice } from '../invoices/print-invoice.ts'
import { fiatDecimal } from '../orders/model/rate.ts'
import { invoiceTotals } from '../invoices/invoice.ts'
import { fileNameOf } from '../invoices/invoice-mail.ts'
import { languageOf } from './language.ts'
import { loadOrder } from './load-order.ts'
import { act, Form, nextChoice, readForm } from './order-actions.ts'
import { receiptName, serveReceiptPdf, showOrder } from './order-page.ts'
import type { InvoicePort, PageInvoice, PagesParts } from './pages-parts.ts'
import type { PdfDoor } from './pdf.ts'

const maxCachedPdfs = 128
/** Serves an invoice beside the page of the order that pays it. A GET changes nothing, since mail scanners and previews open every link. */
export function invoicePage(app: Hono, parts: PagesParts, port: InvoicePort, pdf: PdfDoor): void {
  const pdfs = new Map<string, Promise<Buffer>>()
  const find = async (id: string): Promise<PageInvoice | undefined> => (z.safeParse(Id, id).success ? port.find(id) : undefined)
  const missing = (c: Context) => showOrder(c, parts, '', { is: 'missing' })
  const path = (id: string) => `/invoice/${id}`

  const show = async (c: Context, invoice: PageInvoice, more: { problem?: Problem; found?: string } = {}): Promise<Response> => {
    const next = invoice.isClosed ? ('none' as const) : port.renew ? ('order' as const) : ('price' as const)
    return showOrder(
      c,
      parts,
      invoice.orderId,
      await loadOrder(c, parts, invoice.orderId),
      { ...more, path: path(invoice.id), invoice: { next } },
      sheetOf(invoice),
    )
  }

  app.get('/invoice/:id', async (c) => {
    const invoice = await find(c.req.param('id'))
    return invoice ? show(c, invoice) : missing(c)
  })

  app.get('/invoice/:id/receipt', async (c) => {
    const invoice = await find(c.req.param('id'))
    if (!invoice) return missing(c)
    const loaded = await loadOrder(c, parts, invoice.orderId)
    if (loaded.is !== 'order' || loaded.order.status !== 'COMPLETED') return c.redirect(path(invoice.id), 303)
    return showOrder(c, parts, invoice.orderId, loaded, { view: 'receipt' }, undefined, {
      'content-disposition': `attachment; filename="receipt-${receiptName(loaded.order)}.html"`,
    })
  })

  app.get('/invoice/:id/receipt.pdf', async (c) => {
    const invoice = await find(c.req.param('id'))
    if (!invoice) return missing(c)
    const loaded = await loadOrder(c, parts, invoice.orderId)
    return (loaded.is === 'order' && (await serveReceiptPdf(c, parts, loaded, pdf))) || c.redirect(path(invoice.id), 303)
  })

  const pdfKey = ({ id }: PageInvoice, locale: Locale): string => `${locale} ${id}`
  /** A published invoice never changes, so its PDF is cached. */
  const pdfOf = (invoice: PageInvoice, locale: Locale): Promise<Buffer> => {
    const key = pdfKey(invoice, locale)
    const known = pdfs.get(key)
    if (known) return known
    const made = printInvoice({ ...invoice, paymentUrl: parts.payUrl + path(invoice.id) }, port.words(locale))
    pdfs.set(key, made)
    made.catch(() => pdfs.delete(key))
    for (const oldest of pdfs.keys()) {
      if (pdfs.size <= maxCachedPdfs) break
      pdfs.delete(oldest)
    }
    return made
  }

  app.get('/invoice/:id/pdf', async (c) => {
    const invoice = await find(c.req.param('id'))
    if (!invoice) return missing(c)
    const { locale } = languageOf(c.req.query('locale'), c.req.header('accept-language'))
    return pdf.serve(c, {
      name: fileNameOf(invoice.data.invoice.no),
      isNew: !pdfs.has(pdfKey(invoice, locale)),
      print: () => pdfOf(invoice, locale),
    })
  })

  app.post('/invoice/:id', async (c) => {
    if (c.req.header('sec-fetch-site') === 'cross-site') return c.text('This form belongs to another site.', 403)
    const invoice = await find(c.req.param('id'))
    if (!invoice) return missing(c)
    const fields: unknown = await readForm(c)
    if (port.renew && Renew.safeParse(fields).success) {
      try {
        await port.renew(invoice.id)
      } catch (error) {
        parts.log.warn({ err: error, invoice: invoice.id }, 'cannot reprice an invoice; the payer is asked to try again')
        return show(c, invoice, { problem: { at: 'price', code: 'offline' } })
      }
      return c.redirect(path(invoice.id) + choiceQuery({ pick: false }, c.req.query('locale')), 303)
    }
    const form = z.safeParse(Form, fields)
    if (!form.success) return show(c, invoice)
    const outcome = await act(parts, invoice.orderId, form.data)
    if (outcome.is === 'done') return c.redirect(path(invoice.id) + choiceQuery(nextChoice(c, form.data), c.req.query('locale')), 303)
    return show(c, invoice, outcome.is === 'found' ? { found: outcome.hash } : { problem: outcome.problem })
  })
}

const Renew = z.object({ act: z.literal('renew') })

const partyOf = ({ address, ...party }: PageInvoice['data']['from']): InvoiceSheet['from'] => ({
  ...party,
  address: [...addressLines(address ?? '')],
})

function sheetOf({ data, fiatUnit, isClosed, isOverdue }: PageInvoice): InvoiceSheet {
  const totals = invoiceTotals(data, fiatUnit)
  const decimal = (value: bigint) => fiatDecimal(value, totals.digits)
  return {
    no: data.invoice.no,
    date: data.invoice.date,
    due_date: data.invoice.due_date,
    unit: fiatUnit,
    from: partyOf(data.from),
    to: partyOf(data.recipient),
    lines: totals.lines.map((line) => ({
      name: line.name,
      quantity: line.quantity,
      price: line.unitPrice,
      rate: line.rate,
      amount: decimal(line.amount),
    })),
    subtotal: decimal(totals.subtotal),
    taxes: totals.taxes.map((tax) => ({ rate: tax.rate, amount: decimal(tax.amount) })),
    total: decimal(totals.total),
    closed: isClosed,
    overdue: isOverdue,
  }
}
