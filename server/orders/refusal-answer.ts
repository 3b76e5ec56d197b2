import type { Refusal } from './model/commands.ts'
import { ApiError, type ErrorStatus } from '../http/api-error.ts'

const statusOf: Record<Refusal['code'], ErrorStatus> = {
  source_fixed: 409,
  not_payable: 422,
  too_early: 422,
  too_often: 422,
  refund_address_fixed: 403,
  refund_too_large: 422,
  nothing_to_refund: 422,
}

export const asAnswer = ({ code, message }: Refusal): ApiError => new ApiError(statusOf[code], message, { problem: code })
