import { useWords } from '../i18n/words.ts'
import { hrefOf } from '../model/page.ts'
import { referenceOf } from '../order/merchant.ts'
import type { Step } from '../order/step.ts'
import { Address } from '../ui/address.tsx'
import { Amount } from '../i18n/amount.tsx'
import { FundsText } from '../i18n/amount-text.tsx'
import { Icon } from '../ui/icon.tsx'
import { Note } from '../ui/note.tsx'
import type { Funds } from '../wire/funds.ts'
import { useMerchant, usePage } from './pieces/page-context.ts'
import { ReceiptFacts } from './pieces/receipt-facts.tsx'
import { Return } from './pieces/return.tsx'
import { Misdirected } from './pieces/misdirected.tsx'

/** The receipt comes before the link back, because the page may soon return to the shop by itself. */
export const Done = ({ step }: { step: Extract<Step, { at: 'done' }> }) => {
  const words = useWords()
  const page = usePage()
  return (
    <>
      <div class="head">
        <span class="seal ok">
          <Icon name="check" />
        </span>
        <p class="good">
          <b>{words.t('paid')}</b>
        </p>
        {step.amount ? <Amount as="h1" of={step.amount} /> : <h1 tabIndex={-1}>{words.t('payment')}</h1>}
      </div>
      {step.surplus && <Surplus of={step.surplus} />}
      <ReceiptFacts step={step} />
      <Misdirected />
      <div class="pair">
        <a class="btn two" href={hrefOf(page, { pick: false }).replace(/(\?|$)/, '/receipt$1')} download>
          <Icon name="save" />
          {words.t('saveReceipt')}
        </a>
        <button type="button" class="btn two js" onClick={() => window.print()}>
          <Icon name="print" />
          {words.t('print')}
        </button>
      </div>
      <Return />
    </>
  )
}

/** Only an order with a refund address may promise that the surplus is returned. */
const Surplus = ({ of }: { of: Funds }) => {
  const words = useWords()
  const merchant = useMerchant()
  const order = usePage().checkout.order.value
  const address = order.payment?.refund?.address
  const gone = order.payment?.refunds?.some((refund) => refund.state === 'confirmed') ?? order.payment?.refund?.tx_hash !== undefined
  return (
    <Note tone="ok" title={words.rich('surplusTitle', { amount: <FundsText of={of} /> })}>
      {address ? (
        <>
          <p>{words.t(gone ? 'surplusGone' : 'surplusBack')}</p>
          <Address value={address} />
        </>
      ) : (
        <p>{words.t('surplusHeld', { merchant, reference: referenceOf(order) })}</p>
      )}
    </Note>
  )
}
