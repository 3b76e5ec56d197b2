import type { PaymentMethod } from '../../src/wire/payment-methods.ts'
import type { ProblemCode } from '../../src/wire/problems.ts'
import { type Card, cardMessages, isCardOpen } from '../orders/model/card.ts'
import { validQuote, takesCard } from '../orders/model/choosing.ts'
import { depositOn } from '../orders/model/deposits.ts'
import { sameAsset } from '../orders/model/asset.ts'
import type { Order } from '../orders/model/order.ts'
import type { Quote } from '../orders/model/quote.ts'
import { ceilOf, converted, ratioOf } from '../orders/model/rate.ts'
import { ApiError } from '../http/api-error.ts'
import { ProviderUnavailable } from '../providers/callback.ts'
import type { Engine } from '../orders/engine.ts'
import type { Fiat } from '../orders/network-fee.ts'
import { quoteDestination, tokenOf } from '../orders/quoting.ts'

/** A card payment needs an order of at least this much, in euros if the order is priced in euros, otherwise in US dollars. */
export const cardMinimum = 5

const european = 'AT BE BG CY CZ DE DK EE ES FI FR GR HR HU IE IT LT LU LV MT NL PL PT RO SE SI SK'
const countries: ReadonlySet<string> = new Set(['US', ...european.split(' ')])

export const cardFiat = ({ terms }: Order): Card['fiat'] => (terms.fiatUnit === 'eur' ? 'eur' : 'usd')

interface CardRefusal {
  readonly problem: ProblemCode
  readonly reason: string
}

const unavailable: CardRefusal = { problem: 'card_away', reason: 'Card payments are not available here.' }

/** Returns why this payer cannot pay this order by card now, or undefined if they can. */
export function cardRefusal({ card }: Pick<Engine, 'card'>, order: Order, country: string | undefined): CardRefusal | undefined {
  if (order.status === 'PARTIAL_PAYMENT')
    return { problem: 'partly_paid', reason: 'Part of this order is already paid. The rest can be sent to the same address.' }
  if (!order.terms.settings.card_payments) return { problem: 'card_off', reason: 'The merchant does not take cards for this order.' }
  if (!card) return unavailable
  if (!takesCard(order)) return { problem: 'on_its_way', reason: 'A payment for this order is on its way.' }
  if (isBelow(order)) return { problem: 'card_small', reason: 'The amount is too small for a card.' }
  if (country === undefined)
    return { problem: 'card_unplaced', reason: 'Cards are taken in the EU and the US, and where you are is not known.' }
  return countries.has(country) ? undefined : { problem: 'card_place', reason: 'Cards are taken in the EU and the US only.' }
}

function isBelow({ terms, quotes: [quote] }: Order): boolean {
  if (terms.fiatUnit === 'eur' || terms.fiatUnit === 'usd') {
    const { numerator, denominator } = ratioOf(terms.amount)
    return numerator < BigInt(cardMinimum) * denominator
  }
  if (!quote) return true
  const { numerator, denominator } = ratioOf(quote.assetUsd)
  return quote.input.total * numerator < BigInt(cardMinimum) * denominator * 10n ** BigInt(quote.asset.decimals)
}

/**
 * Returns about what the card would be charged, all costs included, by the fee that the operator has configured. It is for display only, and
 * undefined without that fee or a price. `shown` is the order's own fiat currency, or US dollars while that has no price.
 */
export function estimatedTotal({ card }: Pick<Engine, 'card'>, order: Order, shown: Fiat): PaymentMethod['estimated_total'] {
  const fiat = cardFiat(order)
  const quote = order.quotes.findLast(({ source }) => sameAsset(source, order.terms.asset))
  const usd = fiat === 'usd' ? '1' : shown.unit === 'EUR' ? shown.usd : undefined
  if (!card?.fee || !quote || usd === undefined) return undefined
  const [share, fixed] = [ratioOf(card.fee.percent), ratioOf(card.fee.fixed)]
  const hundred = 100n * share.denominator
  const amount = {
    numerator: quote.input.total * (hundred + share.numerator),
    denominator: 10n ** BigInt(quote.asset.decimals) * hundred,
  }
  const worth = ceilOf(converted(amount, ratioOf(quote.assetUsd), ratioOf(usd), 2))
  const cents = worth + (fixed.numerator * 100n) / fixed.denominator
  return { amount: Number(cents) / 100, unit: fiat.toUpperCase() }
}

export interface OpenedCard {
  readonly quote: Quote
  readonly card: Card
}

/** Returns the open card session if its amount is still right, or opens one at the provider. Never call it with a transaction open. */
export async function openCard(engine: Engine, order: Order, country: string | undefined): Promise<OpenedCard> {
  const refusal = cardRefusal(engine, order, country)
  const token = tokenOf(engine, order.terms.asset)
  if (refusal !== undefined || !engine.card || !token)
    throw new ApiError(422, (refusal ?? unavailable).reason, { problem: (refusal ?? unavailable).problem })
  const { asset, recipient, feeCollector } = order.terms
  const quote =
    validQuote(order, asset, engine.clock()) ?? (await quoteDestination(engine, order.terms, { asset, recipient, feeCollector }))
  const amount = quote.input.total
  if (order.card && isCardOpen(order.card) && order.card.amount === amount && order.card.fiat === cardFiat(order))
    return { quote, card: order.card }
  const fiat = cardFiat(order)
  const ask = {
    reference: order.id,
    fiat,
    deliver: {
      chain_id: token.chainId,
      token: token.address,
      symbol: token.symbol,
      decimals: token.decimals,
      amount: amount.toString(),
      address: depositOn(order, token.chainId),
    },
    return_url: `${order.hostedUrl}?method=card`,
  }
  const answer = await engine.card.open(ask).catch((error: unknown) => {
    if (!(error instanceof ProviderUnavailable)) throw error
    engine.log.warn({ err: error, order: order.id }, 'cannot reach the card provider; answering 502')
    throw new ApiError(502, cardMessages.link, { problem: 'link' })
  })
  if ('refused' in answer) throw new ApiError(422, cardMessages[answer.refused], { problem: answer.refused })
  const { id, hosted_url: hostedUrl, status, total, at } = answer.session
  return { quote, card: { id, hostedUrl, status, at: Date.parse(at), amount, total, fiat } }
}
