import { useWords } from '../../i18n/words.ts'
import { explorerLink } from '../../order/explorer-link.ts'
import { referenceOf } from '../../order/merchant.ts'
import { latestRefund } from '../../order/refunds.ts'
import { transfersOf } from '../../order/transfers.ts'
import { Address } from '../../ui/address.tsx'
import { Facts } from '../../ui/facts.tsx'
import { FundsText } from '../../i18n/amount-text.tsx'
import type { Funds } from '../../wire/funds.ts'
import { ReferenceField } from './reference-field.tsx'
import { ExplorerLink } from './transfer-list.tsx'
import { usePage } from './page-context.ts'
import { Contact, useSupportUrl } from './contact.tsx'
import { BackToShop } from './return.tsx'

interface MoneyFactsProps {
  readonly label: 'refunded' | 'heldForYou'
  readonly amount: Funds | undefined
  /** So much has gone back or is on its way back. */
  readonly alsoBack?: Funds
  /** Something else on the screen has the filled button. */
  readonly isSecondary?: boolean
}

/** What a payer can do now, and the facts with which the money is found on an explorer and the order at the merchant. */
export const MoneyFacts = ({ label, amount, alsoBack, isSecondary = false }: MoneyFactsProps) => {
  const words = useWords()
  const { checkout, clock } = usePage()
  const order = checkout.order.value
  const refund = latestRefund(order)
  const [transfer] = transfersOf(order)
  const back = label === 'refunded'
  const asksForContact = useSupportUrl() !== undefined && !back
  const { hash, link } = (back ? refund : transfer && { hash: transfer.hash, link: explorerLink(order, transfer) }) ?? {}
  const ways = (
    <div class="stack">
      {asksForContact && <Contact look={isSecondary ? 'btn two' : 'btn'} />}
      <BackToShop look={asksForContact || isSecondary ? 'btn two' : 'btn'} />
      {back && <Contact look="btn two" />}
    </div>
  )
  return (
    <>
      {/* Without money there is nothing to find but the order. */}
      {amount && ways}
      <section class="card">
        <Facts
          of={[
            amount && [
              words.t(label),
              <span class="big">
                <FundsText of={amount} />
              </span>,
            ],
            alsoBack && [words.t('refunded'), <FundsText of={alsoBack} />],
            back && refund?.address !== undefined && [words.t('sentTo'), <Address value={refund.address} />],
            !back && transfer?.at !== undefined && [words.t('received'), words.moment(transfer.at, clock.zone.value)],
            hash !== undefined && [words.t('transaction'), <Address value={hash} hash />],
          ]}
        />
        <ReferenceField label={words.t('reference')} value={referenceOf(order)} />
      </section>
      {!amount && ways}
      {link && amount && <ExplorerLink of={{ link, funds: amount }} />}
    </>
  )
}
