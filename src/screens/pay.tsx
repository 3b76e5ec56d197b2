import { useWords } from '../i18n/words.ts'
import { views } from '../methods/views/rendered.ts'
import { hrefOf } from '../state/page.ts'
import type { Step } from '../state/step.ts'
import { Bar } from '../ui/bar.tsx'
import { FundsText } from '../i18n/funds.tsx'
import { Note } from '../ui/note.tsx'
import { Back } from './back.tsx'
import { useLater } from './later-context.ts'
import { usePage } from './page-context.ts'
import { RefundAddress } from './refund-address.tsx'
import { RestWays } from './rest-ways.tsx'
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
  const counted = funding.received + funding.seen
  const due = { raw: funding.due, currency: funding.currency }
  const rest = counted > 0n
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
      {rest && (
        <section class="stack" aria-label={words.t('received')}>
          <div class="ends">
            <span>
              <small>{words.t('received')}</small>
              <b class="good">
                <FundsText of={{ raw: counted, currency: funding.currency }} />
              </b>
            </span>
            <span>
              <small>{words.t('remaining')}</small>
              <b>
                <FundsText of={due} />
              </b>
            </span>
          </div>
          <Bar
            label={words.t('received')}
            text={words.t('receivedOf', {
              received: words.amount(counted, funding.currency.decimals),
              required: words.funds({ raw: funding.required, currency: funding.currency }),
            })}
            // Four digits are enough for a picture.
            value={Number((counted * 10_000n) / (funding.required || 1n)) / 10_000}
          />
          <p class="soft">{words.t('countsNote')}</p>
        </section>
      )}
      <views.address
        {...target}
        rest={rest}
        qr={choice.qr}
        onQr={(qr) => checkout.choose({ ...choice, method: 'address', qr }, 'replace')}
        change={!rest && order.fulfillment?.asset && <Change />}
        status={
          <>
            {rest && <RestWays to={deposit.address} due={due} />}
            <Waiting text={words.t(rest ? 'waitingRest' : 'waiting')} />
            {later && <later.Transfers title={words.t('receivedSoFar')} />}
          </>
        }
        help={<RefundAddress currency={funding.currency} fixed={rest} />}
      />
    </>
  )
}

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
