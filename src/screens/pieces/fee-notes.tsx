import type { ComponentChildren } from 'preact'
import type { CostNotes as CostNotesComponent } from '../../methods/part.ts'
import { above } from '../../order/above-price.ts'
import { fiatPriceOf } from '../../order/fiat.ts'
import type { NetworkFee } from '../../wire/currency.ts'
import type { Fiat } from '../../wire/fiat.ts'
import { type AllWords, useAllWords } from '../../i18n/words.ts'

interface Costs {
  /** Without it nothing can be said to be dearer. */
  readonly price: Fiat | undefined
  readonly cost: Fiat | undefined
  /** The cost includes it. What the network asks is unknown without it. */
  readonly fee: NetworkFee | undefined
}

/** Says what of a cost is not the order's price, and that the network's fee comes on top where nobody has said it. */
export function feeNotes(words: AllWords, { price, cost, fee }: Costs): { included: ComponentChildren; onTop: ComponentChildren } {
  const included = above(price, cost) ?? (fee && { decimal: String(fee.amount), unit: fee.unit })
  return {
    included: included && words.rich('feesIncluded', { fee: <span class="num">{words.fiat(included.decimal, included.unit)}</span> }),
    onTop: !fee && words.t('addressHint'),
  }
}

export const CostNotes: CostNotesComponent = ({ order, cost, fee }) => {
  const { included, onTop } = feeNotes(useAllWords(), { price: fiatPriceOf(order), cost, fee })
  return (
    <>
      {included} {onTop}
    </>
  )
}
