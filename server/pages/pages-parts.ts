import type { Context } from 'hono'
import type { Render, WalletRelay } from '../../src/wire/boot.ts'
import type { FiatCurrency } from '../../src/wire/currency.ts'
import type { InvoiceWordsOf } from '../../src/wire/invoice-words.ts'
import type { InvoiceData } from '../../src/wire/invoice.ts'
import type { Assets } from './assets.ts'
import type { OrderSource } from './order-source.ts'

export interface PagesParts {
  readonly orders: OrderSource
  /** Browsers reach {base_url} at this URL. */
  readonly publicBaseUrl: string
  readonly payUrl: string
  readonly invoices?: InvoicePort
  readonly render: Render
  readonly assets: Assets
  readonly fetchImage: FetchImage
  /** These origins may embed an order that has no list of origins of its own. */
  readonly embedOrigins?: readonly string[]
  readonly walletRelay?: WalletRelay
  readonly clock: () => number
  /** Returns the name under which a client is counted. Without it all clients share one allowance. */
  readonly addressOf?: (c: Context) => string
  /** Returns 16 random bytes in base64, since a nonce in a content security policy must be unguessable. */
  readonly nonce: () => string
  readonly log: { warn(about: object, message: string): void }
}

/** Only a published invoice has a page, so it always has an order, which is the one that the page shows. */
export interface PageInvoice {
  readonly id: string
  readonly orderId: string
  readonly data: InvoiceData
  readonly fiatUnit: FiatCurrency
  readonly isLive: boolean
  readonly isClosed: boolean
  readonly publishedAt: Date
}

export interface InvoicePort {
  find(id: string): Promise<PageInvoice | undefined>
  /** Creates the invoice's next order if none can be paid, or rejects if it has no price. Without this the expired order is repriced. */
  readonly renew?: (id: string) => Promise<void>
  readonly words: InvoiceWordsOf
}

/** A merchant chose the URL, so this rejects for redirects, large files and, outside local mode, anything but https at public addresses. */
export type FetchImage = (url: string) => Promise<Uint8Array>
