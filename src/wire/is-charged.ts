import type { OrderRead } from './order-read.ts'

/** The card has been charged, and its provider has not delivered yet. */
export const isCharged = ({ payment }: OrderRead): boolean | undefined =>
  payment?.steps?.some(({ kind, data }) => kind === 'stripe_onramp' && data?.status?.startsWith('fulfillment_'))
