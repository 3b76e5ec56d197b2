import { apply } from './apply.ts'
import { type Asset, sameAsset } from './asset.ts'
import { arrivalByBalance, isExplained } from './balance.ts'
import { accept, type Command, type Decision, isOpen, refuse, type RefundAsked, type Rules } from './commands.ts'
import type { Fact } from './facts.ts'
import { atDeposit, conversionLeft, everReceived, funding, quoteById, quoteInForce, refunded } from './funding.ts'
import type { Order, Transfer } from './order.ts'
import { refundOutcome, settlement } from './outcomes.ts'
import { convertsAnything, type Quote } from './quote.ts'
import { moveTo, react, recipientIsPaid, runningSettlement } from './react.ts'

/** What becomes of a command: the facts it makes and everything that follows from them, or a refusal with its reason. */
export const decide = (order: Order, command: Command, rules: Rules, now: number): Decision => {
  const first = answer(order, command, rules, now)
  if (!first.ok || first.facts.length === 0) return first
  const facts = [...first.facts]
  let state = facts.reduce((current, fact) => apply(current, fact, now), order)
  // Each rule removes its own cause, so a handful of rounds is the longest honest chain; more is a bug that must not spin.
  for (let round = 0; round < 50; round++) {
    const more = react(state, rules, now)
    if (more.length === 0) return accept(facts)
    facts.push(...more)
    state = more.reduce((current, fact) => apply(current, fact, now), state)
  }
  throw new Error(`order ${order.id}: reactions to ${command.type} do not come to rest`)
}

const answer = (order: Order, command: Command, rules: Rules, now: number): Decision => {
  switch (command.type) {
    case 'choose':
      return choose(order, command, rules, now)
    case 'card':
      return card(order, command, rules, now)
    case 'card_news':
      return accept(cardNews(order, command))
    case 'extend':
      return extend(order, command, rules, now)
    case 'arrived':
      return arrived(order, command, rules, now)
    case 'balance': {
      const transfer = arrivalByBalance(order, command, now)
      return transfer ? arrived(order, { type: 'arrived', transfer, head: command.head, quote: command.quote }, rules, now) : accept([])
    }
    case 'block':
      return accept(confirmed(order, (one) => one.asset.chainId === command.chainId, command.head, now))
    case 'vanished':
      return accept(withRelease(order, vanished(order, command.keys), now))
    case 'tick':
      return accept(tick(order, command.quote, rules, now))
    case 'settlement':
      return accept(withRelease(order, settlement(order, command.id, command.outcome), now))
    case 'refund_outcome':
      return accept(refundOutcome(order, command.id, command.outcome))
    case 'refund':
      return refund(order, command.refund)
    case 'accept_early':
      return order.status === 'AWAITING_CONFIRMATION'
        ? accept([
            { type: 'accepted_early', txHash: command.txHash },
            { type: 'became', status: 'OPTIMISTIC_CONFIRMED' },
          ])
        : accept([])
    case 'authorized':
      return authorized(order, command.quoteId, now)
    case 'unauthorized':
      return accept(
        order.fixedQuote !== undefined && order.transfers.every((one) => one.state === 'dropped') ? [{ type: 'source_released' }] : [],
      )
    default:
      return command satisfies never
  }
}

/** The payer signed for the whole amount of one quote, so money may be on its way before anyone sees it: nothing else is quoted meanwhile. */
const authorized = (order: Order, quoteId: number, now: number): Decision => {
  const quote = order.quotes.find((one) => one.id === quoteId)
  if (!quote || quote.expiresAt <= now || !takesAuthorization(order, now)) return notPayable(order)
  if (order.fixedQuote !== undefined && order.fixedQuote !== quoteId)
    return refuse('source_fixed', 'This order is being paid at another price.')
  return accept(order.fixedQuote === quoteId ? [] : [{ type: 'source_fixed', quoteId }])
}

