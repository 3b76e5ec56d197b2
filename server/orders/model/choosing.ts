import { type Asset, sameAsset } from './asset.ts'
import { accept, type Command, type Decision, isOpen, refuse, type Policy } from './commands.ts'
import type { Fact } from './facts.ts'
import { subtractToZero } from '../../../src/wire/money.ts'
import { type Closing, closing, funding, nextQuoteId, quoteById } from './funding.ts'
import { tooOld } from './closing-time.ts'
import { moveTo } from './status.ts'
import type { Order } from './order.ts'
import type { Quote } from './quote.ts'
import { fixedMessage, refundAddressFacts } from './refund-address.ts'
import { repriced } from './repricing.ts'

/** A payer has signed a transfer of one quote's whole amount, which may arrive at any moment, so no other quote is offered meanwhile. */
export function authorized(order: Order, quoteId: number, now: number): Decision {
  const quote = order.quotes.find(({ id }) => id === quoteId)
  if (!quote || quote.expiresAt <= now || !takesAuthorization(order, now)) return notPayable(order)
  if (order.claimedQuote !== undefined && order.claimedQuote !== quoteId)
    return refuse('source_fixed', 'This order is being paid at another price.')
  return accept(order.claimedQuote === quoteId ? [] : [{ type: 'claimed', quoteId }])
}

/** One signature pays the whole amount, so the order must not be covered yet, nor may a significant part of it be confirmed. */
export function takesAuthorization(order: Order, now: number): boolean {
  if ((order.status !== 'PENDING' && order.status !== 'AWAITING_PAYMENT') || now >= order.expiresAt || order.terms.refundOf?.fromDeposit)
    return false
  const closed = closing(order)
  return closed === undefined || closed.because === 'claimed'
}

/** What a single transfer from a wallet may bring. */
export interface WalletAmounts {
  /** Everything, which a signature pays too. It is absent once a payment has begun. */
  readonly whole?: bigint
  /** What is left, if something was received or seen. */
  readonly rest?: bigint
}

export function walletAmounts(order: Order, now: number): WalletAmounts {
  const { quote, required, remaining, seen } = funding(order)
  const isBegun = order.status === 'PARTIAL_PAYMENT' && closing(order)?.because === 'begun' && !order.terms.refundOf?.fromDeposit
  const isWhole = takesAuthorization(order, now)
  if ((!isBegun && !isWhole) || (quote.expiresAt <= now && (quote.moves || isWhole))) return {}
  const rest = subtractToZero(remaining, seen)
  return { ...(isWhole && { whole: required }), ...(rest > 0n && rest < required && { rest }) }
}

export function choose(order: Order, command: Extract<Command, { type: 'choose' }>, policy: Policy, now: number): Decision {
  const address = refundAddressFacts(order, command.refundAddress, command.signed)
  if (!address) return refuse('refund_address_fixed', fixedMessage)
  const setByMerchant = address.length > 0 && command.signed
  if (order.supersededBy !== undefined && address.length > 0) return accept(address)
  if (!isOpen(order) || order.supersededBy !== undefined) return setByMerchant ? accept(address) : notPayable(order)
  const closed = closing(order)
  if (closed) {
    const { source, moves, expiresAt } = closed.quote
    if (closed.because === 'charged' || !sameAsset(source, command.source)) return refuse('source_fixed', closedMessage(closed))
    const isPriceExpired = moves && expiresAt <= now && closed.because === 'begun'
    return accept(isPriceExpired && command.quote ? [...address, repriced(order, command.quote, policy, now)] : address)
  }
  const isLate = order.status === 'EXPIRED' || now >= order.expiresAt
  const isFirst = order.instructedAt === undefined || order.status === 'PENDING'
  // An order that was extended since the caller looked has no fresh price at hand, and its earlier price is still good for a while.
  const valid = validQuote(order, command.source, now) ?? (command.quote ? undefined : liveQuote(order, command.source, now))
  if (valid) {
    const isChosen = valid.id === order.activeQuote && order.rail === undefined
    return accept(isChosen ? address : [...address, { type: 'chosen', quoteId: valid.id }])
  }
  const old = tooOld(order, command, policy, now)
  if (old) return old
  if (!command.quote) throw new Error('choosing this source needs a new quote, and none was passed')
  const expiresAt = isFirst || isLate ? now + policy.paymentWindowMs : order.expiresAt
  const quote = { ...command.quote, id: nextQuoteId(order), expiresAt }
  const status = order.status === 'PENDING' || order.status === 'EXPIRED' ? moveTo(order.status, 'AWAITING_PAYMENT') : []
  return accept([...address, { type: 'quoted', quote, expiresAt }, ...status])
}

