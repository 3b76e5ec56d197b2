import type { Fiat } from '../wire/fiat.ts'
import { parseUnits } from '../wire/money.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { fiatOf } from './fiat.ts'
import type { Pickable } from './pickable.ts'

/** Returns about what the payer pays in all, with the fee of the network, if the service has said both. */
export const costOf = (order: OrderRead, { raw, currency, fee }: Pickable): Fiat | undefined =>
  raw === undefined || !fee ? undefined : fiatOf(order, { raw, currency }, fee)

/** Returns the row that costs least, of equal ones the first. No row may be called the cheapest while some cost is not known. */
export function cheapest(order: OrderRead, rows: readonly Pickable[]): Pickable | undefined {
  const costs = rows.map((row) => (row.isEstimate ? undefined : parseUnits(costOf(order, row)?.decimal ?? '', 2)))
  if (rows.length < 2 || !costs.every((cost) => cost !== undefined)) return undefined
  const least = costs.reduce((one, other) => (other < one ? other : one))
  return rows[costs.indexOf(least)]
}
