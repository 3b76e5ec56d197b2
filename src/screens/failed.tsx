import { useWords } from '../i18n/words.ts'
import { parseTime } from '../order/times.ts'
import { asksForRefundAddress, lacksRefundAddress } from '../order/to-return.ts'
import { dueOf } from '../order/due.ts'
import { failureOf } from '../order/ending.ts'
import { FundsText } from '../i18n/amount-text.tsx'
import { Address } from '../ui/address.tsx'
import { Head } from '../ui/head.tsx'
import { Note } from '../ui/note.tsx'
import { GiveAddress } from './pieces/give-address.tsx'
import { MoneyFacts } from './pieces/money-facts.tsx'
import { MoneyTrack } from './pieces/money-track.tsx'
import { useMerchant, usePage } from './pieces/page-context.ts'

/** The money could not be passed on, so this screen says where it is. It says that a refund is on its way only if the order has one. */
export const Failed = () => {
  const words = useWords()
  const merchant = useMerchant()
  const { checkout, clock } = usePage()
  const order = checkout.order.value
  const failure = failureOf(order)
  const until = parseTime(order.payment?.held_until)
  const address = order.payment?.refund?.address
  if (!('amount' in failure)) {
    return (
      <>
        <Head seal="warn" title={words.t(failure.at === 'nothing' ? 'failedNothing' : 'failedTitle')}>
          {words.t('failedLead', { merchant })}
        </Head>
        {failure.at === 'nothing' && <MoneyTrack at="you" of={dueOf(order)?.funds} />}
        <MoneyFacts label="heldForYou" amount={undefined} />
      </>
    )
  }
  const isBack = failure.at === 'back'
  const isSecondary = !isBack && asksForRefundAddress(order)
  return (
    <>
      <Head
        seal={isBack ? 'returned' : 'held'}
        title={words.rich(isBack ? 'failedBackTitle' : 'failedHeldTitle', { amount: <FundsText of={failure.amount} /> })}
      >
        {words.t('failedHeldLead', { merchant })}
      </Head>
      <MoneyTrack at="till" of={failure.amount} isHeld={!isBack} />
      <Note title={words.t('nextTitle')}>
        <p>
          {isBack
            ? words.t('nextRefund')
            : failure.back
              ? words.t('strayHeld')
              : until === undefined
                ? words.t('nextHeld', { merchant })
                : words.t('nextHeldUntil', { time: words.moment(until, clock.zone.value) })}
        </p>
        {!isBack && address && (
          <>
            <Address value={address} />
            <p>{words.t('refundSaved')}</p>
          </>
        )}
      </Note>
      {/* Asking is a second way only while the service still tries the first. */}
      {!isBack && asksForRefundAddress(order) && <p>{words.t(failure.back ? 'backAgreed' : 'backSooner', { merchant })}</p>}
      {!isBack && lacksRefundAddress(order) && <GiveAddress of={failure.amount.currency} look="btn" />}
      <MoneyFacts
        label={isBack ? 'refunded' : 'heldForYou'}
        amount={failure.amount}
        alsoBack={isBack ? undefined : failure.back}
        isSecondary={isSecondary}
      />
    </>
  )
}
