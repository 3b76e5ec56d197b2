import type { Context } from 'hono'
import type { Render, WalletRelay } from '../../src/wire/boot.ts'
import type { FiatCurrency } from '../../src/wire/currency.ts'
import type { InvoiceWordsOf } from '../../src/wire/invoice-words.ts'
import type { InvoiceData } from '../../src/wire/invoice.ts'
import type { Assets } from './assets.ts'
import type { OrderSource } from './order-source.ts'

/** What the pages are made of. */
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

/** A published invoice, with the order that its page is about. */
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
  /** Creates the invoice's next order. Without it an expired order gets a new price itself. Rejects when the invoice cannot be priced. */
  readonly renew?: (id: string) => Promise<void>
  readonly words: InvoiceWordsOf
}

/** Fetches a URL that a merchant chose: https, public, bounded, without redirects. Throws for any other. */
export type FetchImage = (url: string) => Promise<Uint8Array>
