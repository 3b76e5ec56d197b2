import { useWords } from '../../i18n/words.ts'
import { FundsText, Worth } from '../../i18n/amount-text.tsx'
import { fiatOf, isInAsset } from '../../order/fiat.ts'
import { headlineOf } from '../../order/headline.ts'
import { fundingOf } from '../../order/funding.ts'
import { receivedWorthOf } from '../../order/received-worth.ts'
import { unsignedRecipientOf } from '../../order/merchant.ts'
import { totalOf } from '../../order/order-lines.ts'
import type { Step } from '../../order/step.ts'
import type { Fiat } from '../../wire/fiat.ts'
import type { Funds } from '../../wire/funds.ts'
import { OrderLines } from './order-lines.tsx'
import { usePage } from './page-context.ts'

/** What is paid for, and how the amount due comes about. A payer who pays in fiat alone sees no other money. */
export const OrderDetails = ({ step, alone }: { step: Step; alone: Fiat | undefined }) => {
  const words = useWords()
  const { checkout } = usePage()
  const order = checkout.order.value
  const recipient = unsignedRecipientOf(order)
  const total = totalOf(order)
  const shown = headlineOf(order, step)
  const funding = fundingOf(order)
  const partial = funding && funding.received + funding.seen > 0n && funding.due > 0n ? funding : undefined
  // What is sent, and so what is paid in all, is still to be chosen; in a wallet too, which may pay in another token.
  const isOpen = step.at === 'pick' || ((step.at === 'choose' || step.at === 'method') && !alone)
  const chooses = isOpen && total && !partial
  return (
    <div class="open">
      {recipient && <bdi>{recipient}</bdi>}
      <OrderLines of={order} />
      <dl class="tot">
        {total && !partial && (
          <div>
            <dt>{words.t('total')}</dt>
            <dd class="num">{words.fiat(total.decimal, total.unit)}</dd>
          </div>
        )}
        {partial && (
          <>
            <div>
              <dt>{words.t('total')}</dt>
              <dd>
                {total && isInAsset(order, partial) ? (
                  <span class="num">{words.fiat(total.decimal, total.unit)}</span>
                ) : (
                  <Known of={{ raw: partial.required, currency: partial.currency }} />
                )}
              </dd>
            </div>
            <div>
              <dt>{words.t('received')}</dt>
              <dd>
                <KnownAs
                  worth={receivedWorthOf(order, partial)}
                  of={{ raw: partial.received + partial.seen, currency: partial.currency }}
                />
              </dd>
            </div>
          </>
        )}
        {shown && shown.label !== 'total' && !chooses && !(partial && shown.label === 'received') && (
          <div>
            <dt>{words.t(shown.label === 'amountDue' ? 'youPay' : shown.label)}</dt>
            {alone ? (
              <dd class="num">{words.fiat(alone.decimal, alone.unit)}</dd>
            ) : (
              <dd>{partial ? <Known of={shown.funds} /> : <FundsText of={shown.funds} />}</dd>
            )}
          </div>
        )}
      </dl>
    </div>
  )
}

/** A sum is in the money of its lines, as far as that is known. */
const Known = ({ of }: { of: Funds }) => <KnownAs worth={fiatOf(usePage().checkout.order.value, of)} of={of} />

const KnownAs = ({ worth, of }: { worth: Fiat | undefined; of: Funds }) => (worth ? <Worth of={worth} /> : <FundsText of={of} />)
