/** Why the service itself gave money back, in a word. Any other reason is a merchant's own sentence. */
export const refundReasons = ['overpaid', 'price_moved'] as const

export type RefundReason = (typeof refundReasons)[number]
