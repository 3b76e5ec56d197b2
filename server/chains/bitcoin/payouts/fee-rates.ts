import type { Driver } from './driver.ts'
import type { Rates } from './build-transaction.ts'

/** Returns what a transaction should pay now, within the operator's limits. */
export async function currentRates({ source, config }: Pick<Driver, 'source' | 'config'>, signal: AbortSignal): Promise<Rates> {
  const { usual, least } = await source.feeRates(signal)
  const { fallback, most } = config.feeRates
  const wanted = usual ?? fallback
  const relayed = wanted > least ? wanted : least
  return { wanted: relayed > most ? most : relayed, least }
}
