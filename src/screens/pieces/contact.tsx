import { useWords } from '../../i18n/words.ts'
import { referenceOf } from '../../order/merchant.ts'
import { supportUrlOf } from '../../order/support.ts'
import { useMerchant, usePage } from './page-context.ts'

/** Leads to the shop's help, where it has given one. A page opens beside this one, which the payer may still need. */
export const Contact = ({ look }: { look: 'btn' | 'btn two' | 'link' }) => {
  const words = useWords()
  const merchant = useMerchant()
  const url = useSupportUrl()
  if (!url) return null
  return (
    <a class={look} href={url} target={/^mailto:/i.test(url) ? undefined : '_blank'} rel="noreferrer">
      {words.t('contact', { merchant })}
    </a>
  )
}

export const useSupportUrl = (): string | undefined => {
  const order = usePage().checkout.order.value
  return supportUrlOf(order, useWords().t('orderNo', { reference: referenceOf(order) }))
}
