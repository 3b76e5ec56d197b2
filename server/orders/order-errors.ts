import type { Refusal } from './model/commands.ts'
import { ApiError, type ErrorStatus, invalid } from '../http/api-error.ts'
import type { Price } from '../../src/wire/order.ts'

const statusOf: Record<Refusal['code'], ErrorStatus> = {
  source_fixed: 409,
  not_payable: 422,
  too_early: 422,
  too_often: 422,
  refund_address_fixed: 403,
  refund_too_large: 422,
  nothing_to_refund: 422,
}

export const refusalError = ({ code, message }: Refusal): ApiError => new ApiError(statusOf[code], message, { problem: code })

/** The error names the minimum in the caller's own unit, so that the caller can correct the amount. */
export function belowMinimum(minimum: Price, symbol: string, path: string): ApiError {
  const unit = minimum.unit.includes('-') ? symbol : minimum.unit.toUpperCase()
  const least = `at least ${minimum.amount} ${unit}`
  return invalid(path, least, `The amount is too small to be worth its settlement: it must be ${least}.`, { minimum })
}
