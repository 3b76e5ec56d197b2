import { useWords } from '../i18n/words.ts'
import { failureOf } from '../order/failure.ts'
import { parseTime } from '../order/times.ts'
import type { Step } from '../order/step.ts'
import { FundsText } from '../i18n/amount-text.tsx'
import { Address } from '../ui/address.tsx'
import { Head } from '../ui/head.tsx'
import { Note } from '../ui/note.tsx'
import { MoneyFacts } from './pieces/money-facts.tsx'
import { useMerchant, usePage } from './pieces/page-context.ts'

/** The money could not be passed on, so this screen says where it is. It says that a refund is on its way only if the order has one. */
export const Failed = ({ step }: { step: Extract<Step, { at: 'failed' }> }) => {
  const words = useWords()
  const merchant = useMerchant()
  const { checkout, clock } = usePage()
  const order = checkout.order.value
  const until = parseTime(order.payment?.held_until)
  const address = order.payment?.refund?.address
  const failure = failureOf(order, step)
  if (!step.amount || failure === 'nothing' || failure === 'unknown') {
    return (
      <>
        <Head seal="warn" title={words.t(failure === 'nothing' ? 'failedNothing' : 'failedTitle')}>
          {words.t('failedLead', { merchant })}
        </Head>
        <MoneyFacts label="heldForYou" amount={undefined} />
      </>
    )
  }
  return (
    <>
      <Head
        seal={step.back ? 'returned' : 'held'}
        title={words.rich(step.back ? 'failedBackTitle' : 'failedHeldTitle', { amount: <FundsText of={step.amount} /> })}
      >
        {words.t('failedHeldLead', { merchant })}
      </Head>
      <Note title={words.t('nextTitle')}>
        <p>
          {step.back
            ? words.t('nextRefund')
            : until === undefined
              ? words.t('nextHeld', { merchant })
              : words.t('nextHeldUntil', { time: words.moment(until, clock.zone.value) })}
        </p>
        {!step.back && !address && <p>{words.t('nextAddress', { merchant })}</p>}
        {!step.back && address && (
          <>
            <Address value={address} />
            <p>{words.t('refundSaved')}</p>
          </>
        )}
      </Note>
      <MoneyFacts label={step.back ? 'refunded' : 'heldForYou'} amount={step.amount} />
    </>
  )
}
