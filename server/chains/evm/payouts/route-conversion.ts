import { chooseRoute } from '../exchange/choose-route.ts'
import { quoteRoutes } from '../exchange/quote-routes.ts'
import type { UnsignedMove } from '../unsigned-move.ts'
import { type MoveToApprove, storeMove, triedRoutes } from './approval-queue.ts'
import type { Driver } from './send.ts'

/**
 * Chooses how a move converts, by the prices of this moment, and stores it before anybody signs for it. A conversion that has failed is another
 * payout, so it is routed anew.
 */
export async function routeConversion(
  { sql, chain }: Driver,
  send: MoveToApprove,
  move: UnsignedMove,
  signal: AbortSignal,
): Promise<UnsignedMove | 'no_route' | 'elsewhere'> {
  const { conversion, tokenIn, tokenOut } = move
  if (!conversion || conversion.chosen) return move
  const { rpc, id: chainId, config } = chain
  if (!config.exchange) return 'no_route'
  const routes = await quoteRoutes(
    { ...config, rpc, exchange: config.exchange },
    {
      from: { chainId, address: tokenIn },
      to: { chainId, address: tokenOut },
      amount: conversion.amountIn,
      tradeType: 'EXACT_INPUT',
      signal,
    },
  )
  const chosen = chooseRoute(routes, conversion, await triedRoutes(sql, send))
  if (!chosen) return 'no_route'
  const routed = { ...move, conversion: { ...conversion, chosen } }
  return (await storeMove(sql, send, routed)) ? routed : 'elsewhere'
}
