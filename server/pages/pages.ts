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
  /** Absent when the service has no invoices. */
  readonly invoices?: InvoicePort
  readonly render: Render
  readonly assets: Assets
  readonly fetchImage: FetchImage
  /** The origins that may embed orders whose service does not name any. */
  readonly embedOrigins?: readonly string[]
  /** Without it only wallets on the payer's own device are offered. */
  readonly walletRelay?: WalletRelay
  readonly clock: () => number
  /** The name under which a client's address is counted. Without it all clients share one allowance. */
  readonly addressOf?: (c: Context) => string
  /** 16 random bytes in base64. */
  readonly nonce: () => string
  readonly log: { warn(about: object, message: string): void }
}

/** Everything that a payer's browser requests at {pay_url}, the API aside. */
export function pages(parts: PagesParts): Hono {
  const app = new Hono()
  app.onError((error, c) => {
    if (error instanceof ApiError) return c.text(error.message, error.status)
    parts.log.warn({ err: error, path: c.req.path }, 'cannot serve a page; answering 500')
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