/** One signature pays the whole, so it is for orders that nothing has been paid of. */
export const takesAuthorization = (order: Order, now: number): boolean => {
  if ((order.status !== 'PENDING' && order.status !== 'AWAITING_PAYMENT') || now >= order.expiresAt || order.terms.refundOf?.fromDeposit)
    return false
  const { received, seen } = funding(order)
  return received + seen === 0n
}

const notPayable = (order: Order): Decision =>
  order.supersededBy !== undefined
    ? refuse('not_payable', 'The invoice is being paid by another order: this one takes nothing any more.')
    : refuse('not_payable', `This order can no longer be paid: it is ${order.status}.`)

/** Anyone with the key may say where money goes back until money is seen; after that it takes the merchant's signature. */
const refundAddressFacts = (order: Order, address: string | undefined, signed: boolean): readonly Fact[] | undefined => {
  if (address === undefined || address === order.refundAddress) return []
  const moneySeen = order.transfers.some((one) => one.state !== 'dropped')
  return moneySeen && !signed ? undefined : [{ type: 'refund_address_set', address, signed }]
}

const choose = (order: Order, command: Extract<Command, { type: 'choose' }>, rules: Rules, now: number): Decision => {
  const address = refundAddressFacts(order, command.refundAddress, command.signed)
  if (!address)
    return refuse('refund_address_fixed', 'The refund address can be changed only by the merchant once a payment has been seen.')
  const setByMerchant = address.length > 0 && command.signed
  if (order.supersededBy !== undefined && address.length > 0) return accept(address)
  if (!isOpen(order) || order.supersededBy !== undefined) return setByMerchant ? accept(address) : notPayable(order)
  const fixed = order.fixedQuote === undefined ? undefined : quoteById(order, order.fixedQuote)
  if (fixed) {
    if (!sameAsset(fixed.source, command.source)) {
      return refuse(
        'source_fixed',
        `Money has arrived in ${fixed.source.symbol}: the rest must be paid in ${fixed.source.symbol} on the same network.`,
      )
    }
    const isOver = convertsAnything(fixed) && fixed.expiresAt <= now && order.status !== 'AWAITING_PAYMENT'
    return accept(isOver && command.quote ? [...address, repriced(order, command.quote, rules, now)] : address)
  }
  const isLate = order.status === 'EXPIRED' || now >= order.expiresAt
  const isFirst = order.instructedAt === undefined
  const good = goodQuote(order, command.source, command.quote?.slippageBps, now)
  if (good) {
    const isChosen = good.id === order.activeQuote && order.rail === undefined
    return accept(isChosen ? address : [...address, { type: 'chosen', quoteId: good.id }])
  }
  if (!command.quote) throw new Error('a new quote is needed and none was given')
  const expiresAt = isFirst || isLate ? now + rules.paymentWindowMs : order.expiresAt
  const quote = { ...command.quote, id: order.quotes.length, expiresAt }
  const status = order.status === 'PENDING' || order.status === 'EXPIRED' ? moveTo(order.status, 'AWAITING_PAYMENT') : []
  return accept([...address, { type: 'quoted', quote, expiresAt }, ...status])
}

/** A price that was given and still holds, if the payer asks again for the same. */
export const goodQuote = (
  order: Order,
  source: Pick<Asset, 'chainId' | 'address'>,
  slippageBps: number | undefined,
  now: number,
): Quote | undefined => {
  if (order.instructedAt === undefined || order.status === 'EXPIRED' || now >= order.expiresAt) return undefined
  const isGood = (quote: Quote) =>
    sameAsset(quote.source, source) && quote.expiresAt > now && (slippageBps === undefined || quote.slippageBps === slippageBps)
  const active = quoteById(order, order.activeQuote)
  return isGood(active) ? active : order.quotes.findLast(isGood)
}

