import { encodeDeployData, getAbiItem, parseAbi, toFunctionSelector, type Address, type Hex } from 'viem'
import { ChainUnavailable } from '../../chain.ts'
import type { SwapAsk, SwapPrice } from '../../swap.ts'
import { QuoteRoutes } from '../contracts/artifacts/QuoteRoutes.ts'
import type { EvmConfig } from '../evm-config.ts'
import { ethCall } from '../rpc-calls.ts'
import type { Rpc } from '../rpc.ts'
import { candidates } from './candidates.ts'
import { type Exchange, poolToken } from './exchange.ts'
import { midPrice, poolAddress } from './pool.ts'
import { hopsOf, packedPath, reversed, type Route } from './route.ts'

/** A conversion has to fit into what the factory gives it (CONVERSION_GAS in TillFactory.sol), so a route that costs more is no route. */
const gasOfRoute = 1_200_000n

const quoterAbi = parseAbi([
  'function quoteExactInput(bytes path, uint256 amountIn)',
  'function quoteExactOutput(bytes path, uint256 amountOut)',
])
const selectors = {
  EXACT_INPUT: toFunctionSelector(getAbiItem({ abi: quoterAbi, name: 'quoteExactInput' })),
  EXACT_OUTPUT: toFunctionSelector(getAbiItem({ abi: quoterAbi, name: 'quoteExactOutput' })),
}

export interface PricedRoute extends SwapPrice {
  readonly route: Route
}

export interface Market extends Pick<EvmConfig, 'tokens' | 'factory'> {
  readonly rpc: Rpc
  readonly exchange: Exchange
}

/**
 * Prices every route at one block in one request. The best one comes first, and a route whose pools are missing or too small is left out. Without
 * the factory's leave nothing is converted, so then there are none.
 */
export async function quoteRoutes(market: Market, { from, to, amount, tradeType, signal }: SwapAsk): Promise<readonly PricedRoute[]> {
  const { exchange, tokens } = market
  if (amount <= 0n || from.address === to.address) return []
  const [first, last] = [poolToken(exchange, from.address), poolToken(exchange, to.address)]
  const hubs = [exchange.wrapped, ...tokens.flatMap(({ address }) => address ?? [])].map((token) => token.toLowerCase())
  const routes = first === last ? [] : candidates(first, last, hubs)
  const pools = [...new Set(routes.flatMap((route) => hopsOf(route).map((hop) => poolAddress(exchange, hop))))]
  const [isAllowed, ...words] = await ask(market, { routes, pools, amount, tradeType }, signal)
  if (isAllowed !== 1n) return []
  // One token is worth one coin, whatever the pools say.
  if (first === last) return [{ amountIn: amount, amountOut: amount, impactBps: 0, route: { tokens: [first], fees: [] } }]
  const prices = new Map(pools.map((pool, at) => [pool, words[at] ?? 0n]))
  const found = routes.flatMap((route, at): PricedRoute[] => {
    const other = words[pools.length + at] ?? 0n
    if (other === 0n) return []
    const [amountIn, amountOut] = tradeType === 'EXACT_INPUT' ? [amount, other] : [other, amount]
    return [{ amountIn, amountOut, impactBps: impactOf(exchange, route, prices, { amountIn, amountOut }), route }]
  })
  return found.toSorted((a, b) => (tradeType === 'EXACT_INPUT' ? descending(a.amountOut, b.amountOut) : descending(b.amountIn, a.amountIn)))
}

const descending = (a: bigint, b: bigint): number => (a === b ? 0 : a < b ? 1 : -1)

interface Question extends Pick<SwapAsk, 'amount' | 'tradeType'> {
  readonly routes: readonly Route[]
  readonly pools: readonly string[]
}

async function ask(
  { rpc, exchange, factory }: Market,
  { routes, pools, amount, tradeType }: Question,
  signal: AbortSignal,
): Promise<readonly bigint[]> {
  const question = {
    factory: factory.address as Address,
    router: exchange.router as Address,
    quoter: exchange.quoter as Address,
    quote: selectors[tradeType],
    amount,
    gasEach: gasOfRoute,
    pools: pools as readonly Address[],
    paths: routes.map((route) => packedPath(tradeType === 'EXACT_INPUT' ? route : reversed(route))),
  }
  const { abi, bytecode } = QuoteRoutes
  const [answer] = await rpc.read(signal, ethCall({ data: encodeDeployData({ abi, bytecode, args: [question] }) }, 'latest'))
  const words = wordsOf(answer)
  if (words.length !== 1 + pools.length + routes.length)
    throw new ChainUnavailable(rpc.chainId, 'chain_unavailable', 'the node does not run code that is not deployed.')
  return words
}

const wordsOf = (data: Hex): bigint[] => (data.slice(2).match(/.{64}/g) ?? []).map((word) => BigInt(`0x${word}`))

/** Compares the output with what pools without end would give at their present prices, both after the pools' fees. */
function impactOf(
  exchange: Exchange,
  route: Route,
  prices: ReadonlyMap<string, bigint>,
  { amountIn, amountOut }: Pick<SwapPrice, 'amountIn' | 'amountOut'>,
): number {
  const [over, under] = hopsOf(route).reduce(
    ([o, u], hop) => {
      const price = midPrice(hop, prices.get(poolAddress(exchange, hop)) ?? 0n)
      return [o * price.over * BigInt(1_000_000 - hop.fee), u * price.under * 1_000_000n]
    },
    [amountIn, 1n],
  )
  if (over === 0n) return 0
  const lost = over - amountOut * under
  return lost <= 0n ? 0 : Number((lost * 10_000n) / over)
}
