import { card } from '../card/flow.ts'
import { CardView } from '../card/view/card-view.tsx'
import type { MethodPart } from '../views.ts'

export const cardPart: MethodPart = (start) => {
  const flow = start(card)
  return (props) => <CardView flow={flow} {...props} />
}
