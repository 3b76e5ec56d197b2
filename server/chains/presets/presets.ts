import { networkOf } from '../../../src/wire/addresses/networks.ts'
import { arbitrum } from './arbitrum.ts'
import { baseSepolia } from './base-sepolia.ts'
import { base } from './base.ts'
import { bnb } from './bnb.ts'
import { ethereum } from './ethereum.ts'
import { optimism } from './optimism.ts'
import { polygon } from './polygon.ts'
import type { Preset } from './preset.ts'
import { robinhood } from './robinhood.ts'
import { sepolia } from './sepolia.ts'

/** The EVM chains of the API, and two testnets. */
export const presets: readonly Preset[] = [ethereum, optimism, bnb, polygon, robinhood, base, arbitrum, baseSepolia, sepolia]

/** Coins of a test network are worth nothing. Outside local mode only organisations that are not live see it. */
export const isTestnet = (chainId: number): boolean => networkOf(chainId) === 'test'

/**
 * Until a chain's own blocks have been measured, and whenever they come without a rhythm, this time between blocks counts. A chain without one
 * counts as slow as the slowest, since nobody minds money that comes early.
 */
export const presetBlockSeconds = (chainId: number): number => (presetOf(chainId).chain.blockMs ?? 12_000) / 1000

/** The most that a unit of gas may cost, in wei, where nobody has configured it. */
export const presetFee = (chainId: number): bigint => BigInt(presetOf(chainId).maxFeeGwei) * 10n ** 9n

export function presetOf(chainId: number): Preset {
  const found = presets.find((preset) => preset.chainId === chainId)
  if (!found) throw new Error(`chain ${chainId} has no preset`)
  return found
}
