import { Hono } from 'hono'
import { ApiError } from '../http/api-error.ts'
import { assetRoutes } from './assets.ts'
import { frameShell } from './frame-shell.ts'
import { imageRoutes } from './images.ts'
import { invoicePage } from './invoice-page.ts'
import { orderActions } from './order-actions.ts'
import { orderPage } from './order-page.ts'
import type { PagesParts } from './pages-parts.ts'
import { pdfDoor } from './pdf.ts'
import { settlementChangePage } from './settlement-change-page.ts'

/** Serves everything that a payer's browser requests at {pay_url}, except for the API. */
export function pages(parts: PagesParts): Hono {
  const app = new Hono()
  app.onError((error, c) => {
    if (error instanceof ApiError) return c.text(error.message, error.status)
    parts.log.warn({ err: error, path: c.req.path }, 'cannot serve a page; answering 500')
    return c.text('Something went wrong on our side. Nothing was lost; open the link again in a moment.', 500)
  })
  assetRoutes(app, parts.assets, parts.payUrl)
  frameShell(app, parts)
  const pdf = pdfDoor(parts)
  orderPage(app, parts, pdf)
  orderActions(app, parts)
  if (parts.invoices) invoicePage(app, parts, parts.invoices, pdf)
  if (parts.settlementChanges) settlementChangePage(app, parts, parts.settlementChanges)
  imageRoutes(app, parts)
  return app
}
