import type { CardStepData } from './card-step.ts'

/** The provider's page is no longer usable in these states, so another attempt needs a new one. */
export const isCardOver = ({ status }: CardStepData): boolean => status === 'rejected' || status === 'expired'
