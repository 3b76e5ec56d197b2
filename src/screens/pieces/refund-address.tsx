import type { ComponentChildren } from 'preact'
import { useWords } from '../../i18n/words.ts'
import { Fold } from '../../ui/fold.tsx'
import type { CurrencyRead } from '../../wire/currency.ts'
import { usePage } from './page-context.ts'

export interface RefundAddressProps {
  readonly currency: CurrencyRead
  /** This is true once money for the order was seen, because from then on only the merchant can change the address. */
  readonly fixed: boolean
}

export const refundField = 'refund'

export interface RefundFormProps extends RefundAddressProps {
  /** The field of the server's form, which this form replaces. */
  readonly served: HTMLInputElement | null | undefined
}

/** The sender's address may belong to an exchange, so the payer has to name the address for refunds. Its form works before its script. */
export const RefundAddress = ({ kept, ...props }: RefundAddressProps & { readonly kept: ComponentChildren }) => {
  const words = useWords()
  const { checkout, secondary } = usePage()
  const more = secondary.content.value
  const saved = checkout.order.value.payment?.refund?.address
  if (props.fixed && !saved) return null
  return (
    <Fold title={words.t('refundFold')} open={!!saved || checkout.problem.value?.at === 'refund' || checkout.choice.value.form}>
      {more ? <more.RefundForm {...props} served={globalThis.document?.querySelector<HTMLInputElement>(`#${refundField}`)} /> : kept}
    </Fold>
  )
}
