import { useAllWords } from '../i18n/words.ts'
import { confirmingOf } from '../order/confirming.ts'
import { explorerLink } from '../order/explorer-link.ts'
import { depositOf } from '../order/funding.ts'
import { misdirectedOf } from '../order/misdirected.ts'
import type { Step } from '../order/step.ts'
import { Address } from '../ui/address.tsx'
import { Bar } from '../ui/bar.tsx'
import { Facts } from '../ui/facts.tsx'
import { FundsText } from '../i18n/amount-text.tsx'
import { waitOf } from '../order/wait.ts'
import { useIsOverdue, WaitsLong } from './pieces/wait.tsx'
import { ExplorerLink, TransferList } from './pieces/transfer-list.tsx'
import { Contact } from './pieces/contact.tsx'
import { useMerchant, usePage } from './pieces/page-context.ts'
import { MoneyTrack } from './pieces/money-track.tsx'
import { Misdirected } from './pieces/misdirected.tsx'

/** As soon as enough money is seen, this screen replaces all instructions, so that nobody pays twice. */
export const Confirming = ({ step }: { step: Extract<Step, { at: 'confirming' }> }) => {
  const words = useAllWords()
  const merchant = useMerchant()
  const { checkout, clock } = usePage()
  const order = checkout.order.value
  const { amount, settling } = step
  const { transfer, isAlone, late } = confirmingOf(order)
  const zone = clock.zone.value
  const address = depositOf(order)?.address
  const until = Date.parse(order.payment?.expires_at ?? '')
  const funds = amount ? <FundsText of={amount} /> : words.t('payment')
  const safe = <b>{words.t('seenSafe')}</b>
  const wait = waitOf(order)
  const isOverdue = useIsOverdue(transfer)
  const lead = wait && transfer?.confirmations === 0 ? words.rich('slowSeen', { safe }) : words.rich('seenLead', { safe })
  const title = late ? 'lateTitle' : settling ? 'settlingTitle' : 'seenTitle'
  return (
    <>
      <div class="head">
        <span class="seal">
          <span class="spin" />
        </span>
        <h1 tabIndex={-1}>{words.rich(title, { amount: funds })}</h1>
        <p class={late ? 'soft' : undefined}>
          {late ? words.t('lateLead') : settling ? words.rich('settlingLead', { merchant, safe }) : lead}
        </p>
      </div>
      {transfer && transfer.needed > 0 && !settling && (
        <Confirmations seen={transfer.confirmations} needed={transfer.needed} late={late} isOverdue={isOverdue} />
      )}
      {late && amount && <MoneyTrack at="till" of={amount} />}
      {isOverdue && !settling && <WaitsLong />}
      <Facts
        card
        of={[
          late && !Number.isNaN(until) && [words.t('priceUntil'), words.moment(until, zone)],
          transfer?.at !== undefined && [words.t(late ? 'arrived' : 'seenAt'), words.moment(transfer.at, zone)],
          // While money is passed on, the address that it leaves is not the merchant's.
          address !== undefined && !settling && [words.t('toMerchantAt', { merchant }), <Address value={address} />],
          transfer && isAlone && [words.t('transaction'), <Address value={transfer.hash} hash />],
        ]}
      />
      {transfer && isAlone && <ExplorerLink of={{ funds: transfer.funds, link: explorerLink(order, transfer) }} />}
      {!isAlone && <TransferList title={words.t('receivedSoFar')} />}
      <Misdirected />
      {(late || misdirectedOf(order).length > 0) && <Contact look="link" />}
    </>
  )
}

interface ConfirmationsProps {
  readonly seen: number
  readonly needed: number
  readonly late: boolean
  /** The estimate has passed, so it is not shown any more. */
  readonly isOverdue: boolean
}

const Confirmations = ({ seen, needed, late, isOverdue }: ConfirmationsProps) => {
  const words = useAllWords()
  const { checkout } = usePage()
  const text = words.t('confirmationsOf', { seen: words.count(Math.min(seen, needed)), needed: words.count(needed) })
  // The estimate runs until the money is the merchant's. That takes as many confirmations again, after those that are counted here.
  const total = checkout.order.value.payment?.estimated_duration_seconds ?? 0
  const seconds = Math.round(total * (1 - Math.min(seen, needed) / (2 * needed)))
  const left = isOverdue
    ? undefined
    : seconds >= 90
      ? words.plural('minutesLeft', Math.round(seconds / 60))
      : seconds > 0
        ? words.plural('secondsLeft', seconds)
        : undefined
  return (
    <section class="stack">
      <Bar label={words.t('confirmations')} text={text} value={seen / needed} pieces={needed} />
      <div class="ends">
        <b>{text}</b>
        {(late || left) && <span class="soft">{late ? words.t('lateCan') : left}</span>}
      </div>
    </section>
  )
}
