/** Codes for why the service itself refunded money. Any other reason is a sentence that the merchant wrote. */
export const refundReasons = ['overpaid', 'price_moved'] as const

export type RefundReason = (typeof refundReasons)[number]
