import type { OrderRead } from './order-read.ts'

/** The card has been charged. What its provider delivers may not be seen yet. */
export const isCharged = ({ payment }: OrderRead): boolean | undefined =>
  payment?.steps?.some(({ kind, data }) => kind === 'stripe_onramp' && data?.status?.startsWith('fulfillment_'))
