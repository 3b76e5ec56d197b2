import { useRef } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { Network } from '../../i18n/amount-text.tsx'
import { methods } from '../../methods/methods.ts'
import { chargedTotalOf, fiatOf, priceOfWhole } from '../../order/fiat.ts'
import { dueOf } from '../../order/due.ts'
import type { Headline } from '../../order/headline.ts'
import { payeeOf, referenceOf, unsignedRecipientOf } from '../../order/merchant.ts'
import type { Step } from '../../order/step.ts'
import { keepServerHtml } from '../../ui/keep-server-html.ts'
import type { Fiat } from '../../wire/fiat.ts'
import type { OrderRead } from '../../wire/order-read.ts'
import { More } from './more.tsx'
import { usePage } from './page-context.ts'

/** The payer should always see who is paid and how much, so on a phone this is a bar after the method is chosen. */
export const Summary = ({ step }: { step: Step }) => {
  const words = useWords()
  const { boot, checkout, secondary } = usePage()
  const order = checkout.order.value
  const name = payeeOf(order) ?? words.t('payment')
  const more = secondary.content.value
  // Steps that do not need the secondary screens show what is due. Others may show it until these are loaded, but not after a failure.
  const shown = more ? more.headlineOf(order, step) : step.at !== 'failed' && dueOf(order, step.at !== 'pay')
  // The server's HTML stays until the screens are loaded and something has changed, so that no picture is loaded twice.
  const about = `${step.at} ${order.updated_at}`
  const served = useRef(!more && about)
  if (more && served.current !== about) served.current = false
  return (
    <aside class={step.at === 'choose' && boot.surface === 'page' ? 'sum' : 'sum mini'} aria-label={name}>
      <div>
        <details>
          <summary>
            <span class="logo" aria-hidden="true">
              {[...name][0]}
              {order.settings?.logo_url && <img src={`${boot.path}/logo`} alt="" />}
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
                <small>{words.t(shown.label)}</small> <Due of={shown} step={step} />
              </span>
            )}
            <More />
          </summary>
        </details>
        {/* A wide screen always shows this, and in some browsers CSS cannot show the content of a closed <details>, so it is a sibling. */}
        {more && !served.current ? (
          <more.OrderDetails step={step} alone={shown ? fiatAlone(order, step, shown) : undefined} />
        ) : (
          <div class="open" dangerouslySetInnerHTML={keepServerHtml} />
        )}
      </div>
    </aside>
  )
}

/**
 * An invoice stands in place of the summary, so this shows what is due on screens that do not have it themselves. A phone has the whole amount in
 * the bar of the invoice.
 */
export const AmountDue = ({ step }: { step: Step }) => {
  const words = useWords()
  const { checkout } = usePage()
  const shown = step.at === 'choose' || step.at === 'method' ? dueOf(checkout.order.value, true) : undefined
  if (!shown) return null
  return (
    <div class={shown.label === 'amountDue' ? 'head wide' : 'head'}>
      <p class="soft">{words.t(shown.label)}</p>
      <p>
        <Due of={shown} step={step} />
      </p>
    </div>
  )
}

/** Returns what a payer pays in fiat money where that is all they pay, or where they are about to choose what they send for it. */
const fiatAlone = (order: OrderRead, step: Step, { label, funds, charged }: Headline): Fiat | undefined =>
  step.at === 'pick' && label === 'amountDue'
    ? priceOfWhole(order, funds)
    : step.at === 'method' && methods.find(({ slug }) => slug === step.slug)?.takesFiat
      ? (chargedTotalOf(order) ?? fiatOf(order, funds))
      : charged

const wholePrices: readonly Headline['label'][] = ['amountDue', 'paid', 'total']

/** Money that the payer knows comes first: the order's price where that is what is meant, and otherwise about what the amount is worth. */
const Due = ({ of, step }: { of: Headline; step: Step }) => {
  const words = useWords()
  const order = usePage().checkout.order.value
  const { label, funds } = of
  const alone = fiatAlone(order, step, of)
  const exact = alone ?? (of.isWhole || wholePrices.includes(label) ? priceOfWhole(order, funds) : undefined)
  const worth = fiatOf(order, funds)
  const known = exact ? words.fiat(exact.decimal, exact.unit) : worth && words.about(worth)
  return (
    <span class="amt">
      {known ? (
        <b class="num">{known}</b>
      ) : (
        <span class="num">
          <b>{words.amount(funds.raw, funds.currency.decimals)}</b> {funds.currency.symbol}
        </span>
      )}
      {/* A wallet may pay in another token, on another network. */}
      {!alone && !(known && step.at === 'method') && (
        <small>
          {known && [<span class="num">{words.token(funds.raw, funds.currency)}</span>, ' · ']}
          <Network chainId={funds.currency.chain_id} />
        </small>
      )}
    </span>
  )
}
