import type { Logger } from 'pino'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Chain } from '../chains/chain.ts'
import type { Asset } from './model/asset.ts'
import { ceilOf, converted, ratioOf } from './model/rate.ts'
import { isPrice, type Prices } from '../providers/prices.ts'
import type { Sql } from '../database/connect.ts'
import { gasPriceOfHour } from './gas-used.ts'
import { pause } from '../lib/pause.ts'

/** One more payee (a leg) adds little gas to a settlement that happens anyway, while a refund needs a transaction of its own. */
const gasUnits = { leg: 50_000n, refund: 150_000n } as const
/** A payer's ordinary wallet needs about this much gas for a transfer, which is only used to display the network fee. */
const transferUnits = { native: 21_000n, token: 65_000n } as const
/** A whole settlement deploys the forwarder and pays the recipient and the fee collector, as measured (see test/orders/minimum.test.ts). */
const settlementGas = { native: 140_000n, token: 145_000n } as const
const intervalMs = 5_000
const hourMs = 3_600_000

export const settlementUnits = ({ address }: Pick<Asset, 'address'>): bigint => settlementGas[address === null ? 'native' : 'token']

/** Estimates the cost of moving money. All but `refresh` and `run` answer from memory, so they can be called inside a transaction. */
export interface Costs {
  /** Returns the cost in the asset's own smallest units, and zero while a price is unknown. */
  of(asset: Asset, what: keyof typeof gasUnits): bigint
  /** Returns the present network fee of a transfer in hundredths of a unit worth `unitUsd`, or undefined while a price is unknown. */
  transferCents(asset: Asset, unitUsd: string): bigint | undefined
  /** Returns the smallest amount worth settling: twice the settlement's cost at a gas price that stays fixed for a whole hour. */
  minimum(asset: Asset): bigint
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

interface GasSample {
  readonly at: number
  readonly price: bigint
}

export function costsOf({ sql, clock, chains, prices, log }: CostParts): Costs {
  const gasPrices = new Map<ChainId, bigint>()
  /** The minimum of an hour uses the median of the last hour's gas prices, which is frozen when the hour begins. */
  const gasSamples = new Map<ChainId, GasSample[]>()
  const frozen = new Map<ChainId, { readonly hour: number; readonly price: bigint }>()
  const usd = new Map<string, string>()
  const name = (asset: Pick<Asset, 'chainId' | 'address'>) => `${asset.chainId}:${asset.address}`
  const freezeForHour = async (chainId: ChainId, price: bigint) => {
    const now = clock()
    const samples = [...(gasSamples.get(chainId) ?? []).filter(({ at }) => at > now - hourMs), { at: now, price }]
    gasSamples.set(chainId, samples)
    const hour = Math.floor(now / hourMs)
    if (frozen.get(chainId)?.hour === hour) return
    const offered = median(samples.map((sample) => sample.price)) ?? price
    frozen.set(chainId, { hour, price: await gasPriceOfHour(sql, chainId, new Date(now), offered) })
  }
  /** Converts native coin to the asset's smallest units, and returns undefined when one of the two has no price. */
  const inAsset = (native: bigint, asset: Asset): bigint | undefined => {
    if (asset.address === null) return native
    const [nativeUsd, assetUsd] = [usd.get(name({ chainId: asset.chainId, address: null })), usd.get(name(asset))]
    if (nativeUsd === undefined || assetUsd === undefined) return undefined
    return ceilOf(converted({ numerator: native, denominator: 10n ** 18n }, ratioOf(nativeUsd), ratioOf(assetUsd), asset.decimals))
  }
  const refreshChain = async (chain: Chain, signal: AbortSignal) => {
    const price = await chain.gasPrice(signal)
    gasPrices.set(chain.id, price)
    await freezeForHour(chain.id, price)
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
    of(asset, what) {
      // Without a price nothing can fairly be deducted from the payer's money, so the operator bears the gas.
      return inAsset((gasPrices.get(asset.chainId) ?? 0n) * gasUnits[what], asset) ?? 0n
    },
    minimum(asset) {
      // Without a price no amount can be called too small.
      return inAsset((frozen.get(asset.chainId)?.price ?? 0n) * settlementUnits(asset) * 2n, asset) ?? 0n
    },
    transferCents({ chainId, address }, unitUsd) {
      const [price, nativeUsd] = [gasPrices.get(chainId), usd.get(name({ chainId, address: null }))]
      if (price === undefined || nativeUsd === undefined) return undefined
      const native = price * (address === null ? transferUnits.native : transferUnits.token)
      return ceilOf(converted({ numerator: native, denominator: 10n ** 18n }, ratioOf(nativeUsd), ratioOf(unitUsd), 2))
    },
    refresh,
    async run(signal) {
      while (!signal.aborted) {
        await refresh(AbortSignal.any([signal, AbortSignal.timeout(intervalMs)])).catch(
          (error: unknown) => signal.aborted || log.warn({ err: error }, 'cannot refresh gas prices; retrying in 5 s'),
        )
        await pause(intervalMs, signal)
      }
    },
  }
}

/** Returns the lower of the two middle values when the number of values is even. */
export const median = (values: readonly bigint[]): bigint | undefined =>
  values.toSorted((a, b) => (a < b ? -1 : a > b ? 1 : 0))[Math.floor((values.length - 1) / 2)]
