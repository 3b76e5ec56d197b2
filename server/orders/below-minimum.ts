import type { Price } from '../../src/wire/order.ts'
import { ApiError } from '../http/api-error.ts'

/** Less than twice what settling costs is asked for nowhere: whoever asked is told what would do, in the unit that he wrote. */
export function belowMinimum(minimum: Price, symbol: string, path: string): ApiError {
  const unit = minimum.unit.includes('-') ? symbol : minimum.unit.toUpperCase()
  return new ApiError(422, `The amount is too small to be worth its settlement: it must be at least ${minimum.amount} ${unit}.`, {
    minimum,
    issues: [{ path, message: `at least ${minimum.amount} ${unit}` }],
  })
}
