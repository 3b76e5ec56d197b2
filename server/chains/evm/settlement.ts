import { decodeEventLog, encodeFunctionData, zeroAddress, type Address, type Hex } from 'viem'
import type { Call, Receipt, SettlementCall, SettlementResult } from '../chain.ts'
import { TillFactory } from './contracts/artifacts/TillFactory.ts'
import { orderSalt } from './factory.ts'

const { abi } = TillFactory
const orNative = (token: string | null) => (token ?? zeroAddress) as Address

export function settlement(factory: string, { orderId, token, legs, swap }: SettlementCall): Call {
  const salt = orderSalt(orderId)
  const paid = legs.map(({ to, amount }) => ({ to: to as Address, amount }))
  const data = swap
    ? encodeFunctionData({
        abi,
        functionName: 'settleSwap',
        args: [
          salt,
          {
            tokenIn: orNative(swap.tokenIn),
            amountIn: swap.amountIn,
            tokenOut: orNative(token),
            minOut: swap.minOut,
            router: swap.router as Address,
            data: swap.data as Hex,
          },
          paid,
        ],
      })
    : encodeFunctionData({ abi, functionName: 'settle', args: [salt, orNative(token), paid] })
  return { to: factory, data, value: 0n }
}

/** A reverted settlement moved no money and has no logs, so its result has no legs. */
export function settlementResult(factory: string, receipt: Receipt): SettlementResult {
  const paid: boolean[] = []
  let swapped: bigint | undefined
  for (const log of receipt.logs) {
    if (log.address !== factory) continue
    const event = decodeEventLog({ abi, topics: log.topics as [Hex, ...Hex[]], data: log.data as Hex })
    if (event.eventName === 'LegPaid' || event.eventName === 'LegFailed') {
      paid[Number(event.args.index)] = event.eventName === 'LegPaid'
    }
    if (event.eventName === 'Swapped') swapped = event.args.amountOut
  }
  return swapped === undefined ? { paid } : { paid, swapped }
}