/** A card delivers the whole amount in what the order settles in, so it is for orders that nothing has been paid of. */
export const takesCard = (order: Order): boolean => {
  const { received, seen } = funding(order)
  const isUntouched = order.fixedQuote === undefined && received + seen === 0n
  return isOpen(order) && order.status !== 'PARTIAL_PAYMENT' && isUntouched && !order.terms.refundOf?.fromDeposit
}

const card = (order: Order, { quote, card: opened }: Extract<Command, { type: 'card' }>, rules: Rules, now: number): Decision => {
  if (!takesCard(order)) return notPayable(order)
  if (order.card?.id === opened.id && order.rail === 'FIAT') return accept([])
  const chosen = choose(order, { type: 'choose', source: order.terms.asset, quote, signed: false }, rules, now)
  return chosen.ok ? accept([...chosen.facts, { type: 'card_opened', card: opened }]) : chosen
}

/** What its provider says of the newest payment by card; of an older one nothing is shown any more. */
const cardNews = ({ card: known }: Order, { id, status, problem, at }: Extract<Command, { type: 'card_news' }>): readonly Fact[] => {
  if (known?.id !== id || at <= known.at || known.status === 'fulfillment_complete') return []
  return [{ type: 'card_moved', id, status, at, ...(problem && { problem }) }]
}

const extend = (order: Order, command: Extract<Command, { type: 'extend' }>, rules: Rules, now: number): Decision => {
  if (order.status !== 'AWAITING_PAYMENT') return notPayable(order)
  if (now >= order.expiresAt) return refuse('not_payable', 'The time has run out. Ask for a new price.')
  if (order.extensions >= rules.maxExtensions)
    return refuse('too_often', `The time was already extended ${order.extensions} times. Ask for a new price when it has run out.`)
  if (order.expiresAt - now > rules.extensionOpensMs)
    return refuse('too_early', 'There is still time. It can be extended in its last minutes.')
  const expiresAt = order.expiresAt + rules.extensionMs
  const current = quoteById(order, order.activeQuote)
  if (!convertsAnything(current)) return accept([{ type: 'extended', expiresAt }])
  if (!command.quote) throw new Error('a quote that converts is priced anew when it is extended')
  return accept([{ type: 'extended', expiresAt, quote: { ...command.quote, id: order.quotes.length, expiresAt } }])
}

/** What came late, or is still due after its time, at today's price. */
const repriced = (order: Order, quote: Quote, rules: Rules, now: number): Fact => ({
  type: 'repriced',
  quote: { ...quote, id: order.quotes.length, expiresAt: now + rules.paymentWindowMs },
})

/** Money in a currency that is converted, and no price of this order for it holds any more. */
export const needsPrice = (order: Order, asset: Asset, now: number): boolean => {
  if (!isOpen(order) || sameAsset(asset, order.terms.asset)) return false
  const good = order.fixedQuote === undefined ? order.quotes : [quoteInForce(order)]
  const quotes = good.filter((quote) => sameAsset(quote.source, asset))
  return quotes.length > 0 && quotes.every((quote) => quote.expiresAt <= now)
}

const arrived = (order: Order, { transfer, head, quote }: Extract<Command, { type: 'arrived' }>, rules: Rules, now: number): Decision => {
  const known = order.transfers.find((one) => one.key === transfer.key)
  const isThere = known && known.state !== 'dropped'
  if (isThere && known.blockHash === transfer.blockHash) return accept([])
  if (isThere && (known.state === 'applied' || known.state === 'refunded')) {
    return accept([{ type: 'transfer_moved', key: known.key, block: transfer.block, blockHash: transfer.blockHash }])
  }
  if (!isThere && isExplained(order, transfer)) return accept([])
  // In another block than before it is another sight of it: what was confirmed there is not confirmed here.
  const facts: Fact[] = isThere ? [{ type: 'transfer_dropped', key: known.key }] : []
  facts.push({
    type: 'transfer_seen',
    transfer: { ...transfer, seenAt: known?.seenAt ?? transfer.seenAt, state: 'seen', confirmations: 0 },
  })
  const seenAt = known?.seenAt ?? transfer.seenAt
  if (!isThere && quote && sameAsset(quote.source, transfer.asset) && needsPrice(order, transfer.asset, seenAt))
    facts.push(repriced(order, quote, rules, now))
  const state = facts.reduce((current, fact) => apply(current, fact, now), order)
  return accept([...facts, ...confirmed(state, (one) => one.key === transfer.key, head, now)])
}

