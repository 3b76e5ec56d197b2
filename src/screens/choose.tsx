import { Fragment } from 'preact'
import { useWords } from '../i18n/words.ts'
import { methods as known, type MethodEntry } from '../methods/methods.ts'
import { currencyField, paymentRequest } from '../order/pay-currency.ts'
import { chargedTotalOf, fiatOf } from '../order/fiat.ts'
import { askedOf, depositOf } from '../order/funding.ts'
import { hrefOf } from '../model/page.ts'
import { ActionForm } from '../ui/action-form.tsx'
import { Fold } from '../ui/fold.tsx'
import { Head } from '../ui/head.tsx'
import { Icon } from '../ui/icon.tsx'
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
  const asset = checkout.order.value.fulfillment?.asset
  const methods = checkout.methods.value
  if (!methods) return <Fetched piece={secondary}>{({ MethodsFailed }) => <MethodsFailed />}</Fetched>
  const listed = known.flatMap((entry) => {
    const method = methods.find((other) => other.method === entry.wire)
    return method ? [{ method, entry }] : []
  })
  const offered = listed.filter(({ method }) => method.available)
  const refused = listed.filter(({ method, entry }) => !method.available && !entry.silent?.some((problem) => problem === method.problem))
  const advised = offered.filter(({ entry }) => entry.advice)
  return (
    <>
      <Head title={words.t('chooseTitle')}>{words.t('chooseLead')}</Head>
      <ProblemNote at="currency" />
      {offered[0] && (
        <ul class="offers">
          {offered.map(({ entry, method }, at) => (
            <Fragment key={entry.slug}>
              <li class={entry.load && 'js'}>
                <Offer entry={entry} method={method} best={at === 0} />
              </li>
              {entry.slug === 'address' && asset && (
                <li>
                  <a class="row" {...choiceLink(page, picking)}>
                    <span class="tile">
                      <Icon name="swap" />
                    </span>
                    <b>{words.t('otherToken')}</b>
                    <Icon name="next" />
                  </a>
                </li>
              )}
            </Fragment>
          ))}
        </ul>
      )}
      {refused.map(({ method: { reason, problem, minimum_amount: minimum }, entry }) => (
        <p class="soft">
          {words.t(entry.title)}: <bdi>{reason || words.t('unavailable')}</bdi>{' '}
          {minimum && problem === entry.tooSmall && words.t('minimum', { amount: words.fiat(String(minimum.amount), minimum.unit) })}
        </p>
      ))}
      {advised.length > 1 && (
        <Fold title={words.t('whichWay')}>
          {advised.map(({ entry }) => entry.advice && <p>{words.rich(entry.advice, { method: <b>{words.t(entry.title)}</b> })}</p>)}
        </Fold>
      )}
    </>
  )
}

const Offer = ({ entry, method, best }: { entry: MethodEntry; method: PaymentMethodRead; best: boolean }) => {
  const page = usePage()
  const { checkout } = page
  const order = checkout.order.value
  const deposit = depositOf(order)
  const asset = order.fulfillment?.asset
  const price = askedOf(order, 'due')
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
  const plain = price && fiatOf(order, price)
  const whole = price && fee && fiatOf(order, price, fee)
  const total = charged ? undefined : estimated && { decimal: String(estimated.amount), unit: estimated.unit }
  const about = total ?? (entry.takesFiat ? undefined : (whole ?? plain))
  const exact = entry.takesFiat ? charged || plain : undefined
  return (
    <>
      <span class="tile">
        <Icon name={entry.icon} />
      </span>
      <Way
        title={words.t(entry.title)}
        notes={[
          fee && whole
            ? words.rich('addressFee', { fee: <span class="num">{words.fiat(String(fee.amount), fee.unit)}</span> })
            : words.t(charged || total ? 'allIn' : `${entry.title}Hint`),
        ]}
        cost={about ? words.about(about) : exact && words.fiat(exact.decimal, exact.unit)}
        amount={entry.takesFiat ? undefined : price && words.token(price.raw, price.currency)}
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
