import type { CostNotes as CostNotesComponent } from '../../methods/part.ts'
import { useAllWords } from '../../i18n/words.ts'
import { above } from '../../order/above-price.ts'
import { fiatPriceOf } from '../../order/fiat.ts'

/** Says what of a cost is not the order's price, and that the network's fee comes on top where nobody has said it. */
export const CostNotes: CostNotesComponent = ({ order, cost, fee }) => {
  const words = useAllWords()
  const included = above(fiatPriceOf(order), cost) ?? (fee && { decimal: String(fee.amount), unit: fee.unit })
  return (
    <>
      {included && words.rich('feesIncluded', { fee: <span class="num">{words.fiat(included.decimal, included.unit)}</span> })}{' '}
      {!fee && words.t('addressHint')}
    </>
  )
}
