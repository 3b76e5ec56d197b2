import { useWords } from '../../i18n/words.ts'
import { explorerLink } from '../../order/explorer-link.ts'
import { fundsOf } from '../../order/funding.ts'
import { payCurrency } from '../../order/pay-currency.ts'
import { refundsOf } from '../../order/refunds.ts'
import { transfersOf, type Transfer } from '../../order/transfers.ts'
import { FundsText } from '../../i18n/amount-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import type { Funds } from '../../wire/funds.ts'
import { usePage } from './page-context.ts'

/** Misdirected transfers are left out, because they have a notice of their own (misdirected.tsx). What went back explains what is due. */
export const TransferList = ({ title }: { title: string }) => {
  const words = useWords()
  const { checkout } = usePage()
  const asked = payCurrency(checkout.order.value)
  const refunds = (refundsOf(checkout.order.value) ?? []).flatMap(({ amount, state }) => {
    const funds = fundsOf(amount, asked)
    return funds ? [{ funds, isPending: state === 'pending' }] : []
  })
  const transfers = transfersOf(checkout.order.value).filter((transfer) => transfer.misdirected === undefined)
  if (transfers.length === 0) return null
  return (
    <section class="stack">
      <h2>{title}</h2>
      <ul class="card">
        {transfers.map((transfer) => (
          <li key={transfer.hash}>
            <TransferRow of={transfer} />
          </li>
        ))}
        {refunds.map(({ funds, isPending }) => (
          <li class="row">
            <span class="tile">
              <Icon name="returned" />
            </span>
            <span>
              <b>
                <FundsText of={funds} />
              </b>
              <small>{[words.t('refunded'), isPending && words.t('onItsWay')].filter(Boolean).join(' · ')}</small>
            </span>
          </li>
        ))}
      </ul>
    </section>
  )
}

const TransferRow = ({ of }: { of: Transfer }) => {
  const words = useWords()
  const { checkout, clock } = usePage()
  const link = explorerLink(checkout.order.value, of)
  const what = (
    <>
      <span class={of.state === 'arrived' ? 'tile good' : 'tile'}>
        {of.state === 'seen' ? (
          <span class="spin" />
        ) : (
          <Icon name={of.state === 'arrived' ? 'check' : of.state === 'held' ? 'held' : 'returned'} />
        )}
      </span>
      <span>
        <b>
          <FundsText of={of.funds} />
        </b>
        <small>
          {[
            of.state === 'seen' && progress(),
            of.state === 'held' && words.t('heldForYou'),
            of.at !== undefined && words.moment(of.at, clock.zone.value),
          ]
            .filter(Boolean)
            .join(' · ')}
        </small>
      </span>
    </>
  )
  function progress() {
    return of.needed > 0
      ? words.t('confirmationsOf', { seen: words.count(of.confirmations), needed: words.count(of.needed) })
      : words.t('onItsWay')
  }
  if (!link) return <div class="row">{what}</div>
  return (
    <a class="row wraps" href={link} target="_blank" rel="noreferrer">
      {what}
      <span class="link">
        {words.t('view')}
        <Icon name="out" />
      </span>
    </a>
  )
}

export const ExplorerLink = ({ of }: { of: { readonly funds: Funds; readonly link: string | undefined } }) => {
  const words = useWords()
  if (!of.link) return null
  return (
    <a class="link" href={of.link} target="_blank" rel="noreferrer">
      {words.t('explorer', { network: words.networkName(of.funds.currency.chain_id) })}
      <Icon name="out" />
    </a>
  )
}
