import type { ComponentChildren } from 'preact'
import { FundsText } from '../../i18n/amount-text.tsx'
import { useAllWords, useWords, type Words } from '../../i18n/words.ts'
import { invitesSeveral } from '../../methods/address/view/invites-several.ts'
import { conversionCost } from '../../order/above-price.ts'
import type { Funding } from '../../order/funding.ts'
import { payeeOf } from '../../order/merchant.ts'
import { payCurrency } from '../../order/pay-currency.ts'
import { misdirectedOf } from '../../order/misdirected.ts'
import { networkFeeOf } from '../../order/network-fee.ts'
import type { Step } from '../../order/step.ts'
import { lacksRefundAddress } from '../../order/to-return.ts'
import type { HeadProps } from '../../ui/head.tsx'
import { Note } from '../../ui/note.tsx'
import type { CurrencyRead } from '../../wire/currency.ts'
import type { Funds } from '../../wire/funds.ts'
import type { OrderRead } from '../../wire/order-read.ts'
import { Contact } from './contact.tsx'
import { GiveAddress } from './give-address.tsx'
import { LeastTransfer } from './least-transfer.tsx'
import { Misdirected, MisdirectedTitle } from './misdirected.tsx'
import { MoneyTrack } from './money-track.tsx'
import { usePage } from './page-context.ts'
import { Received } from './received.tsx'
import { Gone } from './replaced.tsx'
import { Timer } from './timer.tsx'
import { WaitAhead } from './wait.tsx'

/** What is good to know stands below what is sent, so that an address, an amount and a network are on the first screen of a phone. */
export const PayHints = ({ step: { funding } }: { step: Extract<Step, { at: 'pay' }> }) =>
  funding.received + funding.seen > 0n ? (
    <RestHints currency={funding.currency} />
  ) : (
    <>
      <WaitAhead />
      <LeastTransfer currency={funding.currency} />
    </>
  )

const RestHints = ({ currency }: { currency: CurrencyRead }) => {
  const words = useAllWords()
  const fee = useFeeNote(currency)
  const isInvited = invitesSeveral(currency.chain_id)
  if (!fee && !isInvited) return null
  return (
    <p class="soft">
      {fee}
      {fee && isInvited && <br />}
      {isInvited && words.t('countsSeveral')}
    </p>
  )
}

/** The service says in its methods what the token costs that was asked for when they were read. */
const useFeeNote = (currency: CurrencyRead): ComponentChildren => {
  const words = useAllWords()
  const { boot, checkout } = usePage()
  const methods = checkout.methods.value
  const asked = methods === boot.methods ? payCurrency(boot.order) : checkout.order.value.fulfillment?.asset
  const fee = networkFeeOf(asked, currency, methods, checkout.currencies.value)
  return fee && words.rich('addressFee', { fee: <span class="num">{words.fiat(String(fee.amount), fee.unit)}</span> })
}

/** A payer who compares the amount with the price, or with what the list of ways has said, sees why they differ. */
export const AmountNotes = ({ due }: { due: Funds }) => {
  const words = useAllWords()
  const cost = conversionCost(usePage().checkout.order.value)
  const fee = useFeeNote(due.currency)
  return (
    <span class="soft">
      {cost && words.rich('conversionIncluded', { fee: <span class="num">{words.fiat(cost.decimal, cost.unit)}</span> })}
      {cost && fee && <br />}
      {fee}
    </span>
  )
}

/** The price that is shown now may not be the one that the payer remembers. */
const Repriced = ({ required }: { required: bigint }) => {
  const words = useWords()
  const news = usePage().checkout.news.value
  if (news?.type !== 'repriced' || news.now.raw !== required) return null
  const text = ({ raw, currency }: Funds) => <b class="num">{words.token(raw, currency)}</b>
  return (
    <Note icon="swap">
      <p>{words.rich('priceChanged', { was: text(news.was), now: text(news.now) })}</p>
    </Note>
  )
}

/** What has become of the payer's money, and of the price, on every screen that sends more. Only the one that is titled by it has the form for an address. */
export const PayNews = ({ funding, isTitled }: { funding: Funding; isTitled?: boolean }) => (
  <>
    <Gone />
    <Repriced required={funding.required} />
    <Misdirected isNeeded isTitled={isTitled} isAsked={lacksRefundAddress(usePage().checkout.order.value) && isTitled} />
  </>
)

/** Money that went astray is what its payer wants to read of first. What is still to be sent is said below it. */
export const strayHead = (words: Words, order: OrderRead): HeadProps | undefined => {
  const [stray] = misdirectedOf(order)
  if (!stray) return undefined
  const agreed = lacksRefundAddress(order) && words.t('backAgreed', { merchant: payeeOf(order) ?? words.t('theShop') })
  return { seal: 'held', title: <MisdirectedTitle of={stray} isNeeded />, children: [words.t('strayHeld'), agreed && ` ${agreed}`] }
}

const stillTitle = (words: Words, { due, received, seen, currency }: Funding) =>
  words.rich(received + seen > 0n ? 'sendRest' : 'strayStill', { amount: <FundsText of={{ raw: due, currency }} /> })

/** These notes are loaded with the secondary screens, because a new order has no transfers and much time left. */
export const PayNotes = ({ step: { funding, until, lapsed } }: { step: Extract<Step, { at: 'pay' }> }) => {
  const words = useWords()
  const order = usePage().checkout.order.value
  const [stray] = misdirectedOf(order)
  return (
    <>
      {stray && <MoneyTrack at="till" of={stray.funds} isHeld isLeftOver />}
      <PayNews funding={funding} isTitled />
      {stray && (
        <>
          <div class="pair ways">
            {lacksRefundAddress(order) && <GiveAddress of={stray.funds.currency} look="btn two" />}
            <Contact look="btn two" />
          </div>
          <h2 class="h1 still">{stillTitle(words, funding)}</h2>
        </>
      )}
      <Timer until={until} lapsed={lapsed} currency={funding.currency} />
      {funding.received + funding.seen > 0n && <Received funding={funding} />}
    </>
  )
}
