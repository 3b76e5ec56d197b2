import type { Logger } from 'pino'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Chain, CostOf } from '../chains/chain.ts'
import type { Asset } from './model/asset.ts'
import { ceilOf, converted, ratioOf } from './model/rate.ts'
import { isPrice, type Prices } from '../providers/prices.ts'
import type { Sql } from '../database/connect.ts'
import { feeRateOfHour } from './gas-used.ts'
import { pause } from '../lib/pause.ts'
import { withDeadline } from '../lib/with-deadline.ts'

const intervalMs = 5_000
const hourMs = 3_600_000

/** Estimates the cost of moving money. All but `refresh` and `run` answer from memory, so they can be called inside a transaction. */
export interface Costs {
  /** Returns the cost of moving so many transfers in the asset's own smallest units, and zero while a price is unknown. */
  of(asset: Asset, what: Extract<CostOf, 'refund'>, transfers?: number): bigint
  /** Returns the present network fee of a transfer in hundredths of a unit worth `unitUsd`, or undefined while a price is unknown. */
  transferCents(asset: Asset, unitUsd: string): bigint | undefined
  /** Returns the same for so much of a chain's native coin. */
  coinCents(chainId: ChainId, raw: bigint, unitUsd: string): bigint | undefined
  /** Returns the smallest amount worth settling: twice the settlement's cost at a fee rate that stays fixed for a whole hour. */
  minimum(asset: Asset): bigint
  /** Returns what a settlement in this asset has to keep for its own fee, and zero where the operator's account pays it. */
  plannedFee(asset: Pick<Asset, 'chainId'>): bigint
  refresh(signal: AbortSignal): Promise<void>
  run(signal: AbortSignal): Promise<void>
}

export interface CostParts {
  readonly sql: Sql
  readonly clock: () => number
  readonly chains: ReadonlyMap<ChainId, Chain>
  readonly prices: Prices
  readonly log: Logger
}

interface RateSample {
  readonly at: number
  readonly rate: bigint
}

export function costsOf({ sql, clock, chains, prices, log }: CostParts): Costs {
  const feeRates = new Map<ChainId, bigint>()
  /** The minimum of an hour uses the median of the last hour's fee rates, which is frozen when the hour begins. */
  const samplesOf = new Map<ChainId, RateSample[]>()
  const frozen = new Map<ChainId, { readonly hour: number; readonly rate: bigint }>()
  const usd = new Map<string, string>()
  const name = (asset: Pick<Asset, 'chainId' | 'address'>) => `${asset.chainId}:${asset.address}`
  const freezeForHour = async (chainId: ChainId, rate: bigint) => {
    const now = clock()
    const samples = [...(samplesOf.get(chainId) ?? []).filter(({ at }) => at > now - hourMs), { at: now, rate }]
    samplesOf.set(chainId, samples)
    const hour = Math.floor(now / hourMs)
    if (frozen.get(chainId)?.hour === hour) return
    const offered = median(samples.map((sample) => sample.rate)) ?? rate
    frozen.set(chainId, { hour, rate: await feeRateOfHour(sql, chainId, new Date(now), offered) })
  }
  /** Returns the cost in native coin, or undefined while the chain's fee rate is unknown. */
  const nativeCost = (what: CostOf, asset: Pick<Asset, 'chainId' | 'address'>, rate: bigint | undefined): bigint | undefined =>
    rate === undefined ? undefined : chains.get(asset.chainId)?.cost(what, asset, rate)
  /** Converts native coin to smallest units of something else, and returns undefined while the native coin has no price. */
  const fromNative = (native: bigint, chainId: ChainId, unitUsd: string, decimals: number): bigint | undefined => {
    const coin = chains.get(chainId)?.tokens.find(({ address }) => address === null)
    const coinUsd = coin && usd.get(name(coin))
    if (!coin || coinUsd === undefined) return undefined
    const amount = { numerator: native, denominator: 10n ** BigInt(coin.decimals) }
    return ceilOf(converted(amount, ratioOf(coinUsd), ratioOf(unitUsd), decimals))
  }
  const inAsset = (native: bigint, asset: Asset): bigint | undefined => {
    if (asset.address === null) return native
    const assetUsd = usd.get(name(asset))
    return assetUsd === undefined ? undefined : fromNative(native, asset.chainId, assetUsd, asset.decimals)
  }
  const refreshChain = async (chain: Chain, signal: AbortSignal) => {
    const rate = await chain.feeRate(signal)
    feeRates.set(chain.id, rate)
    await freezeForHour(chain.id, rate)
    for (const token of chain.tokens) {
      const found = await prices.get(token.priceId)
      if (found && isPrice(found.usd)) usd.set(name(token), found.usd)
    }
  }
  /** A node that does not answer must not keep the other chains from being refreshed. */
  const refresh = async (signal: AbortSignal) => {
    const results = await Promise.allSettled([...chains.values()].map((chain) => refreshChain(chain, signal)))
    const failed = results.find((result) => result.status === 'rejected')
    if (failed) throw failed.reason
  }
  return {
    of(asset, what, transfers) {
      // Without a price nothing can fairly be deducted from the payer's money, so the operator bears the cost.
      const rate = feeRates.get(asset.chainId)
      const planned = chains.get(asset.chainId)?.plannedFee?.(rate, transfers)
      return planned ?? inAsset(nativeCost(what, asset, rate) ?? 0n, asset) ?? 0n
    },
    minimum(asset) {
      // Without a price no amount can be called too small.
      return inAsset(2n * (nativeCost('settle', asset, frozen.get(asset.chainId)?.rate) ?? 0n), asset) ?? 0n
    },
    transferCents(asset, unitUsd) {
      const native = nativeCost('receive', asset, feeRates.get(asset.chainId))
      return native === undefined ? undefined : fromNative(native, asset.chainId, unitUsd, 2)
    },
    coinCents: (chainId, raw, unitUsd) => fromNative(raw, chainId, unitUsd, 2),
    plannedFee({ chainId }) {
      return chains.get(chainId)?.plannedFee?.(feeRates.get(chainId)) ?? 0n
    },
    refresh,
    async run(signal) {
      while (!signal.aborted) {
        await withDeadline(intervalMs, signal, refresh).catch(
          (error: unknown) => signal.aborted || log.warn({ err: error }, 'cannot refresh fee rates; retrying in 5 s'),
        )
        await pause(intervalMs, signal)
      }
    },
  }
}

/** Returns the lower of the two middle values when the number of values is even. */
export const median = (values: readonly bigint[]): bigint | undefined =>
  values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor((values.length - 1) / 2)]
