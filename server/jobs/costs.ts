import type { Logger } from 'pino'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Chain } from '../chains/chain.ts'
import type { Asset } from '../domain/asset.ts'
import { ceilDiv, converted, ratioOf } from '../domain/rate.ts'
import { isPrice, type Prices } from '../providers/prices.ts'
import { pause } from './pause.ts'

/** Gas of one more leg in a settlement that happens anyway, and of a refund that is a transaction of its own. */
const units = { leg: 50_000n, refund: 150_000n } as const
/** What an ordinary wallet's transfer takes: of native coin, of a token. */
const transferUnits = { native: 21_000n, token: 65_000n } as const
const everyMs = 5_000

/** What moving money costs, in the money moved. Kept in memory, so that it can be asked inside a transaction. */
export interface Costs {
  of(asset: Asset, what: keyof typeof units): bigint
  /** What its sender pays for a transfer now, in hundredths of a unit that is worth `unitUsd`, rounded up; undefined where it is not known. */
  transferCents(asset: Asset, unitUsd: string): bigint | undefined
  refresh(signal: AbortSignal): Promise<void>
  run(signal: AbortSignal): Promise<void>
}

export const costsOf = (chains: ReadonlyMap<ChainId, Chain>, prices: Prices, log: Logger): Costs => {
  const gasPrices = new Map<ChainId, bigint>()
  const usd = new Map<string, string>()
  const name = (asset: Pick<Asset, 'chainId' | 'address'>) => `${asset.chainId}:${asset.address}`
  const refresh = async (signal: AbortSignal) => {
    for (const chain of chains.values()) {
      gasPrices.set(chain.id, await chain.gasPrice(signal))
      for (const token of chain.tokens) {
        const price = await prices.get(token.priceId)
        if (price && isPrice(price.usd)) usd.set(name(token), price.usd)
      }
    }
  }
  return {
    of(asset, what) {
      const native = (gasPrices.get(asset.chainId) ?? 0n) * units[what]
      if (asset.address === null) return native
      const [nativeUsd, assetUsd] = [usd.get(name({ chainId: asset.chainId, address: null })), usd.get(name(asset))]
      // Without a price there is no honest number to take from a payer's money: the service bears the gas.
      if (nativeUsd === undefined || assetUsd === undefined) return 0n
      const { over, under } = converted({ over: native, under: 10n ** 18n }, ratioOf(nativeUsd), ratioOf(assetUsd), asset.decimals)
      return ceilDiv(over, under)
    },
    transferCents({ chainId, address }, unitUsd) {
      const [price, nativeUsd] = [gasPrices.get(chainId), usd.get(name({ chainId, address: null }))]
      if (price === undefined || nativeUsd === undefined) return undefined
      const native = price * (address === null ? transferUnits.native : transferUnits.token)
      const { over, under } = converted({ over: native, under: 10n ** 18n }, ratioOf(nativeUsd), ratioOf(unitUsd), 2)
      return ceilDiv(over, under)
    },
    refresh,
    async run(signal) {
      while (!signal.aborted) {
        await refresh(AbortSignal.any([signal, AbortSignal.timeout(everyMs)])).catch(
          (error: unknown) => signal.aborted || log.warn({ err: error }, 'gas prices cannot be read'),
        )
        await pause(everyMs, signal)
      }
    },
  }
}
