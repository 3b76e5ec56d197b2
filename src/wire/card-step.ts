import type { OrderRead, StepRead } from './order-read.ts'

export type CardStepData = NonNullable<StepRead['data']>

/** A card step only counts if it has a URL, because without one the payer cannot open it. */
export const cardStepOf = (order: OrderRead): CardStepData | undefined =>
  order.payment?.steps?.find((step) => step.kind === 'stripe_onramp' && step.data?.hosted_url !== undefined)?.data

/** This URL comes from another service and becomes a link, so only http(s) is accepted, and never code such as `javascript:`. */
export const cardPageOf = ({ hosted_url }: CardStepData): string | undefined =>
  hosted_url !== undefined && URL.canParse(hosted_url) && /^https?:$/.test(new URL(hosted_url).protocol) ? hosted_url : undefined
