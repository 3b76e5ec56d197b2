import type { ChainId } from '../../../src/wire/chain.ts'
import { canonicalToken } from '../../../src/wire/addresses/canonical.ts'

/** An asset is a currency on one chain. Its `address` is null for the native coin. */
export interface Asset {
  readonly chainId: ChainId
  readonly address: string | null
  readonly symbol: string
  readonly name: string
  readonly decimals: number
}

export const sameAsset = (a: Pick<Asset, 'chainId' | 'address'>, b: Pick<Asset, 'chainId' | 'address'>): boolean =>
  a.chainId === b.chainId && canonicalToken(a.chainId, a.address) === canonicalToken(b.chainId, b.address)

export function distinctAssets(assets: readonly Asset[]): Asset[] {
  const distinct: Asset[] = []
  for (const asset of assets) if (!distinct.some((known) => sameAsset(known, asset))) distinct.push(asset)
  return distinct
}
