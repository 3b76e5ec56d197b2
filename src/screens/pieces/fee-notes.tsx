import type { CostNotes as CostNotesComponent } from '../../methods/part.ts'
import { useAllWords } from '../../i18n/words.ts'
import { above } from '../../order/above-price.ts'
import { fiatPriceOf } from '../../order/fiat.ts'

/** Says what of a cost is not the order's price, and that the network's fee comes on top where nobody has said it. */
export const CostNotes: CostNotesComponent = ({ order, cost, fee, isOfTokens }) => {
  const words = useAllWords()
  const included = above(fiatPriceOf(order), cost) ?? (fee && { decimal: String(fee.amount), unit: fee.unit })
  const sum = included && <span class="num">{words.fiat(included.decimal, included.unit)}</span>
  if (isOfTokens) return sum ? <small>{words.rich('conversionIncluded', { fee: sum })}</small> : null
  return (
    <>
      {sum && words.rich('feesIncluded', { fee: sum })} {!fee && words.t('addressHint')}
    </>
  )
}
