import { useWords } from '../i18n/words.ts'
import { fundingOf } from '../order/funding.ts'
import { currencyField, payCurrency, paymentRequest } from '../order/pay-currency.ts'
import { hrefOf } from '../model/page.ts'
import { referenceOf } from '../order/merchant.ts'
import { misdirectedOf } from '../order/misdirected.ts'
import type { Step } from '../order/step.ts'
import { asksForRefundAddress, lacksRefundAddress } from '../order/to-return.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { FundsText } from '../i18n/amount-text.tsx'
import { Head } from '../ui/head.tsx'
import { Icon } from '../ui/icon.tsx'
import { Note } from '../ui/note.tsx'
import { Contact } from './pieces/contact.tsx'
import { GiveAddress } from './pieces/give-address.tsx'
import { FindPayment, Found } from './pieces/find-payment.tsx'
import { useMerchant, usePage } from './pieces/page-context.ts'
import { ProblemNote } from './pieces/problem-note.tsx'
import { MoneyTrack } from './pieces/money-track.tsx'
import { Misdirected, MisdirectedTitle } from './pieces/misdirected.tsx'
import { ReferenceField } from './pieces/reference-field.tsx'
import { Replaced } from './pieces/replaced.tsx'
import { TransferList } from './pieces/transfer-list.tsx'

/** A payer needs more than "expired", so this screen also shows what was received and how to continue. */
export const Expired = ({ step }: { step: Extract<Step, { at: 'expired' }> }) => {
  const words = useWords()
  const merchant = useMerchant()
  const { boot, checkout, clock } = usePage()
  const order = checkout.order.value
  const { money, held, until } = step
  const funding = fundingOf(order)
  if (money && !held) {
    return (
      <>
        <Head seal="clock" title={words.rich('expiredMoneyTitle', { amount: <FundsText of={money} /> })}>
          {funding && funding.due > 0n && (
            <>
              {words.rich('receivedOf', {
                received: words.amount(funding.received + funding.seen, funding.currency.decimals),
                required: <FundsText of={{ raw: funding.required, currency: funding.currency }} />,
              })}
              <br />
            </>
          )}
          {words.t('expiredMoneyLead')}
        </Head>
        <Found />
        <MoneyTrack at="till" of={money} isHeld />
        <TransferList title={words.t('receivedSoFar')} />
        <Misdirected />
        <section class="card">
          <ReferenceField label={words.t('reference')} value={referenceOf(order)} />
        </section>
        <Contact look="btn two" />
      </>
    )
  }
  // A payer whose money arrived but does not count should first ask for it, so the button is then a secondary one.
  const button = held ? 'btn two' : 'btn'
  const mayReprice = boot.invoice?.next !== 'none'
  const stray = held ? misdirectedOf(order)[0] : undefined
  return (
    <>
      <Head
        seal={held ? 'held' : 'clock'}
        title={stray ? <MisdirectedTitle of={stray} isNeeded={mayReprice} /> : words.t(held ? 'expiredStrayTitle' : 'expiredTitle')}
      >
        {held
          ? stray && [words.t('expiredStrayTitle'), lacksRefundAddress(order) && ` ${words.t('backAgreed', { merchant })}`]
          : until === undefined
            ? words.t('expiredPlain')
            : words.t('expiredLead', { time: words.time(until, clock.zone.value) })}
      </Head>
      <Replaced />
      {held && money && <MoneyTrack at="till" of={money} isHeld isLeftOver />}
      <Misdirected isNeeded={mayReprice} isTitled={stray !== undefined} isAsked={lacksRefundAddress(order)} />
      {held && money && lacksRefundAddress(order) && <GiveAddress of={money.currency} look="btn" />}
      {held && <Contact look={asksForRefundAddress(order) ? 'btn two' : 'btn'} />}
      {boot.invoice ? <NextOfInvoice next={boot.invoice.next} button={button} /> : <NewPrice button={button} />}
      {!held && (
        <>
          <Note icon="find" title={words.t('alreadyPaid')}>
            <p>{words.t('keepsWatching')}</p>
          </Note>
          <FindPayment />
        </>
      )}
    </>
  )
}

/** An invoice whose order has expired may get a new order. A plain form requests it, because the page then has to load that order. */
const NextOfInvoice = ({ next, button }: { next: 'order' | 'price' | 'none'; button: string }) => {
  const words = useWords()
  const page = usePage()
  if (next === 'none') return null
  if (next === 'price') return <NewPrice button={button} />
  return (
    <>
      <form method="post" action={hrefOf(page, { pick: false })}>
        <input type="hidden" name="act" value="renew" />
        <button class={button}>
          <Icon name="reload" />
          {words.t('newPrice')}
        </button>
      </form>
      <ProblemNote at="price" />
    </>
  )
}

const NewPrice = ({ button }: { button: string }) => {
  const words = useWords()
  const page = usePage()
  const { checkout } = page
  const currency = payCurrency(checkout.order.value)
  if (!currency) return null
  const busy = checkout.busy.value === 'price'
  return (
    <>
      <ActionForm
        action={hrefOf(page, { pick: false })}
        fields={{ act: 'price', ...currencyField(currency) }}
        onAct={() => checkout.pay(paymentRequest(currency), 'price')}
      >
        <button class={button} aria-disabled={busy ? 'true' : undefined}>
          {busy ? <span class="spin" /> : <Icon name="reload" />}
          {words.t('newPrice')}
        </button>
      </ActionForm>
      <ProblemNote at="price" />
    </>
  )
}
