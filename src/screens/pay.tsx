import { useWords } from '../i18n/words.ts'
import { views } from '../methods/views/rendered.ts'
import { hrefOf } from '../state/page.ts'
import type { Step } from '../state/step.ts'
import { FundsText } from '../i18n/funds.tsx'
import { Note } from '../ui/note.tsx'
import { Back } from './back.tsx'
import { useLater } from './later-context.ts'
import { usePage } from './page-context.ts'
import { RefundAddress } from './refund-address.tsx'
import { Waiting } from './waiting.tsx'

/** Send to an address: all of it, or what is still due. */
export const Pay = ({ step }: { step: Extract<Step, { at: 'pay' }> }) => {
  const words = useWords()
  const page = usePage()
  const { checkout } = page
  const later = useLater()
  const { deposit, funding } = step
  const order = checkout.order.value
  const choice = checkout.choice.value
  const news = checkout.news.value
  const due = { raw: funding.due, currency: funding.currency }
  const rest = funding.received + funding.seen > 0n
  const target = { address: deposit.address, due, reference: order.id }
  return (
    <>
      {!rest && <Back />}
      <h1 tabIndex={-1}>{words.rich(rest ? 'sendRest' : 'sendTitle', { amount: <FundsText of={due} /> })}</h1>
      {news?.type === 'vanished' && (
        <Note icon="warn" tone="warn">
          <p>{words.rich('vanished', { amount: <FundsText of={news.amount} /> })}</p>
        </Note>
      )}
      {later && <later.Strays due={due} />}
      {later && <later.Timer until={step.until} lapsed={step.lapsed} currency={funding.currency} />}
      {rest && later && <later.Received funding={funding} />}
      <views.address
        {...target}
        rest={rest}
        qr={choice.qr}
        onQr={(qr) => checkout.choose({ ...choice, method: 'address', qr }, 'replace')}
        change={!rest && order.fulfillment?.asset && <Change />}
        status={
          <>
            {rest && later && <later.RestWays to={deposit.address} due={due} />}
            <Waiting text={words.t(rest ? 'waitingRest' : 'waiting')} />
            {later && <later.Transfers title={words.t('receivedSoFar')} />}
          </>
        }
        help={<RefundAddress currency={funding.currency} fixed={rest} />}
      />
    </>
  )
}

export type PayScreen = typeof Pay

const Change = () => {
  const words = useWords()
  const page = usePage()
  const choice = { method: 'address', pick: true }
  return (
    <a
      class="link"
      href={hrefOf(page, choice)}
      onClick={(event) => {
        event.preventDefault()
        page.checkout.choose(choice)
        void page.checkout.search('')
      }}
    >
      {words.t('change')}
      <span class="hide">: {words.t('otherToken')}</span>
    </a>
  )
}