function closedMessage({ quote: { source }, because }: Closing): string {
  switch (because) {
    case 'taken':
    case 'covered':
    case 'claimed':
      return `A payment in ${source.symbol} is on its way: nothing else is due.`
    case 'charged':
      return 'A card payment is on its way: nothing else is due.'
    case 'begun':
      return `Part of this order is paid in ${source.symbol}: the rest must be paid in ${source.symbol} on the same network.`
    default:
      return because satisfies never
  }
}

const liveQuote = ({ quotes }: Order, source: Pick<Asset, 'chainId' | 'address'>, now: number): Quote | undefined =>
  quotes.findLast((quote) => sameAsset(quote.source, source) && quote.expiresAt > now)

/** A quote that is still valid is reused when the payer chooses its source again, even with another slippage. */
export function validQuote(order: Order, source: Pick<Asset, 'chainId' | 'address'>, now: number): Quote | undefined {
  if (order.instructedAt === undefined || order.status === 'PENDING' || order.status === 'EXPIRED' || now >= order.expiresAt)
    return undefined
  // The payer is shown the order's time, so a price that would run out earlier is made anew.
  const isValid = (quote: Quote) =>
    sameAsset(quote.source, source) && quote.expiresAt > now && (!quote.moves || quote.expiresAt >= order.expiresAt)
  const active = quoteById(order, order.activeQuote)
  return isValid(active) ? active : order.quotes.findLast(isValid)
}

/** A card pays the whole amount, so the order must not be covered or claimed yet, nor may a significant part of it be confirmed. */
export const takesCard = (order: Order): boolean =>
  isOpen(order) && order.status !== 'PARTIAL_PAYMENT' && closing(order) === undefined && !order.terms.refundOf?.fromDeposit

export function card(order: Order, { quote, card: opened }: Extract<Command, { type: 'card' }>, policy: Policy, now: number): Decision {
  if (!takesCard(order)) return notPayable(order)
  if (order.card?.id === opened.id && order.rail === 'FIAT') return accept([])
  const chosen = choose(order, { type: 'choose', source: order.terms.asset, quote, signed: false }, policy, now)
  return chosen.ok ? accept([...chosen.facts, { type: 'card_opened', card: opened }]) : chosen
}

/** Only updates of the order's newest card session count, and those of earlier sessions are ignored. */
export function updateCard({ card: known }: Order, { id, status, problem, at }: Extract<Command, { type: 'card_news' }>): readonly Fact[] {
  if (known?.id !== id || at <= known.at || known.status === 'fulfillment_complete') return []
  return [{ type: 'card_moved', id, status, at, ...(problem && { problem }) }]
}

export function extend(order: Order, command: Extract<Command, { type: 'extend' }>, policy: Policy, now: number): Decision {
  if (order.status !== 'AWAITING_PAYMENT') return notPayable(order)
  if (now >= order.expiresAt) return refuse('not_payable', 'The time has run out. Ask for a new price.')
  if (order.extensions >= policy.maxExtensions)
    return refuse('too_often', `The time was already extended ${order.extensions} times. Ask for a new price when it has run out.`)
  if (order.expiresAt - now > policy.extensionOpensMs)
    return refuse('too_early', 'There is still time. It can be extended in its last minutes.')
  const expiresAt = order.expiresAt + policy.extensionMs
  const current = quoteById(order, order.activeQuote)
  const old = tooOld(order, current, policy, now)
  if (old) return old
  if (!current.moves) return accept([{ type: 'extended', expiresAt }])
  if (!command.quote) throw new Error('extending a price that moves needs a new quote, and none was passed')
  return accept([{ type: 'extended', expiresAt, quote: { ...command.quote, id: nextQuoteId(order), expiresAt } }])
}

/** Shortens the time to pay, and never extends it. A transfer counts at the price of its time, so once there is one, that time stays as it was. */
export function shorten(order: Order, expiresAt: number): Decision {
  if (order.status !== 'PENDING' && order.status !== 'AWAITING_PAYMENT') return notPayable(order)
  if (order.transfers.length > 0) return refuse('not_payable', 'A transfer to this order has been seen, so its time stays as it is.')
  return accept(expiresAt < order.expiresAt ? [{ type: 'shortened', expiresAt }] : [])
}

const notPayable = (order: Order): Decision =>
  order.supersededBy !== undefined
    ? refuse('not_payable', 'The invoice is being paid by another order: this one takes nothing any more.')
    : refuse('not_payable', `This order can no longer be paid: it is ${order.status}.`)
