import type { Price } from '../../src/wire/order.ts'
import { formatUnits } from '../../src/wire/money.ts'
import { fiatDecimal, minorDigits, ceilOf, converted, ratioOf, roundUpToPlaces } from './model/rate.ts'
import type { Terms } from './model/order.ts'
import type { Quote } from './model/quote.ts'
import { currencyId } from './model/snapshot.ts'
import { freshPrice } from '../providers/prices.ts'
import type { Engine } from './engine.ts'

/** Returns the minimum if the quote is below it, in the order's fiat unit or else in the quote's asset, so that the caller knows what to ask for. */
export async function minimumAbove(
  engine: Engine,
  { fiatUnit }: Pick<Terms, 'fiatUnit'>,
  { asset, assetUsd, input }: Pick<Quote, 'asset' | 'assetUsd' | 'input'>,
): Promise<Price | undefined> {
  const least = engine.minimum(asset)
  if (input.total >= least) return undefined
  if (fiatUnit === undefined)
    return { amount: formatUnits(roundUpToPlaces(least, asset.decimals), asset.decimals), unit: currencyId(asset) }
  const unitUsd = await freshPrice(engine.prices, fiatUnit, 'fiat', engine.clock())
  const digits = minorDigits[fiatUnit]
  const minimum = { numerator: least, denominator: 10n ** BigInt(asset.decimals) }
  return { amount: fiatDecimal(ceilOf(converted(minimum, ratioOf(assetUsd), ratioOf(unitUsd), digits)), digits), unit: fiatUnit }
}
