import * as z from 'zod/mini'
import type { FoundCurrencyRead } from '../../src/wire/currency.ts'
import type { PaymentMethodRead } from '../../src/wire/payment-methods.ts'
import { list, maybe, OrderRead, SettingsRead, optionalString } from '../../src/wire/order-read.ts'

/** The pages need only this of the service, which is this process or another service on the network. */
export interface OrderSource {
  order(id: string): Promise<Reply<ServedOrder>>
  /** Lists the ways to pay, which may depend on the payer's country. The status is 422 if the order takes no more payments. */
  methods(id: string, country: string | undefined): Promise<Reply<readonly PaymentMethodRead[]>>
  /** Searches for currencies that could pay the order. */
  currencies(id: string, query: string): Promise<Reply<readonly FoundCurrencyRead[]>>
  /** Asks for payment instructions. The service checks what the payer typed. */
  requestPayment(id: string, request: TransferRequest): Promise<Reply<unknown>>
  findTransaction(id: string, txHash: string): Promise<Reply<Found>>
  /** Returns the publishable key that browsers may use for this order. Without one the page works by forms alone. */
  keyFor(id: string): Promise<string | undefined>
}

/** A form can fill in only this part of the API's PaymentRequest. */
export interface TransferRequest {
  readonly source?: { readonly currency: { readonly chain_id: number; readonly address: string | null }; readonly payment_rail: 'CRYPTO' }
  readonly refund_address?: string
  readonly refund_chain_id?: number
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
  /** This is the HTTP status code, or 0 if the service did not answer. */
  readonly status: number
  readonly message?: string
  readonly problem?: string
  readonly trace?: string
}

/** The server reads more of an order than its page does, such as the theme colour and the origins that may embed it. */
export const ServedOrder = z.extend(OrderRead, {
  organization_id: optionalString,
  settings: maybe(z.extend(SettingsRead, { theme_color: optionalString, embed_origins: list(z.string()) })),
})
export type ServedOrder = z.infer<typeof ServedOrder>
