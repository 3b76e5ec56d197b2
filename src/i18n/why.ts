import type { ProblemCode } from '../wire/problems.ts'
import type { PlainKey } from './messages.ts'
import type { Words } from './words.ts'

const keys: Readonly<Record<ProblemCode, PlainKey>> = {
  partly_paid: 'whyPartlyPaid',
  price_over: 'whyPriceOver',
  on_its_way: 'whyOnItsWay',
  needs_transfer: 'whyNeedsTransfer',
  card_off: 'whyCardOff',
  card_away: 'whyCardAway',
  card_small: 'whyCardSmall',
  card_place: 'whyCardPlace',
  card_unplaced: 'whyCardUnplaced',
  source_fixed: 'whyFixed',
  not_payable: 'whyClosed',
  too_early: 'whyTooEarly',
  too_often: 'whyExtended',
  refund_address_fixed: 'whyRefundFixed',
  currency_unavailable: 'whyCurrency',
  no_route: 'whyNoRoute',
  address_lost: 'whyAddressLost',
  address_ours: 'whyAddressOurs',
  address_mistyped: 'whyAddressMistyped',
  transaction_unknown: 'whyNotFound',
  link: 'whyCardLink',
  identity: 'whyCardIdentity',
  payment_method: 'whyCardRefused',
  session: 'whyCardSession',
  checkout: 'whyCardCheckout',
}

const isKnown = (code: string): code is ProblemCode => Object.hasOwn(keys, code)

/** What a service says in a word, in the payer's language; undefined for a word of a newer or another one: its own sentence stands. */
export const whyText = (words: Words, code: string | undefined): string | undefined =>
  code !== undefined && isKnown(code) ? words.t(keys[code]) : undefined
