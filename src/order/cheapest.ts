import type { Fiat } from '../wire/fiat.ts'
import { parseUnits } from '../wire/money.ts'
import type { OrderRead } from '../wire/order-read.ts'
import { fiatOf } from './fiat.ts'
import type { Pickable } from './pickable.ts'

/** Returns about what the payer pays in all, with the fee of the network, if the service has said both. */
export const costOf = (order: OrderRead, { raw, currency, fee }: Pickable): Fiat | undefined =>
  raw === undefined || !fee ? undefined : fiatOf(order, { raw, currency }, fee)

/** Returns the rows with the cheapest first, and equal ones as they were. Nothing can be called cheaper while a cost is not known. */
export function cheapestFirst(order: OrderRead, rows: readonly Pickable[]): readonly Pickable[] | undefined {
  const costs = new Map(rows.map((row) => [row, row.isEstimate ? undefined : parseUnits(costOf(order, row)?.decimal ?? '', 2)]))
  if (rows.length < 2 || [...costs.values()].includes(undefined)) return undefined
  return [...rows].sort((before, after) => Number(costs.get(before)! - costs.get(after)!))
}
