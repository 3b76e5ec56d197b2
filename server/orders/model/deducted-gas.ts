import type { Asset } from './asset.ts'
import type { Policy } from './commands.ts'

/**
 * What is deducted for gas is a leg to the fee collector, so gas that is too little for a leg is not deducted, and the operator bears it. Where a
 * transaction pays its own fee, the network gets it instead, which takes any amount.
 */
export const deductedGas = (policy: Pick<Policy, 'leastLeg' | 'paysItself'>, asset: Asset, gas: bigint, feeCollector: string): bigint =>
  policy.paysItself?.(asset) || gas >= policy.leastLeg(asset, feeCollector) ? gas : 0n
