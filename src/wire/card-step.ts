import type { OrderRead, StepRead } from './order-read.ts'

export type CardStepData = NonNullable<StepRead['data']>

/** The card step of an order, of whatever service: only what it needs to be opened is asked of it. */
export const cardStepOf = (order: OrderRead): CardStepData | undefined =>
  order.payment?.steps?.find((step) => step.kind === 'stripe_onramp' && step.data?.hosted_url !== undefined)?.data

/** Nothing more happens there: another attempt needs another page. */
export const isCardOver = ({ status }: CardStepData): boolean => status === 'rejected' || status === 'expired'

export const isCardPaid = ({ status }: CardStepData): boolean => status === 'fulfillment_processing' || status === 'fulfillment_complete'

/** The one address that we send a payer to: nothing that a browser would run. */
export const cardPageOf = ({ hosted_url }: CardStepData): string | undefined =>
  hosted_url !== undefined && URL.canParse(hosted_url) && /^https?:$/.test(new URL(hosted_url).protocol) ? hosted_url : undefined
