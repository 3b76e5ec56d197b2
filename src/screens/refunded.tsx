import type { FirstKey, PlainKey } from '../i18n/messages.ts'
import { useWords } from '../i18n/words.ts'
import type { Step } from '../order/step.ts'
import { FundsText } from '../i18n/amount-text.tsx'
import { Head } from '../ui/head.tsx'
import type { RefundReason } from '../wire/order.ts'
import { MoneyFacts } from './pieces/money-facts.tsx'
import { useMerchant, usePage } from './pieces/page-context.ts'

const sayings: Readonly<Record<RefundReason, PlainKey & FirstKey>> = { overpaid: 'refundedOver', price_moved: 'refundedMoved' }

export const Refunded = ({ step }: { step: Extract<Step, { at: 'refunded' }> }) => {
  const words = useWords()
  const order = usePage().checkout.order.value
  const reason = order.metadata?.refund?.reason ?? order.payment?.refund?.reason
  return (
    <>
      <Head
        seal="returned"
        title={step.amount ? words.rich('refundedTitle', { amount: <FundsText of={step.amount} /> }) : words.t('refundedPlain')}
      >
        <Why reason={reason} />
      </Head>
      <MoneyFacts label="refunded" amount={step.amount} />
    </>
  )
}

/** In the payer's language where the service gave it back, in the merchant's own words where he did; a code that we don't know says nothing. */
const Why = ({ reason }: { reason: string | undefined }) => {
  const words = useWords()
  const merchant = useMerchant()
  if (!reason || isForeignCode(reason)) return <>{words.t('refundedLead', { merchant })}</>
  if (isOurs(reason)) return <>{words.t(sayings[reason])}</>
  return <>{words.rich('refundedWhy', { merchant, reason: <bdi>{reason}</bdi> })}</>
}

const isOurs = (reason: string): reason is RefundReason => Object.hasOwn(sayings, reason)

/** 'settlement_failed' or 'DUPLICATE_PAYMENT': nothing that a person wrote for another. */
const isForeignCode = (reason: string): boolean => !isOurs(reason) && /^[a-z\d]+(_[a-z\d]+)+$/i.test(reason)
