import { useWords } from '../../i18n/words.ts'
import { FundsText } from '../../i18n/amount-text.tsx'
import { headlineOf } from '../../order/headline.ts'
import { fundingOf } from '../../order/funding.ts'
import { unsignedRecipientOf } from '../../order/merchant.ts'
import { linesOf, totalOf } from '../../order/order-lines.ts'
import type { Step } from '../../order/step.ts'
import { Icon } from '../../ui/icon.tsx'
import { usePage } from './page-context.ts'

/** What is paid for, and how the amount due comes about. */
export const OrderDetails = ({ step }: { step: Step }) => {
  const words = useWords()
  const { boot, checkout } = usePage()
  const order = checkout.order.value
  const recipient = unsignedRecipientOf(order)
  const lines = linesOf(order)
  const total = totalOf(order)
  const shown = headlineOf(order, step)
  const funding = fundingOf(order)
  const partial = funding && funding.received + funding.seen > 0n && funding.due > 0n ? funding : undefined
  return (
    <div class="open">
      {recipient && <bdi>{recipient}</bdi>}
      {lines.length > 0 && (
        <ul class="lines">
          {lines.map((line, at) => (
            <li>
              <span class="thumb" aria-hidden="true">
                <Icon name="item" />
                {line.hasImage && <img src={`${boot.path}/image/${at}`} alt="" width="44" height="44" loading="lazy" />}
              </span>
              <span>
                {line.name}
                <small>
                  {[line.description, line.quantity !== undefined && words.t('quantity', { count: words.count(line.quantity) })]
                    .filter(Boolean)
                    .join(' · ')}
                </small>
              </span>
              {line.total !== undefined && <span class="num">{words.fiat(line.total, line.unit)}</span>}
            </li>
          ))}
        </ul>
      )}
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
                <FundsText of={{ raw: partial.required, currency: partial.currency }} />
              </dd>
            </div>
            <div>
              <dt>{words.t('received')}</dt>
              <dd>
                <FundsText of={{ raw: partial.received + partial.seen, currency: partial.currency }} />
              </dd>
            </div>
          </>
        )}
        {shown && !(partial && shown.label === 'received') && (
          <div>
            <dt>{words.t(shown.label === 'amountDue' ? 'youPay' : shown.label)}</dt>
            <dd>
              <FundsText of={shown.funds} />
            </dd>
          </div>
        )}
      </dl>
    </div>
  )
}
