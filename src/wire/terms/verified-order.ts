/** These types are published with the package as they are here (embed/build.mjs), so this file imports nothing. */

export type OrderProblem =
  /** It is not an order, or something in it has no meaning. */
  | 'malformed'
  /** It can be paid on an EVM chain and has no terms. */
  | 'no_terms'
  | 'other_order'
  | 'other_factory'
  | 'unknown_recipient'
  | 'unknown_fee_collector'
  | 'unknown_guard'
  /** A payer is asked to pay to another address than the one that follows from the terms. */
  | 'address'
  /** A currency, a chain or a recipient that the order shows is not one of its terms. */
  | 'settlement'

export type VerifiedOrder =
  /** The address is in lower case. An order that cannot be paid on any EVM chain has none: nothing binds its address, and it is not refused. */
  { readonly ok: true; readonly address: string | undefined } | { readonly ok: false; readonly problem: OrderProblem }

export interface ExpectedOrder {
  /** The operator publishes the address of the factory. It is the same on all chains. */
  readonly factory: string
  /** These EVM addresses are yours. Addresses of other families are ignored. */
  readonly recipients: readonly string[]
  /** Besides you, only these may receive fees. Without the list any collector may, up to the caps of the terms. */
  readonly feeCollectors?: readonly string[]
  /** Only this guard may sign for refunds and conversions. Without it any guard may. */
  readonly guard?: string
}

/**
 * Checks, without any network, that the money of an order can only reach whom we expect. The order is JSON that somebody else sent, so
 * nothing in it is believed: its address is computed again from its terms, and everything that a payer might follow has to agree with them.
 */
export type VerifyOrder = (order: unknown, expected: ExpectedOrder) => VerifiedOrder
