import * as z from 'zod/mini'

/**
 * Codes for why a payer's request is refused. They come beside the sentence, so that a page can say it in the payer's own language.
 * A method of payment and the answer about a transaction carry it as `problem`, an error in its `details`.
 */
export const problems = [
  'partly_paid',
  'price_over',
  'on_its_way',
  'needs_transfer',
  'card_off',
  'card_away',
  'card_small',
  'card_place',
  'card_unplaced',
  'source_fixed',
  'not_payable',
  'too_early',
  'too_often',
  'refund_address_fixed',
  'currency_unavailable',
  'no_route',
  'address_lost',
  'address_ours',
  'address_mistyped',
  'transaction_unknown',
  'link',
  'identity',
  'payment_method',
  'session',
  'checkout',
] as const

export const ProblemCode = z.enum(problems)
export type ProblemCode = z.infer<typeof ProblemCode>

/** Of an error's `details`, whatever those are. */
export const problemOfDetails = (details: unknown): string | undefined =>
  typeof details === 'object' && details !== null && 'problem' in details && typeof details.problem === 'string'
    ? details.problem
    : undefined
