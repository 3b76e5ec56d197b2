import * as z from 'zod/mini'
import { DateTime, Decimal, HttpUrl } from '../../src/wire/scalars.ts'
import { cardProblems, cardStatuses } from '../orders/model/card.ts'
import { type CallbackResult, ProviderUnavailable } from './callback.ts'
import { askProvider, type ProviderAddress, readCallback } from './ask-provider.ts'

/** A card payment must deliver an amount of a token to an address. */
export interface CardRequest {
  /** The reference is the order id, which the provider sends back with every callback. */
  readonly reference: string
  readonly fiat: 'usd' | 'eur'
  readonly deliver: {
    readonly chain_id: number
    /** Null means the chain's native coin. */
    readonly token: string | null
    readonly symbol: string
    readonly decimals: number
    /** The amount is in the token's smallest units. */
    readonly amount: string
    readonly address: string
  }
  readonly return_url: string
}

export const CardSession = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(200)),
  hosted_url: HttpUrl,
  status: z.enum(cardStatuses),
  /** The payer is charged this amount, with all costs included. */
  total: Decimal,
  at: DateTime,
})
export type CardSession = z.infer<typeof CardSession>

export const CardAnswer = z.union([z.object({ session: CardSession }), z.object({ refused: z.enum(cardProblems) })])
export type CardAnswer = z.infer<typeof CardAnswer>

export const CardCallback = z.object({
  session_id: z.string(),
  reference: z.string(),
  status: z.enum(cardStatuses),
  problem: z.optional(z.enum(cardProblems)),
  /** The session entered this status at this time. Older updates are dropped. */
  at: DateTime,
})
export type CardCallback = z.infer<typeof CardCallback>

/** What the provider adds to what it delivers: a share in percent, and so much of the fiat currency. Both are decimals. */
export interface CardFee {
  readonly percent: string
  readonly fixed: string
}

/** The provider's own page takes the card, so no card number reaches us. `open` rejects with ProviderUnavailable if it does not answer. */
export interface CardProvider {
  /** With it the payer sees about what a card is charged before choosing it. Only a session says exactly. */
  readonly fee?: CardFee
  open(ask: CardRequest, signal?: AbortSignal): Promise<CardAnswer>
  read(header: string | undefined, body: Uint8Array, now: number): CallbackResult<CardCallback>
}

/** Connects to a card provider that implements docs/cards.md: POST {url}/sessions and signed callbacks. */
export const httpCard = ({ fee, ...address }: ProviderAddress & { readonly fee?: CardFee }): CardProvider => ({
  fee,
  async open(ask, signal) {
    const answer = await askProvider('The card provider', address, { path: '/sessions', body: ask, schema: CardAnswer, signal })
    if (!answer) throw new ProviderUnavailable('The card provider', 'responded with status 404')
    return answer
  },
  read: (header, body, now) => readCallback(address.secret, header, body, CardCallback, now),
})
