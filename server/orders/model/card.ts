/** A card payment can fail at these steps. Each has a message below that a payer can act on. */
export const cardProblems = ['link', 'identity', 'payment_method', 'session', 'checkout'] as const
export type CardProblem = (typeof cardProblems)[number]

export const cardMessages: Record<CardProblem, string> = {
  link: 'The card provider’s page could not be opened. Try again in a moment, or pay another way.',
  identity: 'The card provider could not confirm who you are. Check your details there, or pay another way.',
  payment_method: 'This card was not accepted. Try another card, or pay another way.',
  session: 'The card payment took too long and was closed. Nothing was charged. Start it again when you are ready.',
  checkout: 'The card payment did not go through. Try again, or pay another way.',
}

export const cardStatuses = [
  'initialized',
  'requires_identity',
  'requires_payment',
  'fulfillment_processing',
  'fulfillment_complete',
  'rejected',
  'expired',
] as const
export type CardStatus = (typeof cardStatuses)[number]

/** A card payment is stored as its provider reports it. The money that it delivers arrives at the deposit address like any transfer. */
export interface Card {
  readonly id: string
  readonly hostedUrl: string
  readonly status: CardStatus
  readonly problem?: CardProblem
  /** The provider dates each status, and updates that are not newer than this are ignored. */
  readonly at: number
  /** The provider delivers this much of the settlement asset. */
  readonly amount: bigint
  /** The payer is charged this much of `fiat`, all costs included. */
  readonly total: string
  readonly fiat: 'usd' | 'eur'
}

/** The card has been charged. What its provider delivers may not be seen yet. */
export const isCharged = ({ status }: Pick<Card, 'status'>): boolean =>
  status === 'fulfillment_processing' || status === 'fulfillment_complete'

export const isCardOpen = ({ status }: Card): boolean => status !== 'rejected' && status !== 'expired' && status !== 'fulfillment_complete'
