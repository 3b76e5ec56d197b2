import { useWords } from '../i18n/words.ts'
import { hrefOf } from '../model/page.ts'
import { payeeOf, unsignedRecipientOf } from '../order/merchant.ts'
import { misdirectedOf } from '../order/misdirected.ts'
import { paidOf } from '../order/ending.ts'
import { fiatOf, priceOfWhole } from '../order/fiat.ts'
import { chargedOf } from '../order/receipt.ts'
import { latestRefund } from '../order/refunds.ts'
import { isSurplusReturned } from '../order/surplus-returned.ts'
import { asksForRefundAddress, hasProposedAddress, lacksRefundAddress } from '../order/to-return.ts'
import { Address } from '../ui/address.tsx'
import { FundsText } from '../i18n/amount-text.tsx'
import { Icon } from '../ui/icon.tsx'
import { Note } from '../ui/note.tsx'
import type { Funds } from '../wire/funds.ts'
import { ContinueOnPhone } from './pieces/continue-on-phone.tsx'
import { GiveAddress } from './pieces/give-address.tsx'
import { MoneyTrack } from './pieces/money-track.tsx'
import { OrderLines } from './pieces/order-lines.tsx'
import { Contact, useSupportUrl } from './pieces/contact.tsx'
import { usePage } from './pieces/page-context.ts'
import { ReceiptFacts } from './pieces/receipt-facts.tsx'
import { Return } from './pieces/return.tsx'
import { Transaction } from './pieces/transaction.tsx'
import { Misdirected } from './pieces/misdirected.tsx'

const receipts = [
  { name: 'PDF', path: 'receipt.pdf' },
  { name: 'HTML', path: 'receipt' },
] as const

/** Money that is still the payer's comes first. The link back is on the first screen, because the page may soon return to the shop by itself. */
export const Done = () => {
  const words = useWords()
  const page = usePage()
  const order = page.checkout.order.value
  // Only a shop that has made the order has it.
  const merchant = unsignedRecipientOf(order) ? undefined : payeeOf(order)
  const paid = paidOf(order)
  const refundAddress = order.payment?.refund?.address
  const isReturned = paid.surplus !== undefined && isSurplusReturned(order, paid.surplus.raw)
  const open = isReturned ? undefined : paid.surplus
  const refund = latestRefund(order)
  const [stray] = misdirectedOf(order)
  const asksForAddress = (open ?? stray) !== undefined && asksForRefundAddress(order)
  const asksForContact = useSupportUrl() !== undefined && open !== undefined && refundAddress === undefined
  // Once the payer has given an address, nothing is left to do.
  const isContactFilled = asksForContact && !asksForAddress && !hasProposedAddress(order)
  const back = <Return look={isContactFilled || asksForAddress ? 'btn two' : 'btn'} />
  return (
    <>
      <div class={open ? 'head' : 'head thanks'}>
        <span class="seal ok drawn">
          <Icon name="check" />
        </span>
        {open ? (
          <OverTitle of={open} refundAddress={refundAddress} merchant={merchant} />
        ) : (
          <>
            <h1 tabIndex={-1}>{words.t('doneTitle')}</h1>
            <PaidAmount of={paid.amount} />
            {merchant && <p class="soft">{words.rich('doneLead', { merchant: <bdi>{merchant}</bdi> })}</p>}
          </>
        )}
      </div>
      {open && <MoneyTrack at="till" of={open} isHeld isLeftOver paid={paid.amount} />}
      {open && lacksRefundAddress(order) && <GiveAddress of={open.currency} look="btn" />}
      {isContactFilled && <Contact look="btn" />}
      {open && back}
      {asksForContact && !isContactFilled && <Contact look="link" />}
      {isReturned && paid.surplus && (
        <Note tone="ok" title={words.rich('surplusTitle', { amount: <FundsText of={paid.surplus} /> })}>
          <p>{words.t('surplusGone')}</p>
          {refundAddress && <Address value={refundAddress} />}
          {refund?.hash && (
            <>
              <p>{words.t('transaction')}</p>
              <Transaction of={{ hash: refund.hash, link: refund.link }} />
            </>
          )}
        </Note>
      )}
      <Misdirected isAsked={!open && lacksRefundAddress(order)} />
      {stray && !open && lacksRefundAddress(order) && <GiveAddress of={stray.funds.currency} look="btn" />}
      {!asksForContact && stray && <Contact look="link" />}
      <OrderLines of={order} small />
      {!open && back}
      <div class="stack">
        <p class="soft center" aria-hidden="true">
          {words.t('saveReceipt')}
        </p>
        <div class="pair trio">
          {receipts.map(({ name, path }) => (
            <a class="btn two" href={hrefOf(page, { pick: false }).replace(/(\?|$)/, `/${path}$1`)} download>
              <Icon name="save" />
              <span>
                <span class="hide">{words.t('saveReceipt')} </span>
                {name}
              </span>
            </a>
          ))}
          <button type="button" class="btn two js" onClick={() => window.print()}>
            <Icon name="print" />
            {words.t('print')}
          </button>
        </div>
      </div>
      <ReceiptFacts />
      <ContinueOnPhone />
    </>
  )
}

/** Money that the payer knows comes first. A card was charged nothing else. */
const PaidAmount = ({ of }: { of: Funds | undefined }) => {
  const words = useWords()
  const order = usePage().checkout.order.value
  const charged = chargedOf(order)
  if (!of && !charged) return null
  const fiat = charged ?? (of && priceOfWhole(order, of))
  const worth = of && fiatOf(order, of)
  const known = fiat ? words.fiat(fiat.decimal, fiat.unit) : worth && words.about(worth)
  return (
    <p>
      {known && <b class="num">{known}</b>}
      {of && !charged && (
        <span class="soft">
          {known && ' · '}
          <FundsText of={of} />
        </span>
      )}
    </p>
  )
}

interface OverTitleProps {
  readonly of: Funds
  readonly refundAddress: string | undefined
  /** Has to agree to what goes back, and is unknown where nobody has. */
  readonly merchant: string | undefined
}

/** Only an order with a refund address may promise that the surplus is returned. */
const OverTitle = ({ of, refundAddress, merchant }: OverTitleProps) => {
  const words = useWords()
  return (
    <>
      <h1 tabIndex={-1}>{words.rich('overTitle', { amount: <FundsText of={of} /> })}</h1>
      <p class="soft">
        {refundAddress
          ? words.t('surplusBack')
          : [words.t('strayHeld'), merchant !== undefined && ` ${words.t('backAgreed', { merchant })}`]}
      </p>
      {refundAddress && <Address value={refundAddress} />}
    </>
  )
}
