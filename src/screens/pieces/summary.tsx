import { useWords } from '../../i18n/words.ts'
import { fundingOf, fundsOf } from '../../order/funding.ts'
import { linesOf, payeeOf, referenceOf, unsignedRecipientOf, totalOf } from '../../order/merchant.ts'
import type { Step } from '../../order/step.ts'
import { Amount, FundsText } from '../../i18n/amount-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Funds } from '../../wire/funds.ts'
import { usePage } from './page-context.ts'

/** The payer should always see who is paid and how much, so on a phone this is a bar after the method is chosen. */
export const Summary = ({ step }: { step: Step }) => {
  const words = useWords()
  const { boot, checkout } = usePage()
  const order = checkout.order.value
  const name = payeeOf(order) ?? words.t('payment')
  const recipient = unsignedRecipientOf(order)
  const lines = linesOf(order)
  const total = totalOf(order)
  const shown = headline(step) ?? dueHeadline(order)
  const funding = fundingOf(order)
  const partial = funding && funding.received + funding.seen > 0n && funding.due > 0n ? funding : undefined
  return (
    <aside class={step.at === 'choose' && boot.surface === 'page' ? 'sum' : 'sum mini'} aria-label={words.t('details')}>
      <div>
        <details>
          <summary>
            <span class="logo" aria-hidden="true">
              {[...name][0]}
              {order.settings?.logo_url && <img src={`${boot.path}/logo`} alt="" width="40" height="40" />}
            </span>
            <span class="who">
              <b>{name}</b>
              <small>{recipient ? words.t('unconfirmed') : words.rich('orderNo', { reference: <bdi>{referenceOf(order)}</bdi> })}</small>
            </span>
            {shown && (
              <span class="due">
                <small>{words.t(shown.label)}</small> <Amount of={shown.funds} />
              </span>
            )}
            <span class="more">
              <span>{words.t('details')}</span>
              <Icon name="down" />
            </span>
          </summary>
        </details>
        {/* A wide screen always shows this, and in some browsers CSS cannot show the content of a closed <details>, so it is a sibling. */}
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
      </div>
    </aside>
  )
}

/** An invoice replaces the summary, which has the amount due, so this shows the amount on screens that do not have it themselves. */
export const AmountDue = ({ step }: { step: Step }) => {
  const words = useWords()
  const { checkout } = usePage()
  const shown = step.at === 'choose' || step.at === 'method' ? dueHeadline(checkout.order.value) : undefined
  if (!shown) return null
  return (
    <div class="head">
      <p class="soft">{words.t(shown.label)}</p>
      <p>
        <Amount of={shown.funds} />
      </p>
    </div>
  )
}

interface Headline {
  readonly label: 'amountDue' | 'remaining' | 'received' | 'paid' | 'refunded' | 'heldForYou'
  readonly funds: Funds
}

const headline = (step: Step): Headline | undefined => {
  switch (step.at) {
    case 'pay': {
      const { due, received, seen, currency } = step.funding
      return { label: received + seen > 0n ? 'remaining' : 'amountDue', funds: { raw: due, currency } }
    }
    case 'confirming':
      return step.amount && { label: 'received', funds: step.amount }
    case 'done':
      return step.amount && { label: 'paid', funds: step.amount }
    case 'refunded':
      return step.amount && { label: 'refunded', funds: step.amount }
    case 'failed':
      return step.amount && { label: 'heldForYou', funds: step.amount }
    case 'expired':
      return step.money && { label: step.held ? 'heldForYou' : 'received', funds: step.money }
    case 'choose':
    case 'pick':
    case 'method':
    case 'unknown':
      return undefined
    default:
      return step satisfies never
  }
}

/** Returns what is due. Without a quote, that is the merchant's amount in the settlement asset. */
const dueHeadline = (order: Parameters<typeof fundingOf>[0]): Headline | undefined => {
  const funding = fundingOf(order)
  if (funding?.due === 0n) return { label: 'received', funds: { raw: funding.received + funding.seen, currency: funding.currency } }
  const funds = funding ? { raw: funding.due, currency: funding.currency } : fundsOf(order.fulfillment?.amount, order.fulfillment?.asset)
  return funds && { label: 'amountDue', funds }
}
