import * as z from 'zod/mini'
import type { CurrencyRead } from '../../src/wire/currency.ts'
import type { PaymentMethodRead } from '../../src/wire/payment-methods.ts'
import { list, maybe, OrderRead, SettingsRead, string } from '../../src/wire/order-read.ts'

/** The service behind the pages, as far as they need it: this process itself, or another service that is asked over the network. */
export interface OrderSource {
  order(id: string): Promise<Reply<ServedOrder>>
  /** The ways to pay the order from this country, as far as a trusted proxy names one. Refused with 422 when it takes no payment any more. */
  methods(id: string, country: string | undefined): Promise<Reply<readonly PaymentMethodRead[]>>
  currencies(query: string): Promise<Reply<readonly CurrencyRead[]>>
  /** Asks for instructions; what the payer typed is checked by the service. */
  requestPayment(id: string, request: TransferRequest): Promise<Reply<unknown>>
  findTransaction(id: string, txHash: string): Promise<Reply<Found>>
  /** The publishable key that a browser may use for this order; without one the page works by its forms alone. */
  keyFor(id: string): Promise<string | undefined>
}

/** The API's PaymentRequest as a form fills it in. */
export interface TransferRequest {
  readonly source: { readonly currency: { readonly chain_id: number; readonly address: string | null }; readonly payment_rail: 'CRYPTO' }
  readonly refund_address?: string
  readonly extend?: boolean
}

export interface Found {
  readonly found: boolean
  readonly message: string
  readonly problem?: string
}

export type Reply<T> = { readonly ok: true; readonly value: T } | Refusal

export interface Refusal {
  readonly ok: false
  /** An HTTP status code; 0 when the service did not answer. */
  readonly status: number
  readonly message?: string
  readonly problem?: string
  readonly trace?: string
}

/** An order as the server reads it for its page: what the page reads, and what only the server needs. */
export const ServedOrder = z.extend(OrderRead, {
  organization_id: string,
  settings: maybe(z.extend(SettingsRead, { theme_color: string, embed_origins: list(z.string()) })),
})
export type ServedOrder = z.infer<typeof ServedOrder>
