import { encodeFunctionData, type Address } from 'viem'
import type { Payout } from '../payouts.ts'
import type { EvmConfig } from './evm-config.ts'
import type { UnsignedMove } from './unsigned-move.ts'
import { LocalExchange } from './contracts/artifacts/LocalExchange.ts'

/** Encodes a call of the chain's exchange that spends exactly `amountIn` and sends `minOut` or more to `to`, or reverts. */
export function conversionMove(
  { chainId, exchange }: Pick<EvmConfig, 'chainId' | 'exchange'>,
  { route, amountIn, minOut }: Pick<NonNullable<Payout['swap']>, 'route' | 'amountIn' | 'minOut'>,
  to: string,
): NonNullable<UnsignedMove['conversion']> {
  if (!exchange) throw new Error(`chain ${chainId} has no exchange`)
  const args = [route as readonly Address[], amountIn, minOut, to as Address] as const
  return {
    amountIn,
    leastOut: minOut,
    router: exchange,
    data: encodeFunctionData({ abi: LocalExchange.abi, functionName: 'swapExactIn', args }),
  }
}
