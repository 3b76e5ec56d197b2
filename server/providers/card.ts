import * as z from 'zod/mini'
import { DateTime, Decimal, HttpUrl } from '../../src/wire/scalars.ts'
import { cardProblems, cardStatuses } from '../orders/model/card.ts'
import { type CallbackResult, ProviderUnavailable } from './callback.ts'
import { askProvider, type ProviderAddress, readCallback } from './ask-provider.ts'

/** What a card payment must deliver: an amount of a token, to an address. */
export interface CardRequest {
  /** The order id, which comes back with every callback. */
  readonly reference: string
  readonly fiat: 'usd' | 'eur'
  readonly deliver: {
    readonly chain_id: number
    /** null: the chain's own coin. */
    readonly token: string | null
    readonly symbol: string
    readonly decimals: number
    /** In smallest units. */
    readonly amount: string
    readonly address: string
  }
  /** Where the payer goes afterwards. */
  readonly return_url: string
}

export const CardSession = z.object({
  id: z.string().check(z.minLength(1), z.maxLength(200)),
  hosted_url: HttpUrl,
  status: z.enum(cardStatuses),
  /** What the payer is charged, all costs included. */
  total: Decimal,
  at: DateTime,
})
export type CardSession = z.infer<typeof CardSession>

/** A session, or why this payer cannot have one now. */
export const CardAnswer = z.union([z.object({ session: CardSession }), z.object({ refused: z.enum(cardProblems) })])
export type CardAnswer = z.infer<typeof CardAnswer>

export const CardCallback = z.object({
  session_id: z.string(),
  reference: z.string(),
  status: z.enum(cardStatuses),
  problem: z.optional(z.enum(cardProblems)),
  /** The provider's time of this state: older updates are dropped. */
  at: DateTime,
})
export type CardCallback = z.infer<typeof CardCallback>

/** The card provider. Its own page takes the card: no card number ever reaches us. Throws ProviderUnavailable. */
export interface CardDesk {
  open(ask: CardRequest, signal?: AbortSignal): Promise<CardAnswer>
  read(header: string | undefined, body: Uint8Array, now: number): CallbackResult<CardCallback>
}

/** A card provider that implements docs/cards.md: POST {url}/sessions, and signed callbacks. */
export const httpCard = (address: ProviderAddress): CardDesk => ({
  async open(ask, signal) {
    const answer = await askProvider('The card provider', address, { path: '/sessions', body: ask, schema: CardAnswer, signal })
    if (!answer) throw new ProviderUnavailable('The card provider', 'responded with status 404')
    return answer
  },
  read: (header, body, now) => readCallback(address.secret, header, body, CardCallback, now),
})
