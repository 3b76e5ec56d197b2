import type { FirstKey, PlainKey } from '../i18n/messages.ts'
import { useWords } from '../i18n/words.ts'
import { refundedOf } from '../order/ending.ts'
import { FundsText } from '../i18n/amount-text.tsx'
import { Head } from '../ui/head.tsx'
import type { RefundReason } from '../wire/order.ts'
import { MoneyFacts } from './pieces/money-facts.tsx'
import { MoneyTrack } from './pieces/money-track.tsx'
import { useMerchant, usePage } from './pieces/page-context.ts'

const reasonTexts: Readonly<Record<RefundReason, PlainKey & FirstKey>> = { overpaid: 'refundedOver', price_moved: 'refundedMoved' }

export const Refunded = () => {
  const words = useWords()
  const order = usePage().checkout.order.value
  const amount = refundedOf(order)
  const reason = order.metadata?.refund?.reason ?? order.payment?.refund?.reason
  return (
    <>
      <Head seal="returned" title={amount ? words.rich('refundedTitle', { amount: <FundsText of={amount} /> }) : words.t('refundedPlain')}>
        <RefundReasonText reason={reason} />
      </Head>
      <MoneyTrack at="you" of={amount} />
      <MoneyFacts label="refunded" amount={amount} />
    </>
  )
}

/** Our own codes have a translated text, and a merchant's sentence is shown as written. An unknown code is not shown. */
const RefundReasonText = ({ reason }: { reason: string | undefined }) => {
  const words = useWords()
  const merchant = useMerchant()
  if (!reason || isForeignCode(reason)) return <>{words.t('refundedLead', { merchant })}</>
  if (isOurs(reason)) return <>{words.t(reasonTexts[reason])}</>
  return <>{words.rich('refundedWhy', { merchant, reason: <bdi>{reason}</bdi> })}</>
}

const isOurs = (reason: string): reason is RefundReason => Object.hasOwn(reasonTexts, reason)

/** Recognises codes like 'settlement_failed' or 'DUPLICATE_PAYMENT', which are not meant for a payer to read. */
const isForeignCode = (reason: string): boolean => !isOurs(reason) && /^[a-z\d]+(_[a-z\d]+)+$/i.test(reason)
