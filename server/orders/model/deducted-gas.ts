import type { Asset } from './asset.ts'
import type { Policy } from './commands.ts'

/** What is deducted for gas is a leg to the fee collector, so gas that is too little for a leg is not deducted, and the operator bears it. */
export const deductedGas = (policy: Pick<Policy, 'leastLeg'>, asset: Asset, gas: bigint, feeCollector: string): bigint =>
  gas < policy.leastLeg(asset, feeCollector) ? 0n : gas
