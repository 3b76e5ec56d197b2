import type { Move } from '../guard.ts'
import { encodeRouterCall, type RouterCall } from './exchange/router-call.ts'
import type { Exchange } from './exchange/exchange.ts'

/** Encodes a call of the router that spends exactly `amountIn` and sends `leastOut` or more to the recipient before the deadline, or reverts. */
export const conversionOf = ({ router }: Pick<Exchange, 'router'>, call: RouterCall): NonNullable<Move['conversion']> => ({
  amountIn: call.amountIn,
  leastOut: call.leastOut,
  router,
  data: encodeRouterCall(call),
})
