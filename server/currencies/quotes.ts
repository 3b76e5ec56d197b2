import type * as z from 'zod/mini'
import { chains } from '../../src/wire/chain.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import type { OrderQuotesAnswer, OrderQuotesRequest } from '../../src/wire/order.ts'
import type { Chain, Holding } from '../chains/chain.ts'
import { sameAsset } from '../orders/model/asset.ts'
import { isOpen } from '../orders/model/commands.ts'
import { destinationsOf } from '../orders/model/destination.ts'
import { closing, funding } from '../orders/model/funding.ts'
import type { Order } from '../orders/model/order.ts'
import type { Quote } from '../orders/model/quote.ts'
import { amountOf, inputAndOutput } from '../orders/model/snapshot.ts'
import { ApiError, invalid, notFound } from '../http/api-error.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { forEachConcurrently } from '../lib/for-each-concurrently.ts'
import { familyOfWallet } from './wallet-family.ts'
import { assetOf, quoteIn } from '../orders/quoting.ts'
import { fiatOf, networkFee } from '../orders/network-fee.ts'
import { orderOf } from '../orders/order-queries.ts'
import { parseAsset } from '../orders/payable-address.ts'

type Filter = z.infer<typeof OrderQuotesRequest>['filter']
type Option = z.infer<typeof OrderQuotesAnswer>['options'][number]

const timeoutMs = 6_000
const usualLimit = 20
/** Pricing a token may read the chain, so at most this many are priced, and tokens of which the wallet has a balance come first. */
const maxPriced = 50

/**
 * Lists the currencies that could pay an order, the ones that the wallet can afford first, and among equals the one that costs least with the
 * network's fee.
 */
export function quotes(route: Route, engine: Engine): void {
  route(endpoints.orderQuotes, async ({ params, body: { filter }, organizationId }) => {
    const order = await orderOf(engine.sql, organizationId, params.order_id)
    if (!order) throw notFound('order')
    if (!isOpen(order)) throw new ApiError(422, `This order cannot take a payment any more: it is ${order.status}.`)
    const candidates = await candidatesFor(engine, order, filter)
    const closed = closing(order)
    const due = funding(order).remaining
    const priced = new Map<Holding, Quote>()
    const failures: unknown[] = []
    await forEachConcurrently(6, candidates, async (holding) => {
      const quote = await priceOf(engine, order, holding).catch((error: unknown) => {
        failures.push(error)
        engine.log.warn({ err: error, token: holding.token.symbol }, 'cannot price a token; leaving it out of the quotes')
        return 'no_route' as const
      })
      if (quote !== 'no_route') priced.set(holding, quote)
    })
    if (priced.size === 0 && failures.length > 0) throw failures[0]
    const fiat = await fiatOf(engine, order)
    // Those that cost the same stay in the order of the candidates, whichever was priced first.
    const options = candidates
      .flatMap((holding) => {
        const quote = priced.get(holding)
        if (!quote) return []
        const option = { ...optionOf(quote, holding), network_fee: networkFee(engine, quote.source, fiat) }
        const isAffordable = holding.amount >= (closed ? due : quote.input.total)
        return [{ option, isAffordable, feeCents: engine.transferCents(quote.source, '1') ?? 0n }]
      })
      .sort((a, b) => Number(b.isAffordable) - Number(a.isAffordable) || shownCost(a) - shownCost(b))
      .map(({ option }) => option)
      .filter(({ input }) => (input.balance?.value_usd ?? 0) >= (filter.min_balance_usd ?? 0))
    return { body: { options: options.slice(0, filter.limit ?? usualLimit) }, headers: { 'cache-control': 'no-store' } }
  })
}

/** Only chains on which the order can settle are read. Once a payment has begun in a currency, no other is offered. */
async function candidatesFor(engine: Engine, order: Order, { wallet, sources: asked }: Filter): Promise<readonly Holding[]> {
  const refuse = (path: string, message: string) => invalid(`filter.wallet.${path}`, message, message)
  const family = familyOfWallet[wallet.chain_type]
  if (![...engine.chains.values()].some(({ id, holdings }) => chains[id].family === family && holdings))
    throw refuse('chain_type', `Wallets of type ${wallet.chain_type} are not available here.`)
  const closed = closing(order)
  const sources = closed ? [closed.quote.source] : destinationsOf(order.terms).map(({ asset }) => asset)
  const ofWallet = sources.filter(({ chainId }) => chains[chainId].family === family)
  const chainIds = [...new Set(ofWallet.map(({ chainId }) => chainId))].filter((chainId) => wallet.chain_ids.includes(chainId))
  if (ofWallet.some(({ chainId }) => engine.chains.get(chainId)?.addresses.read(wallet.address) === undefined))
    throw refuse('address', 'This is not an address of a wallet of this type.')
  const readable = chainIds.flatMap((chainId) => engine.chains.get(chainId) ?? [])
  const named = asked?.map((currency, index) => parseAsset(currency, `filter.sources.${index}`))
  const isWanted = ({ token }: Holding) =>
    (!named || named.some((asset) => sameAsset(asset, token))) && (!closed || sameAsset(closed.quote.source, token))
  const held = (await holdingsOn(engine, readable, wallet.address)).filter(isWanted)
  return [...held.filter((holding) => holding.amount > 0n), ...held.filter((holding) => holding.amount === 0n)].slice(0, maxPriced)
}

/** A chain that does not answer is left out, unless no chain does. */
async function holdingsOn(engine: Engine, readable: readonly Chain[], wallet: string): Promise<readonly Holding[]> {
  const read = await Promise.allSettled(
    readable.map(async (chain) => (await chain.holdings?.(chain.addresses.read(wallet) ?? wallet, AbortSignal.timeout(timeoutMs))) ?? []),
  )
  const failed = read.flatMap((result, index) =>
    result.status === 'rejected' ? [{ error: result.reason, chain: readable[index]?.id }] : [],
  )
  if (failed[0] && failed.length === readable.length) throw failed[0].error
  for (const { error, chain } of failed)
    engine.log.warn({ err: error, chain }, 'cannot read a wallet’s balances; leaving its chain out of the quotes')
  return read.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
}

/** Once a payment has begun, its own price is the only one. */
const priceOf = async (engine: Engine, order: Order, { token }: Holding): Promise<Quote | 'no_route'> =>
  closing(order)?.quote ?? quoteIn(engine, order, token)

/** In US dollars, to sort by and nothing else. */
const shownCost = ({ option, feeCents }: { readonly option: Option; readonly feeCents: bigint }): number =>
  option.input.amount.value_usd + Number(feeCents) / 100

function optionOf(quote: Quote, { token, amount }: Holding): Option {
  const { input, output } = inputAndOutput(quote)
  return { input: { ...input, balance: amountOf(amount, assetOf(token), quote.sourceUsd) }, output }
}