/**
 * Confirmations grow with the head; a transfer is confirmed once it has its chain's number of them. Asked only of transfers whose blocks
 * are known to be there: an arrival vouches for its own, a block for all that did not vanish before it.
 */
const confirmed = (order: Order, isThere: (transfer: Transfer) => boolean, head: number, now: number): readonly Fact[] => {
  const facts: Fact[] = []
  let counted = false
  const { source } = funding(order).quote
  for (const one of order.transfers) {
    if (one.state !== 'seen' || !isThere(one)) continue
    const confirmations = Math.min(one.needed, Math.max(0, head - one.block + 1))
    if (confirmations > one.confirmations) facts.push({ type: 'transfer_progressed', key: one.key, confirmations })
    if (confirmations >= one.needed) {
      facts.push({ type: 'transfer_confirmed', key: one.key })
      counted ||= sameAsset(one.asset, source)
    }
  }
  return counted && order.status === 'PARTIAL_PAYMENT' ? [...facts, ...stillPartial(order, facts, now)] : facts
}

/** PARTIAL_PAYMENT is announced again for every further deposit that does not complete the order. */
const stillPartial = (order: Order, facts: readonly Fact[], now: number): readonly Fact[] => {
  const { kept, enough, seen } = funding(facts.reduce((state, fact) => apply(state, fact, now), order))
  return kept + seen < enough ? [{ type: 'became', status: 'PARTIAL_PAYMENT' }] : []
}

/** The block is gone, and the money with it. What was sent on before was not that money: a final settlement proves its own. */
const vanished = (order: Order, keys: readonly string[]): readonly Fact[] =>
  order.transfers
    .filter((one) => keys.includes(one.key) && one.state !== 'dropped')
    .map((one) => ({ type: 'transfer_dropped', key: one.key }))

/** When a reorg took all the money that had fixed the source, nothing is fixed any more, as if it had never been there. */
const withRelease = (order: Order, facts: readonly Fact[], now: number): readonly Fact[] => {
  const after = facts.reduce((state, fact) => apply(state, fact, now), order)
  if (facts.length === 0 || after.fixedQuote === undefined || runningSettlement(after) || recipientIsPaid(after)) return facts
  const { source } = quoteById(after, after.fixedQuote)
  const came = after.transfers.filter((one) => sameAsset(one.asset, source))
  return came.length > 0 && came.every((one) => one.state === 'dropped') ? [...facts, { type: 'source_released' }] : facts
}

/** The rest of a payment that is converted is priced anew when its time is over, for a day; later only when the payer comes back. */
const repriceForMs = 24 * 3_600_000

const repriceAt = (order: Order): number | undefined => {
  const quote = quoteInForce(order)
  return convertsAnything(quote) && quote.expiresAt < order.expiresAt + repriceForMs ? quote.expiresAt : undefined
}

/** This order's next tick wants today's price of what it is paid in. */
export const ticksWithPrice = (order: Order, now: number): boolean =>
  order.status === 'PARTIAL_PAYMENT' && now >= (repriceAt(order) ?? Infinity)

