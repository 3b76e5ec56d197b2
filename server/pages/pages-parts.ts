import type { Context } from 'hono'
import type { Render, WalletRelay } from '../../src/wire/boot.ts'
import type { FiatCurrency } from '../../src/wire/currency.ts'
import type { InvoiceWordsOf } from '../../src/wire/invoice-words.ts'
import type { ReceiptSheetOf } from '../../src/wire/receipt-sheet.ts'
import type { InvoiceData } from '../../src/wire/invoice.ts'
import type { Limiter } from '../http/limits.ts'
import type { Assets } from './assets.ts'
import type { OrderSource } from './order-source.ts'

export interface PagesParts {
  readonly orders: OrderSource
  /** Browsers reach {base_url} at this URL. */
  readonly publicBaseUrl: string
  readonly payUrl: string
  readonly invoices?: InvoicePort
  /** A process in front of another service does not serve the links of its mails. */
  readonly settlementChanges?: SettlementChangePort
  readonly render: Render
  readonly receiptSheet: ReceiptSheetOf
  readonly assets: Assets
  readonly fetchImage: FetchImage
  /** These origins may embed an order that has no list of origins of its own. */
  readonly embedOrigins?: readonly string[]
  readonly walletRelay?: WalletRelay
  /** Orders that can be paid on EVM chains have to follow from this contract. Without it they are not checked. */
  readonly factory?: string
  readonly clock: () => number
  /** Returns the name under which a client is counted. Without it all clients share one allowance. */
  readonly addressOf?: (c: Context) => string
  /** Limits how often a client's pages ask chains and providers. A process in front of another service leaves that to the service. */
  readonly lookups?: Limiter
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
  /** Its day has passed, and there is no money for it. */
  readonly isOverdue: boolean
  readonly publishedAt: Date
}

export interface InvoicePort {
  find(id: string): Promise<PageInvoice | undefined>
  /** Creates the invoice's next order if none can be paid, or rejects if it has no price. Without this the expired order is repriced. */
  readonly renew?: (id: string) => Promise<void>
  readonly words: InvoiceWordsOf
}

/** A change of an organisation's settlements that may still be cancelled. */
export interface SettlementChangeView {
  readonly inForceAt: Date
  /** Each line says which currency goes to whom. */
  readonly lines: readonly string[]
}

export interface SettlementChangePort {
  /** Returns undefined for an unknown token, and for a change that is in force or cancelled. */
  find(token: string): Promise<SettlementChangeView | undefined>
  /** Returns false if there is nothing to cancel any more. */
  cancel(token: string): Promise<boolean>
  /** The payment page's style sheet. */
  readonly sheet: string
}

/** A merchant chose the URL, so this rejects for redirects, large files and, outside local mode, anything but https at public addresses. */
export type FetchImage = (url: string) => Promise<Uint8Array>

/** Takes one of the client's lookups, and returns false if there is none left. */
export const mayLookUp = (c: Context, { lookups, addressOf }: PagesParts): boolean => (lookups?.take(addressOf?.(c) ?? '') ?? 0) === 0
