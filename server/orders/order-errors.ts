import type { Refusal } from './model/commands.ts'
import { ApiError, type ErrorStatus, invalid } from '../http/api-error.ts'
import type { AmountProblem } from './price-terms.ts'

const statusOf: Record<Refusal['code'], ErrorStatus> = {
  source_fixed: 409,
  not_payable: 422,
  too_early: 422,
  too_often: 422,
  refund_address_fixed: 403,
  refund_too_large: 422,
  nothing_to_refund: 422,
  no_guard: 422,
  signature_used: 409,
  near_release: 422,
  no_terms: 422,
}

export const refusalError = ({ code, message }: Refusal): ApiError => new ApiError(statusOf[code], message, { problem: code })

/** The error names the minimum in the caller's own unit, so that the caller can correct the amount. */
export function amountRefused(problem: AmountProblem, path = 'amount'): ApiError {
  switch (problem.why) {
    case 'too_small':
      return invalid(path, 'too small', 'The amount is too small to be paid after fees.')
    case 'too_large':
      return invalid(path, 'too large', 'The amount is larger than any payment can be.')
    case 'below_minimum': {
      const { minimum, symbol } = problem
      const least = `at least ${minimum.amount} ${minimum.unit.includes('-') ? symbol : minimum.unit.toUpperCase()}`
      return invalid(path, least, `The amount is too small to be worth its settlement: it must be ${least}.`, { minimum })
    }
    default:
      return problem satisfies never
  }
}
