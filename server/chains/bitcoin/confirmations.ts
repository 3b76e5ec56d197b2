import type { BitcoinConfig } from './bitcoin-config.ts'

/** Returns how many blocks make an amount final: its own and those on top of it. */
export function confirmationsFor({ confirmations }: Pick<BitcoinConfig, 'confirmations'>, amount: bigint): number {
  const step = confirmations.find(({ below }) => below === undefined || amount < below)
  return step?.blocks ?? 1
}
