import * as z from 'zod/mini'

/** A page translates the service's sentence by this code, which is in `problem`, or in the `details` of an error. */
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

/** Any service may put anything into an error's `details`, so this checks the type of everything it reads. */
export const problemOfDetails = (details: unknown): string | undefined =>
  typeof details === 'object' && details !== null && 'problem' in details && typeof details.problem === 'string'
    ? details.problem
    : undefined
