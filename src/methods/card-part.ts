import { payByCard } from './card/pay-by-card.ts'
import { cardScreen } from './card/view/card-view.tsx'
import type { MethodPart } from './part.ts'

export const cardPart: MethodPart = (start) => cardScreen(start(payByCard))