const tick = (order: Order, quote: Quote | undefined, rules: Rules, now: number): readonly Fact[] => {
  const moneyInFlight = order.transfers.some((one) => one.state === 'seen')
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT':
      return now >= order.expiresAt && !moneyInFlight ? [{ type: 'became', status: 'EXPIRED' }] : []
    case 'PARTIAL_PAYMENT': {
      // After a long sleep both are due at once.
      const isPriced = quote && ticksWithPrice(order, now) && sameAsset(quote.source, quoteInForce(order).source)
      const isReminded = now >= order.expiresAt + rules.remindAfterMs && order.remindedAt === undefined
      return [
        ...(isPriced ? [repriced(order, quote, rules, now)] : []),
        ...(isReminded ? ([{ type: 'reminded' }, { type: 'became', status: 'PARTIAL_PAYMENT' }] as const) : []),
      ]
    }
    case 'FAILED':
      return now >= (retryAt(order, rules) ?? Infinity) ? [{ type: 'became', status: 'EXECUTING_ORDER' }] : []
    default:
      return []
  }
}

/** Money that is being given back is not sent to the recipient; and what another order's deposit address sends, that order decides. */
const retryAt = (order: Order, rules: Rules): number | undefined => {
  if (!order.failure || order.terms.refundOf?.fromDeposit || order.refunds.some((one) => one.from === 'deposit' && one.state !== 'failed'))
    return undefined
  const wait = rules.retryAfterMs[order.failure.attempts - 1]
  return wait === undefined ? undefined : order.failure.at + wait
}

/** When `tick` next has something to do for this order. */
export const nextTick = (order: Order, rules: Rules): number | undefined => {
  switch (order.status) {
    case 'PENDING':
    case 'AWAITING_PAYMENT':
      return order.expiresAt
    case 'PARTIAL_PAYMENT':
      return repriceAt(order) ?? (order.remindedAt === undefined ? order.expiresAt + rules.remindAfterMs : undefined)
    case 'FAILED':
      return retryAt(order, rules)
    default:
      return undefined
  }
}

const isRefundable = (order: Order): boolean =>
  !runningSettlement(order) &&
  (order.status === 'COMPLETED' ||
    order.status === 'PARTIAL_PAYMENT' ||
    order.status === 'FAILED' ||
    order.status === 'EXPIRED' ||
    order.status === 'REFUNDED')

/** What is at the deposit address goes back from there, the rest by the merchant; money that never counted may go back at any time. */
const refund = (order: Order, asked: RefundAsked): Decision => {
  if (order.refunds.some((one) => one.id === asked.id)) return accept([])
  if (sameAsset(asked.asset, funding(order).quote.source) && !isRefundable(order)) {
    return refuse('nothing_to_refund', `An order that is ${order.status} cannot be refunded.`)
  }
  const there = atDeposit(order, asked.asset)
  const { quote } = funding(order)
  const became = sameAsset(asked.asset, quote.asset) && order.status === 'FAILED' ? conversionLeft(order) : 0n
  const left = everReceived(order, asked.asset) + became - refunded(order, asked.asset)
  if (asked.amount > left) return refuse('refund_too_large', 'That is more than what was received and not yet refunded.')
  if (asked.from === 'order' && there > asked.gas && asked.amount > left - there) {
    return refuse('refund_too_large', 'Part of it is still at the deposit address and goes back from there: refund that part on its own.')
  }
  if (asked.from === 'deposit' && asked.amount > there) return refuse('refund_too_large', 'That much is no longer at the deposit address.')
  if (asked.from === 'deposit' && asked.amount <= asked.gas) return refuse('refund_too_large', 'That is less than what sending it costs.')
  // A transfer goes back whole when the refund takes all that was held of its asset; otherwise the amount alone is on the books.
  const held = order.transfers.filter((one) => one.state === 'held' && sameAsset(one.asset, asked.asset))
  const heldSum = held.reduce((total, one) => total + one.amount, 0n)
  const isWhole = held.every((one) => one.reason !== 'settlement_failed') && heldSum === asked.amount && asked.from === 'deposit'
  const gas = asked.from === 'deposit' ? asked.gas : 0n
  return accept([
    { type: 'refund_planned', refund: { ...asked, gas, transfers: isWhole ? held.map((one) => one.key) : [], state: 'pending' } },
  ])
}
