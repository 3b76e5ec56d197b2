import { useWords } from '../i18n/words.ts'
import { methods as known, type MethodEntry } from '../methods/methods.ts'
import { currencyField, paymentRequest } from '../order/pay-currency.ts'
import { depositOf, fundingOf, fundsOf } from '../order/funding.ts'
import { hrefOf } from '../model/page.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { Fold } from '../ui/fold.tsx'
import { Head } from '../ui/head.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Funds } from '../wire/funds.ts'
import type { PaymentMethodRead } from '../wire/payment-methods.ts'
import { Fetched } from './pieces/fetched.tsx'
import { usePage } from './pieces/page-context.ts'
import { ProblemNote } from './pieces/problem-note.tsx'

/** Unavailable methods stay visible, below the others and with a reason, so that the payer does not search for them elsewhere. */
export const Choose = () => {
  const words = useWords()
  const { checkout, secondary } = usePage()
  const methods = checkout.methods.value
  if (!methods) return <Fetched piece={secondary}>{({ MethodsFailed }) => <MethodsFailed />}</Fetched>
  const offered = known
    .flatMap((entry) => {
      const method = methods.find((listed) => listed.method === entry.wire)
      return method ? [{ method, entry, usable: method.available }] : []
    })
    .sort((a, b) => Number(b.usable) - Number(a.usable))
  const advised = offered.filter((offer) => offer.usable && offer.entry.advice)
  return (
    <>
      <Head title={words.t('chooseTitle')}>{words.t('chooseLead')}</Head>
      <ProblemNote at="currency" />
      <ul class="card">
        {offered.map(({ method, entry, usable }) => (
          <li key={entry.slug}>{usable ? <Offer entry={entry} method={method} /> : <Refused entry={entry} method={method} />}</li>
        ))}
      </ul>
      {advised.length > 1 && (
        <Fold title={words.t('whichWay')}>
          {advised.map(({ entry }) => entry.advice && <p>{words.rich(entry.advice, { method: <b>{words.t(entry.title)}</b> })}</p>)}
        </Fold>
      )}
    </>
  )
}

const Offer = ({ entry, method }: { entry: MethodEntry; method: PaymentMethodRead }) => {
  const page = usePage()
  const { checkout } = page
  const order = checkout.order.value
  const deposit = depositOf(order)
  const funding = fundingOf(order)
  const asset = order.fulfillment?.asset
  const price = funding ? { raw: funding.due, currency: funding.currency } : fundsOf(order.fulfillment?.amount, asset)
  const text = { entry, price, fee: method.network_fee?.chain_id === price?.currency.chain_id ? method.network_fee : undefined }
  const to = { method: entry.slug, pick: false }
  if (entry.slug !== 'address' || deposit) {
    const choice = deposit && entry.slug === 'address' ? { ...to, ...currencyField(deposit.currency) } : to
    return (
      <a
        class="row"
        href={hrefOf(page, choice)}
        onClick={(event) => {
          event.preventDefault()
          checkout.choose(choice)
        }}
      >
        <OfferText {...text} />
      </a>
    )
  }
  if (!asset) {
    const choice = { ...to, pick: true }
    return (
      <a class="row" href={hrefOf(page, choice)}>
        <OfferText {...text} />
      </a>
    )
  }
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

interface OfferTextProps {
  readonly entry: MethodEntry
  readonly price: Funds | undefined
  readonly fee: PaymentMethodRead['network_fee']
  readonly busy?: boolean
}

const OfferText = ({ entry, price, fee, busy }: OfferTextProps) => {
  const words = useWords()
  return (
    <>
      <span class="tile">
        <Icon name={entry.icon} />
      </span>
      <span class="ways">
        <span class="way">
          <b>{words.t(entry.title)}</b>
          {price && (
            <b class="num">
              {words.amount(price.raw, price.currency.decimals)} {price.currency.symbol}
            </b>
          )}
        </span>
        <span class="way">
          <span>{fee ? words.t('addressFee', { fee: words.fiat(String(fee.amount), fee.unit) }) : words.t(entry.hint)}</span>
          {price && <span class="num">{words.networkName(price.currency.chain_id)}</span>}
        </span>
      </span>
      {busy ? <span class="spin" /> : <Icon name="next" />}
    </>
  )
}

const Refused = ({ entry, method }: { entry: MethodEntry; method: PaymentMethodRead }) => {
  const words = useWords()
  const minimum = method.minimum_amount
  return (
    <div class="row" role="link" aria-disabled="true">
      <span class="tile">
        <Icon name={entry.icon} />
      </span>
      <span>
        <b>{words.t(entry.title)}</b>
        <small>
          <bdi>{method.reason || words.t('unavailable')}</bdi>{' '}
          {minimum && words.t('minimum', { amount: words.fiat(String(minimum.amount), minimum.unit) })}
        </small>
      </span>
    </div>
  )
}
