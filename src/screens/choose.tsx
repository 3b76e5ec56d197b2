import { useWords } from '../i18n/words.ts'
import { methods as known, type MethodEntry } from '../methods/methods.ts'
import { currencyField, paymentRequest } from '../order/pay-currency.ts'
import { chargedTotalOf, fiatOf, isInAsset } from '../order/fiat.ts'
import { askedOf, depositOf, ownDueOf } from '../order/funding.ts'
import { hrefOf } from '../model/page.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { Fold } from '../ui/fold.tsx'
import { Head } from '../ui/head.tsx'
import { Icon } from '../ui/icon.tsx'
import { keepServerHtml } from '../ui/keep-server-html.ts'
import { TokenMark } from '../ui/mark.tsx'
import { Way } from '../ui/way.tsx'
import type { Funds } from '../wire/funds.ts'
import type { PaymentMethodRead } from '../wire/payment-methods.ts'
import { Fetched } from './pieces/fetched.tsx'
import { choiceLink, picking } from './pieces/choice-link.ts'
import { usePage } from './pieces/page-context.ts'
import { ProblemNote } from './pieces/problem-note.tsx'

/**
 * Every row can be taken, because a row that refuses is worse than none. The first is what we recommend. Below them are the reasons that mean
 * something to the payer.
 */
export const Choose = () => {
  const words = useWords()
  const page = usePage()
  const { checkout, secondary } = page
  const { fulfillment, settlements } = checkout.order.value
  const asset = fulfillment?.asset
  const symbols = [...new Set(settlements?.map(({ currency }) => currency.symbol))]
  const methods = checkout.methods.value
  if (!methods) return <Fetched piece={secondary}>{({ MethodsFailed }) => <MethodsFailed />}</Fetched>
  const more = secondary.content.value
  const offered = known.flatMap((entry) => {
    const method = methods.find((other) => other.method === entry.wire)
    return method?.available ? [{ method, entry }] : []
  })
  const advice = offered.flatMap(({ entry }) =>
    entry.advice ? [<p>{words.rich(entry.advice, { method: <b>{words.t(entry.title)}</b> })}</p>] : [],
  )
  return (
    <>
      <Head title={words.t('chooseTitle')}>{words.t('chooseLead')}</Head>
      <ProblemNote at="currency" />
      {offered[0] && (
        <ul class="offers">
          {offered.flatMap(({ entry, method }, at) => [
            <li key={entry.slug} class={entry.load && 'js'}>
              <Offer entry={entry} method={method} best={at === 0} />
            </li>,
            entry.slug === 'address' && asset && (
              <li key="pick">
                <a class="row" {...choiceLink(page, picking)}>
                  <span class="tile">
                    <Icon name="swap" />
                  </span>
                  <span class="other">
                    <b>{words.t('otherToken')}</b>
                    <span class="coins">
                      {symbols.map((symbol) => (
                        <TokenMark symbol={symbol} />
                      ))}
                      {method.least_total && (
                        <b>{words.rich('fromPrice', { amount: <span class="num">{words.about(asFiat(method.least_total))}</span> })}</b>
                      )}
                    </span>
                  </span>
                  <Icon name="next" />
                </a>
              </li>
            ),
          ])}
        </ul>
      )}
      {more ? <more.RefusedWays /> : <div class="stack" dangerouslySetInnerHTML={keepServerHtml} />}
      {advice.length > 1 && <Fold title={words.t('whichWay')}>{advice}</Fold>}
    </>
  )
}

const Offer = ({ entry, method, best }: { entry: MethodEntry; method: PaymentMethodRead; best: boolean }) => {
  const page = usePage()
  const { checkout } = page
  const order = checkout.order.value
  const deposit = depositOf(order)
  const asset = order.fulfillment?.asset
  // The address is that of the token which was asked for before, and the other ways start from the order's own.
  const price = entry.slug === 'address' ? askedOf(order, 'due') : ownDueOf(order)
  const text = { entry, method, best, price }
  if (entry.slug === 'address' && asset && !deposit) {
    return (
      <ActionForm
        action={hrefOf(page, checkout.choice.value)}
        fields={{ act: 'currency', ...currencyField(asset) }}
        onAct={() => checkout.pay(paymentRequest(asset))}
      >
        <button class="row" aria-disabled={checkout.busy.value === 'currency' ? 'true' : undefined}>
          <OfferText {...text} busy={checkout.busy.value === 'currency'} />
        </button>
      </ActionForm>
    )
  }
  const way = { method: entry.slug, pick: false }
  const choice = entry.slug !== 'address' ? way : deposit ? { ...way, ...currencyField(deposit.currency) } : picking
  return (
    <a class="row" {...choiceLink(page, choice)}>
      <OfferText {...text} />
    </a>
  )
}

const asFiat = ({ amount, unit }: { readonly amount: number; readonly unit: string }) => ({ decimal: String(amount), unit })

interface OfferTextProps {
  readonly entry: MethodEntry
  readonly best: boolean
  readonly price: Funds | undefined
  readonly method: PaymentMethodRead
  readonly busy?: boolean
}

/** What the way costs in all is said in the payer's money before it is chosen, as far as it is known. */
const OfferText = ({ entry, method: { estimated_total: estimated, network_fee }, best, price, busy }: OfferTextProps) => {
  const words = useWords()
  const order = usePage().checkout.order.value
  // One network's fee must not be shown for another.
  const fee = network_fee?.chain_id === price?.currency.chain_id ? network_fee : undefined
  const charged = entry.takesFiat && chargedTotalOf(order)
  const whole = price && fiatOf(order, price, fee)
  const total = charged ? undefined : estimated && asFiat(estimated)
  const cost = total ?? (charged || (whole ?? (price && fiatOf(order, price))))
  const amount = entry.takesFiat ? undefined : price && words.token(price.raw, price.currency)
  return (
    <>
      <span class="tile">
        <Icon name={entry.icon} />
      </span>
      <Way
        title={words.t(entry.title)}
        figure={cost ? (entry.takesFiat && !total ? words.fiat(cost.decimal, cost.unit) : words.about(cost)) : amount}
        notes={[
          [
            <span>
              {fee && whole && price && isInAsset(order, price)
                ? words.rich('feesIncluded', { fee: <span class="num">{words.fiat(String(fee.amount), fee.unit)}</span> })
                : words.t(charged || total || (fee && whole) ? 'allIn' : `${entry.title}Hint`)}
            </span>,
            cost && amount && <span class="num">{amount}</span>,
          ],
        ]}
      />
      {best ? (
        <span class="btn">
          {busy && <span class="spin" />}
          {words.t(`${entry.title}Act`)}
        </span>
      ) : busy ? (
        <span class="spin" />
      ) : (
        <Icon name="next" />
      )}
    </>
  )
}
