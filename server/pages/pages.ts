import { type Context, Hono } from 'hono'
import type { Render, WalletRelay } from '../../src/wire/boot.ts'
import { ApiError } from '../http/api-error.ts'
import type { Assets } from './assets.ts'
import { assetRoutes } from './assets.ts'
import { frameShell } from './frame-shell.ts'
import { imageRoutes, type FetchImage } from './images.ts'
import { invoicePage, type InvoicePort } from './invoice-page.ts'
import { orderActions } from './order-actions.ts'
import { orderPage } from './order-page.ts'
import type { OrderSource } from './order-source.ts'

export interface PagesParts {
  readonly orders: OrderSource
  /** {base_url} as browsers reach it. */
  readonly publicBaseUrl: string
  /** {pay_url} */
  readonly payUrl: string
  /** Invoices, where the service behind us has them. */
  readonly invoices?: InvoicePort
  readonly render: Render
  readonly assets: Assets
  readonly fetchImage: FetchImage
  /** Who may embed orders that name nobody, when the service behind us knows no such member. */
  readonly embedOrigins?: readonly string[]
  /** Absent: only wallets of the payer's own device. */
  readonly walletRelay?: WalletRelay
  readonly clock: () => number
  /** The name under which a caller's address is counted. Absent: all are one. */
  readonly addressOf?: (c: Context) => string
  /** For 16 random bytes, base64. */
  readonly nonce: () => string
  readonly log: { warn(about: object, message: string): void }
}

/** Everything a payer's browser asks {pay_url} for, the API aside. */
export function pages(parts: PagesParts): Hono {
  const app = new Hono()
  app.onError((error, c) => {
    if (error instanceof ApiError) return c.text(error.message, error.status)
    parts.log.warn({ err: error, path: c.req.path }, 'a page could not be made')
    return c.text('Something went wrong on our side. Nothing was lost; open the link again in a moment.', 500)
  })
  assetRoutes(app, parts.assets)
  frameShell(app, parts)
  orderPage(app, parts)
  orderActions(app, parts)
  if (parts.invoices) invoicePage(app, parts, parts.invoices)
  imageRoutes(app, parts)
  return app
}
