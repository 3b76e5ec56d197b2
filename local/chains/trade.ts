import { poolToken } from '../../server/chains/evm/exchange/exchange.ts'
import { encodeRouterCall } from '../../server/chains/evm/exchange/router-call.ts'
import { pools } from './pools.ts'
import { exchange } from './uniswap.ts'

export interface Trade {
  /** Null is the native coin. */
  readonly sold: string | null
  readonly bought: string | null
  readonly amount: bigint
  readonly to: string
}

/** Trades in the seeded pool of two tokens, at whatever price. The router has to be allowed to take a token before. */
export function tradeCall({ sold, bought, amount, to }: Trade) {
  const [from, into] = [poolToken(exchange, sold), poolToken(exchange, bought)]
  const pool = pools.find(({ a, b }) => (a === from && b === into) || (b === from && a === into))
  if (!pool) throw new Error(`there is no pool of ${sold} and ${bought}`)
  const route = { tokens: [from, into], fees: [pool.fee] } as const
  const call = { tokenIn: sold, tokenOut: bought, route, amountIn: amount, leastOut: 0n, recipient: to, deadline: 2n ** 64n }
  return { to: exchange.router, data: encodeRouterCall(call), value: sold === null ? amount : 0n }
}
