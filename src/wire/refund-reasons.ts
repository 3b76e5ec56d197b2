/** The service itself refunds money for these reasons. Any other reason is a sentence that the merchant wrote. */
export const refundReasons = ['overpaid', 'price_moved'] as const

export type RefundReason = (typeof refundReasons)[number]
