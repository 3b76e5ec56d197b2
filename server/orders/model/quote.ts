import type { TradeType } from '../../../src/wire/quote.ts'
import { type Asset, sameAsset } from './asset.ts'
import { ceilDiv, converted, ratioOf, roundUpToPlaces } from './rate.ts'

/** How a conversion gets from the source to the asset, in the format of the provider that priced it. Opaque to everything else. */
export type Route = readonly string[]

/** Parts of what the payer pays, in smallest units of the source. They add up to `total` exactly. */
export interface Breakdown {
  readonly base: bigint
  readonly custom: bigint
  readonly protocol: bigint
  readonly relayer: bigint
  readonly gas: bigint
  readonly total: bigint
}

export interface Quote {
  readonly id: number
  readonly source: Asset
  readonly asset: Asset
  readonly tradeType: TradeType
  readonly slippageBps: number
  /** What the payer sends, in the source. */
  readonly input: Breakdown
  /** What the recipient gets and what the fees take, in the asset. */
  readonly output: bigint
  readonly fees: Fees
  readonly sourceUsd: string
  readonly assetUsd: string
  readonly expiresAt: number
  /** Set where source and asset differ. */
  readonly route?: Route
  /** The amount is not fixed in the source's own unit, so this price is valid only until it expires. */
  readonly moves: boolean
}

/** In the asset's smallest units. `gas` is the cost of settling, charged to whoever bears the fees. */
export interface Fees {
  readonly custom: bigint
  readonly protocol: bigint
  readonly relayer: bigint
  readonly gas: bigint
}

export interface FeeTerms {
  readonly customBps: number
  readonly protocolBps: number
  readonly relayerUsd: string
  readonly gasUsd: string
}

export const totalFees = (fees: Fees): bigint => fees.custom + fees.protocol + fees.relayer + fees.gas

export const convertsAnything = (quote: Quote): boolean => !sameAsset(quote.source, quote.asset)

/** The least the recipient may get: exactly the output where that is fixed, within the slippage where the input is. */
export const leastOutput = (quote: Quote): bigint =>
  convertsAnything(quote) && quote.tradeType === 'EXACT_INPUT' ? (quote.output * (bps - BigInt(quote.slippageBps))) / bps : quote.output

/** Raises an input amount so that it still covers the order when the price moves against the payer by the slippage. */
export const withSlippage = (amountIn: bigint, slippageBps: number, decimals: number): bigint =>
  roundUpToPlaces(ceilDiv(amountIn * bps, bps - BigInt(slippageBps)), decimals)

const bps = 10_000n
const ceilShare = (amount: bigint, share: number): bigint => ceilDiv(amount * BigInt(share), bps)
const floorShare = (amount: bigint, share: number): bigint => (amount * BigInt(share)) / bps

export interface Price {
  readonly tradeType: TradeType
  readonly asset: Asset
  /** Exact, in smallest units of the asset; a fiat amount may not be a whole number of them. */
  readonly amount: { readonly over: bigint; readonly under: bigint }
  readonly assetUsd: string
  readonly terms: FeeTerms
}

export interface Priced {
  readonly output: bigint
  readonly fees: Fees
  /** output + fees: what must be available in the asset before anything can be settled. */
  readonly total: bigint
}

/**
 * EXACT_OUTPUT: fees are rounded up and added; what rounding the payable amount up to typeable places adds goes to the recipient.
 * EXACT_INPUT: the payer sends the amount as it is; fees are rounded down and deducted from it.
 */
export function price({ tradeType, asset, amount, assetUsd, terms }: Price): Priced {
  const inAsset = (usd: string) => converted(ratioOf(usd), ratioOf('1'), ratioOf(assetUsd), asset.decimals)
  const relayer = inAsset(terms.relayerUsd)
  const gas = inAsset(terms.gasUsd)
  const asked = ceilDiv(amount.over, amount.under)
  switch (tradeType) {
    case 'EXACT_OUTPUT': {
      const fees: Fees = {
        custom: ceilShare(asked, terms.customBps),
        protocol: ceilShare(asked, terms.protocolBps),
        relayer: ceilDiv(relayer.over, relayer.under),
        gas: ceilDiv(gas.over, gas.under),
      }
      const total = roundUpToPlaces(asked + totalFees(fees), asset.decimals)
      return { output: total - totalFees(fees), fees, total }
    }
    case 'EXACT_INPUT':
      return lessFees(roundUpToPlaces(asked, asset.decimals), { asset, assetUsd, terms })
    default:
      return tradeType satisfies never
  }
}

/** Prices an exact input: the output is what remains once the fees are deducted. */
export function lessFees(total: bigint, { asset, assetUsd, terms }: Pick<Price, 'asset' | 'assetUsd' | 'terms'>): Priced {
  const inAsset = (usd: string) => converted(ratioOf(usd), ratioOf('1'), ratioOf(assetUsd), asset.decimals)
  const relayer = inAsset(terms.relayerUsd)
  const gas = inAsset(terms.gasUsd)
  const fees = cappedAt(total, {
    custom: floorShare(total, terms.customBps),
    protocol: floorShare(total, terms.protocolBps),
    relayer: relayer.over / relayer.under,
    gas: gas.over / gas.under,
  })
  return { output: total - totalFees(fees), fees, total }
}

/** Fees never exceed the amount they are taken from: a tiny amount is used up in this order. */
function cappedAt(total: bigint, { custom, protocol, relayer, gas }: Fees): Fees {
  let left = total
  const take = (part: bigint): bigint => {
    const taken = part < left ? part : left
    left -= taken
    return taken
  }
  return { custom: take(custom), protocol: take(protocol), relayer: take(relayer), gas: take(gas) }
}

/** Converts fees into the source's unit, each rounded up; the base is the remainder, so that the parts still add up to the total. */
export function breakdownIn(priced: Priced, total: bigint): Breakdown {
  const scale = (part: bigint): bigint => (priced.total === total || priced.total === 0n ? part : ceilDiv(part * total, priced.total))
  const { custom, protocol, relayer, gas } = priced.fees
  const fees = cappedAt(total, { custom: scale(custom), protocol: scale(protocol), relayer: scale(relayer), gas: scale(gas) })
  return { ...fees, base: total - totalFees(fees), total }
}
