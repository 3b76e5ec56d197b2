import { useContext, useRef } from 'preact/hooks'
import { FundsText, Worth } from '../i18n/amount-text.tsx'
import { useWords } from '../i18n/words.ts'
import { AddressView } from '../methods/address/view/address-view.tsx'
import { fiatOf } from '../order/fiat.ts'
import { hasMovingPrice } from '../order/moving-price.ts'
import type { Step } from '../order/step.ts'
import type { RestEntry } from '../methods/rests.ts'
import { Fold } from '../ui/fold.tsx'
import { Head } from '../ui/head.tsx'
import { keepServerHtml } from '../ui/keep-server-html.ts'
import { useOwnState } from '../ui/own-state.ts'
import { QrContext } from '../ui/qr.tsx'
import { Back } from './pieces/back.tsx'
import { Waiting } from './pieces/connection-state.tsx'
import { Fetched } from './pieces/fetched.tsx'
import { usePage } from './pieces/page-context.ts'
import { choiceLink, picking } from './pieces/choice-link.ts'
import { RefundAddress } from './pieces/refund-address.tsx'

/** The payer sends the whole amount to the deposit address, or the rest if part of it was received or seen. */
export const Pay = ({ step }: { step: Extract<Step, { at: 'pay' }> }) => {
  const words = useWords()
  const page = usePage()
  const { checkout, clock } = page
  const more = page.secondary.content.value
  const { deposit, funding, until, lapsed } = step
  const order = checkout.order.value
  const choice = checkout.choice.value
  const due = { raw: funding.due, currency: funding.currency }
  const target = { address: deposit.address, due, reference: order.id }
  const isRest = funding.received + funding.seen > 0n
  const isBegun = isRest || !!order.payment?.funding?.transactions?.length
  // What the server said stays until the screens are loaded or the amount changes. Only a hydrated page has it, so the server draws each of
  // these elements, if need be empty.
  const served = useRef(useContext(QrContext)('') === 'drawn' && due.raw)
  if (served.current !== due.raw) served.current = false
  /** This sends the rest. It is null once the payer has come back from its screen. */
  const restBy = useOwnState<RestEntry | null | undefined>(undefined)
  const kept = served.current !== false && <div dangerouslySetInnerHTML={keepServerHtml} />
  if (isRest && more && restBy.value)
    return <more.RestScreen entry={restBy.value} to={deposit.address} funding={funding} leave={() => void (restBy.value = null)} />
  return (
    <>
      {!isRest && <Back />}
      <Head
        {...((isBegun && more?.strayHead(words, order)) || {
          title: words.rich(isRest ? 'sendRest' : 'sendTitle', { amount: <FundsText of={due} /> }),
          children:
            until && !lapsed && hasMovingPrice(order, due.currency) && words.t('heldUntil', { time: words.time(until, clock.zone.value) }),
        })}
      />
      {(more || isRest) && (
        <Fetched piece={page.secondary} placeholder={null}>
          {({ PayNotes }) => <PayNotes step={step} />}
        </Fetched>
      )}
      <AddressView
        {...target}
        worth={<Worth of={fiatOf(order, due)} />}
        notes={!isRest && (more ? <more.AmountNotes due={due} /> : kept && <span class="soft" dangerouslySetInnerHTML={keepServerHtml} />)}
        isRest={isRest}
        qr={choice.qr}
        onQr={(qr) => checkout.choose({ ...choice, method: 'address', qr }, 'replace')}
        change={!isRest && order.fulfillment?.asset && <Change />}
        links={more ? <more.WalletLinkList {...target} /> : kept}
        status={
          <>
            {more && <more.PayHints step={step} />}
            {isRest && more && (
              <more.PayTheRest due={due} isBack={restBy.value === null} onChoose={(entry) => void (restBy.value = entry)} />
            )}
            <Waiting text={words.t(isRest ? 'waitingRest' : 'waiting')} />
            {more && <more.TransferList title={words.t('receivedSoFar')} />}
          </>
        }
        help={
          <>
            <Fold
              title={
                <span>
                  {words.t('exchange')}
                  {more ? <more.ExchangeNetwork due={due} /> : kept && <small dangerouslySetInnerHTML={keepServerHtml} />}
                </span>
              }
            >
              {more ? <more.FromExchange due={due} /> : kept}
            </Fold>
            <RefundAddress kept={kept} currency={funding.currency} fixed={isBegun} />
            {isRest && more && <more.WithoutTheRest funding={funding} />}
          </>
        }
      />
    </>
  )
}

const Change = () => {
  const words = useWords()
  const page = usePage()
  return (
    <a class="link" {...choiceLink(page, picking)}>
      {words.t('change')} <span class="hide">{words.t('otherToken')}</span>
    </a>
  )
}
