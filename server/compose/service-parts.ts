import type { Hono } from 'hono'
import type { Logger } from 'pino'
import type { Render } from '../../src/wire/boot.ts'
import type { InvoiceWordsOf } from '../../src/wire/invoice-words.ts'
import type { ReceiptSheetOf } from '../../src/wire/receipt-sheet.ts'
import type { Guards } from '../guard/guards.ts'
import type { Chain } from '../chains/chain.ts'
import type { Shared } from '../config.ts'
import type { Sql } from '../database/connect.ts'
import type { X402Parts } from '../incoming/x402/x402.ts'
import type { Engine } from '../orders/engine.ts'
import type { Bank } from '../providers/bank.ts'
import type { CardProvider } from '../providers/card.ts'
import type { Identity } from '../providers/identity.ts'
import type { Mail } from '../providers/mail.ts'
import type { Prices } from '../providers/prices.ts'
import type { DeliverParts } from '../webhooks/deliver.ts'

export interface ServiceParts {
  readonly config: Shared
  readonly sql: Sql
  readonly chains: readonly Chain[]
  readonly prices: Prices
  /** Signs for refunds and conversions. Without it there are none on EVM chains. */
  readonly guard?: Pick<Guards, 'forNewOrders'>
  readonly log: Logger
  readonly render: Render
  readonly receiptSheet: ReceiptSheetOf
  /** Invoices are rendered and mailed with these. Without a mail server, mails wait for a process that has one. */
  readonly invoicing?: { readonly words: InvoiceWordsOf; readonly mail?: Mail; readonly sender?: string }
  readonly bank?: Bank
  readonly identity?: Identity
  readonly card?: CardProvider
  readonly clientDir: string
  /** The API's reference extends the page's stylesheet, so without it there is no reference. */
  readonly stylesheet?: string
  /** The pages show only orders whose addresses follow from this contract. Without it they are not checked. */
  readonly factory?: string
  readonly x402?: Pick<X402Parts, 'waitMs' | 'acceptEarly'>
  readonly deliveries?: Pick<DeliverParts, 'schedule' | 'answerWithinMs' | 'leaseSeconds'>
  /** In local mode plain http and loopback addresses may be called. */
  readonly isLocal: boolean
  /** Adds routes that only one mode has. They are mounted after the API and before the pages. */
  readonly extraRoutes?: (app: Hono, engine: Engine) => void
}

/** Durations need this monotonic clock, because the wall clock may be set back. */
export const elapsed = (): number => performance.now()
