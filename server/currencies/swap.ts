import { endpoints } from '../../src/wire/endpoints.ts'
import { parseUnits } from '../../src/wire/money.ts'
import type { SwapQuoteRequest, SwapQuoteResponse } from '../../src/wire/quote.ts'
import type * as z from 'zod/mini'
import { chainOf, ChainUnavailable, type Token } from '../chains/chain.ts'
import { amountOf, inputAndOutput } from '../orders/model/snapshot.ts'
import { invalid } from '../http/api-error.ts'
import type { Key } from '../http/access.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../orders/engine.ts'
import { quoteSwap, tokenOf } from '../orders/quoting.ts'
import { organizationById } from '../organizations/organizations.ts'
import { parseAddress, parseAsset } from '../orders/payable-address.ts'
import { maxRaw } from '../orders/price-terms.ts'
import { slippageBps } from '../orders/sale-terms.ts'

/** The response warns when the price impact, in percent, is this or more. */
const warnAt = 5

export function swap(route: Route, engine: Engine): void {
  route(endpoints.swapQuote, async ({ body, organizationId, key }) => {
    const [from, to] = [tokenIn(engine, key, body, 'source'), tokenIn(engine, key, body, 'destination')]
    const fixed = body.trade_type === 'EXACT_INPUT' ? from : to
    const amount = parseUnits(body.amount, fixed.decimals)
    if (amount === undefined || amount === 0n)
      throw invalid(
        'amount',
        `not an amount of ${fixed.symbol}`,
        `amount is in ${fixed.symbol}, which has ${fixed.decimals} decimals, and more than zero.`,
      )
    if (amount > maxRaw) throw invalid('amount', 'too large', 'The amount is larger than any swap can be.')
    // The recipient's checksum is verified, since money sent to a mistyped address is lost. The sender's balance is merely read.
    const { addresses } = chainOf(engine.chains.values(), from.chainId)
    const sender = body.sender === undefined ? undefined : addresses.read(body.sender)
    if (body.sender !== undefined && sender === undefined)
      throw invalid('sender', 'not an address on this network', 'sender is not an address on this network.')
    if (body.recipient !== undefined) parseAddress(addresses, body.recipient, 'recipient')
    const { fees } = await organizationById(engine.sql, organizationId)
    const priced = await quoteSwap(engine, {
      from,
      to,
      amount,
      tradeType: body.trade_type,
      slippageBps: body.slippage_bps ?? slippageBps,
      fees,
    })
    if (priced === 'no_route') return { body: { result_type: 'NO_ROUTE' } satisfies SwapQuoteResponse }
    const { quote, impactBps } = priced
    if (quote.output <= 0n) throw invalid('amount', 'too small', 'The amount is too small to leave anything after fees.')
    const { input, output } = inputAndOutput(quote)
    const balance = sender === undefined ? undefined : amountOf(await balanceOf(engine, from, sender), from, quote.sourceUsd)
    const impact = impactBps / 100
    const answer: SwapQuoteResponse = {
      result_type: impact >= warnAt ? 'HIGH_IMPACT' : 'OK',
      issues: impact >= warnAt ? { price_impact_warning: { impact, threshold: warnAt } } : undefined,
      quote: { trade_type: quote.tradeType, input: { ...input, balance }, output },
    }
    return { body: answer, headers: { 'cache-control': 'no-store' } }
  })
}

function tokenIn(engine: Engine, { isLive }: Key, body: z.infer<typeof SwapQuoteRequest>, side: 'source' | 'destination'): Token {
  const token = tokenOf(engine, parseAsset(body[side], side))
  if (token && engine.sees(isLive, token.chainId)) return token
  throw invalid(side, 'not available here', `The ${side} currency is not available here.`)
}

async function balanceOf(engine: Engine, token: Token, address: string): Promise<bigint> {
  const signal = AbortSignal.timeout(5_000)
  const chain = chainOf(engine.chains.values(), token.chainId)
  const [held] = (await chain.holdings?.(address, signal, [token])) ?? []
  if (!held) throw new ChainUnavailable(chain.id, 'chain_unavailable', `the contract of ${token.symbol} does not answer.`)
  return held.amount
}
