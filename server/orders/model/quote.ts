import type { TradeType } from '../../../src/wire/quote.ts'
import { type Asset, sameAsset } from './asset.ts'
import { ceilDiv, ceilOf, converted, type Ratio, ratioOf, roundUpToPlaces } from './rate.ts'

/** The parts of the payer's amount are in smallest units of the source, and add up to `total` exactly. */
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
  /** A settlement at this quote pays them (see payeesOf in destination.ts). */
  readonly recipient?: string
  readonly feeCollector?: string
  readonly tradeType: TradeType
  readonly slippageBps: number
  /** The payer sends this much of the source. */
  readonly input: Breakdown
  /** The recipient gets this much of the asset, or possibly less if the input is fixed and converted (see `leastOutput`). */
  readonly output: bigint
  /** The fee collector gets these fees. */
  readonly fees: Fees
  readonly sourceUsd: string
  readonly assetUsd: string
  /** One unit of the order's fiat currency was worth this, which is undefined for other orders and for quotes from before this was kept. */
  readonly fiatUsd?: string
  readonly expiresAt: number
  /** The order's amount is not fixed in the source's own unit, so this price expires. */
  readonly moves: boolean
  /** The payment would take about this long until the order is COMPLETED, as the chain was when the quote was made. */
  readonly seconds?: number
}

/** Fees are in the asset's smallest units. Whoever bears the fees also pays `gas`, the cost of settling. */
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

/** A fixed output must arrive exactly. If a fixed input is converted, the recipient may get less, within the slippage. */
export const leastOutput = (quote: Quote): bigint =>
  convertsAnything(quote) && quote.tradeType === 'EXACT_INPUT' ? (quote.output * (bps - BigInt(quote.slippageBps))) / bps : quote.output

/**
 * How much less than its input a conversion at this quote may be worth, in hundredths of a percent: its pools' fees, what it moves their price,
 * and all of the slippage.
 */
export function mostLossBps(quote: Quote): number {
  const [from, to] = [ratioOf(quote.sourceUsd), ratioOf(quote.assetUsd)]
  const given = quote.input.total * from.numerator * to.denominator * 10n ** BigInt(quote.asset.decimals)
  const got = (leastOutput(quote) + totalFees(quote.fees)) * to.numerator * from.denominator * 10n ** BigInt(quote.source.decimals)
  return given > got ? Number(ceilDiv((given - got) * bps, given)) : 0
}

/** Raises an input amount so that it still covers the order when the price moves against the payer by the slippage. */
export const withSlippage = (amountIn: bigint, slippageBps: number): bigint => ceilDiv(amountIn * bps, bps - BigInt(slippageBps))

const bps = 10_000n
const ceilShare = (amount: bigint, share: number): bigint => ceilDiv(amount * BigInt(share), bps)
const floorShare = (amount: bigint, share: number): bigint => (amount * BigInt(share)) / bps

export interface Price {
  readonly tradeType: TradeType
  readonly asset: Asset
  /** The amount is an exact fraction, because a fiat amount may not be a whole number of the asset's smallest units. */
  readonly amount: Ratio
  readonly assetUsd: string
  readonly terms: FeeTerms
  /** A settlement that pays its own fee needs at least this much for it. */
  readonly leastGas?: bigint
}

export interface Priced {
  readonly output: bigint
  readonly fees: Fees
  /** A settlement needs this much of the asset, which is the output plus all fees. */
  readonly total: bigint
}

/**
 * Both trade types round the payable amount up to places that people can type. EXACT_OUTPUT rounds fees up and adds them, and the recipient
 * gets the rounding's gain. EXACT_INPUT rounds fees down and deducts them from the amount.
 */
export function price({ tradeType, asset, amount, assetUsd, terms, leastGas = 0n }: Price): Priced {
  const inAsset = (usd: string) => converted(ratioOf(usd), ratioOf('1'), ratioOf(assetUsd), asset.decimals)
  const relayer = inAsset(terms.relayerUsd)
  const gas = inAsset(terms.gasUsd)
  const asked = ceilOf(amount)
  switch (tradeType) {
    case 'EXACT_OUTPUT': {
      const fees: Fees = {
        custom: ceilShare(asked, terms.customBps),
        protocol: ceilShare(asked, terms.protocolBps),
        relayer: ceilOf(relayer),
        gas: larger(ceilOf(gas), leastGas),
      }
      const total = roundUpToPlaces(asked + totalFees(fees), asset.decimals)
      return { output: total - totalFees(fees), fees, total }
    }
    case 'EXACT_INPUT':
      return lessFees(roundUpToPlaces(asked, asset.decimals), { asset, assetUsd, terms, leastGas })
    default:
      return tradeType satisfies never
  }
}

const larger = (a: bigint, b: bigint): bigint => (a > b ? a : b)

/** Prices an exact input, whose output is the rest after fees. */
export function lessFees(total: bigint, { asset, assetUsd, terms, leastGas = 0n }: Omit<Price, 'tradeType' | 'amount'>): Priced {
  const inAsset = (usd: string) => converted(ratioOf(usd), ratioOf('1'), ratioOf(assetUsd), asset.decimals)
  const relayer = inAsset(terms.relayerUsd)
  const gas = inAsset(terms.gasUsd)
  const fees = cappedAt(total, {
    custom: floorShare(total, terms.customBps),
    protocol: floorShare(total, terms.protocolBps),
    relayer: relayer.numerator / relayer.denominator,
    gas: larger(gas.numerator / gas.denominator, leastGas),
  })
  return { output: total - totalFees(fees), fees, total }
}

/** Fees never exceed the amount that they are taken from, and a tiny amount pays them in the order below until it is used up. */
function cappedAt(total: bigint, { custom, protocol, relayer, gas }: Fees): Fees {
  let left = total
  const take = (part: bigint): bigint => {
    const taken = part < left ? part : left
    left -= taken
    return taken
  }
  return { custom: take(custom), protocol: take(protocol), relayer: take(relayer), gas: take(gas) }
}

/** Converts fees into the source's unit, each rounded up. The base is the rest, so that the parts still add up to the total. */
export function breakdownIn(priced: Priced, total: bigint): Breakdown {
  const scale = (part: bigint): bigint => (priced.total === total || priced.total === 0n ? part : ceilDiv(part * total, priced.total))
  const { custom, protocol, relayer, gas } = priced.fees
  const fees = cappedAt(total, { custom: scale(custom), protocol: scale(protocol), relayer: scale(relayer), gas: scale(gas) })
  return { ...fees, base: total - totalFees(fees), total }
}
