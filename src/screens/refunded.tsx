import { useWords } from '../i18n/words.ts'
import type { Step } from '../state/step.ts'
import { FundsText } from '../i18n/funds.tsx'
import { Head } from '../ui/head.tsx'
import { MoneyFacts } from './money-facts.tsx'
import { useMerchant, usePage } from './page-context.ts'

export const Refunded = ({ step }: { step: Extract<Step, { at: 'refunded' }> }) => {
  const words = useWords()
  const merchant = useMerchant()
  const order = usePage().checkout.order.value
  const reason = order.metadata?.refund?.reason ?? order.payment?.refund?.reason
  return (
    <>
      <Head
        seal="returned"
        title={step.amount ? words.rich('refundedTitle', { amount: <FundsText of={step.amount} /> }) : words.t('refundedPlain')}
      >
        {reason ? words.t('refundedWhy', { merchant, reason }) : words.t('refundedLead', { merchant })}
      </Head>
      <MoneyFacts label="refunded" amount={step.amount} />
    </>
  )
}
