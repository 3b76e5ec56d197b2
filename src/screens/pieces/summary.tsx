import { useRef } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { Network, Worth } from '../../i18n/amount-text.tsx'
import { methods } from '../../methods/methods.ts'
import { chargedTotalOf, fiatOf } from '../../order/fiat.ts'
import { dueOf } from '../../order/due.ts'
import { payeeOf, referenceOf, unsignedRecipientOf } from '../../order/merchant.ts'
import type { Step } from '../../order/step.ts'
import { Icon } from '../../ui/icon.tsx'
import { keepServerHtml } from '../../ui/keep-server-html.ts'
import type { Funds } from '../../wire/funds.ts'
import { usePage } from './page-context.ts'

/** The payer should always see who is paid and how much, so on a phone this is a bar after the method is chosen. */
export const Summary = ({ step }: { step: Step }) => {
  const words = useWords()
  const { boot, checkout, secondary } = usePage()
  const order = checkout.order.value
  const name = payeeOf(order) ?? words.t('payment')
  const more = secondary.content.value
  // Steps that do not need the secondary screens show what is due. Others may show it until these are loaded, but not after a failure.
  const shown = more ? more.headlineOf(order, step) : step.at !== 'failed' && dueOf(order)
  // The server's HTML stays until the screens are loaded and something has changed, so that no picture is loaded twice.
  const about = `${step.at} ${order.updated_at}`
  const served = useRef(!more && about)
  if (more && served.current !== about) served.current = false
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
              <small>
                {unsignedRecipientOf(order)
                  ? words.t('unconfirmed')
                  : words.rich('orderNo', { reference: <bdi>{referenceOf(order)}</bdi> })}
              </small>
            </span>
            {shown && (
              <span class="due">
                <small>{words.t(shown.label)}</small> <Due of={shown.funds} step={step} />
              </span>
            )}
            <span class="more">
              <span>{words.t('details')}</span>
              <Icon name="down" />
            </span>
          </summary>
        </details>
        {/* A wide screen always shows this, and in some browsers CSS cannot show the content of a closed <details>, so it is a sibling. */}
        {more && !served.current ? <more.OrderDetails step={step} /> : <div class="open" dangerouslySetInnerHTML={keepServerHtml} />}
      </div>
    </aside>
  )
}

/** An invoice replaces the summary, which has the amount due, so this shows the amount on screens that do not have it themselves. */
export const AmountDue = ({ step }: { step: Step }) => {
  const words = useWords()
  const { checkout } = usePage()
  const shown = step.at === 'choose' || step.at === 'method' ? dueOf(checkout.order.value) : undefined
  if (!shown) return null
  return (
    <div class="head">
      <p class="soft">{words.t(shown.label)}</p>
      <p>
        <Due of={shown.funds} step={step} />
      </p>
    </div>
  )
}

/** Shows the amount with what it is worth, or only in fiat while the payer pays by a method that takes fiat. */
const Due = ({ of, step }: { of: Funds; step: Step }) => {
  const words = useWords()
  const order = usePage().checkout.order.value
  const worth = fiatOf(order, of)
  const isFiat = step.at === 'method' && methods.some(({ slug, takesFiat }) => takesFiat && slug === step.slug)
  const fiat = isFiat ? (chargedTotalOf(order) ?? worth) : undefined
  return fiat ? (
    <span class="amt">
      <b class="num">{words.fiat(fiat.decimal, fiat.unit)}</b>
    </span>
  ) : (
    <span class="amt">
      <span class="num">
        <b>{words.amount(of.raw, of.currency.decimals)}</b> {of.currency.symbol}
      </span>
      <small>
        <Network chainId={of.currency.chain_id} /> {worth && '· '}
        <Worth of={worth} />
      </small>
    </span>
  )
}
