import { useEffect, useLayoutEffect, useMemo, useRef } from 'preact/hooks'
import { FundsText } from '../../i18n/amount-text.tsx'
import { useAllWords, useWords } from '../../i18n/words.ts'
import { type RestEntry, rests } from '../../methods/rests.ts'
import type { RestPart } from '../../methods/part.ts'
import { createLazyModule } from '../../model/lazy-module.ts'
import { currencyFamily } from '../../order/currency-family.ts'
import type { Funding } from '../../order/funding.ts'
import { misdirectedOf } from '../../order/misdirected.ts'
import { hasProposedAddress, lacksRefundAddress } from '../../order/to-return.ts'
import type { Funds } from '../../wire/funds.ts'
import { Fold } from '../../ui/fold.tsx'
import { Icon } from '../../ui/icon.tsx'
import { focusTitle } from '../../ui/title-focus.ts'
import { Contact, useSupportUrl } from './contact.tsx'
import { Fetched } from './fetched.tsx'
import { GiveAddress } from './give-address.tsx'
import { useMerchant, usePage } from './page-context.ts'
import { PayNews } from './pay-notes.tsx'

export interface PayTheRestProps {
  readonly due: Funds
  /** The payer has come back from the screen of a method, which had the focus, so that returns to its button. */
  readonly isBack: boolean
  readonly onChoose: (entry: RestEntry) => void
}

/** Offers each method that can send the rest to the deposit address. */
export const PayTheRest = ({ due, isBack, onChoose }: PayTheRestProps) => {
  const words = useWords()
  const button = useRef<HTMLButtonElement>(null)
  const family = currencyFamily(due.currency)
  useLayoutEffect(() => {
    if (isBack && document.activeElement === document.body) button.current?.focus()
  }, [])
  return (
    <>
      {rests.map(
        (rest) =>
          rest.families.includes(family) && (
            <button key={rest.slug} ref={button} class="btn two js rest" onClick={() => onChoose(rest)}>
              {words.t(rest.title)}
            </button>
          ),
      )}
    </>
  )
}

/** A partly paid order waits for its rest without end, so what has come goes back only if the payer asks for it and the merchant agrees. */
export const WithoutTheRest = ({ funding: { currency, received, seen } }: { funding: Funding }) => {
  const words = useAllWords()
  const merchant = useMerchant()
  const hasSupport = useSupportUrl() !== undefined
  const { checkout } = usePage()
  const order = checkout.order.value
  // Money that went astray has asked for an address already.
  const isAsked = lacksRefundAddress(order) && misdirectedOf(order).length === 0
  if (!isAsked && !hasSupport) return null
  return (
    <Fold
      title={words.t('cantSend')}
      open={hasProposedAddress(order) || checkout.problem.value?.at === 'refund' || checkout.choice.value.form}
    >
      {isAsked && (
        <>
          <p>
            <b>
              <FundsText of={{ raw: received + seen, currency }} />
            </b>
            <br />
            {words.t('backAgreed', { merchant })}
          </p>
          <GiveAddress of={currency} look="btn two" />
        </>
      )}
      <Contact look={isAsked ? 'link' : 'btn two'} />
    </Fold>
  )
}

export interface RestScreenProps {
  readonly entry: RestEntry
  readonly to: string
  readonly funding: Funding
  readonly leave: () => void
}

/** A method's own screen takes the place of the address. Its code is fetched when the payer chooses the method. */
export const RestScreen = ({ entry: { load }, to, funding, leave }: RestScreenProps) => {
  const words = useWords()
  const rest = { to, due: { raw: funding.due, currency: funding.currency } }
  const piece = useMemo(() => createLazyModule(async () => (await Promise.all([load(), words.rest()]))[0]), [load])
  const back = (
    <button class="link back" onClick={leave}>
      <Icon name="back" />
      {words.t('backToAddress')}
    </button>
  )
  // If the order needs something else meanwhile, as after a reorganisation, this does not come back by itself.
  useLayoutEffect(() => {
    focusTitle()
    return leave
  }, [])
  return (
    <>
      <PayNews funding={funding} />
      <Fetched piece={piece} lead={back}>
        {({ restPart }) => <Rest part={restPart} rest={rest} leave={leave} />}
      </Fetched>
    </>
  )
}

const Rest = ({ part, rest, leave }: { part: RestPart; rest: { to: string; due: Funds }; leave: () => void }) => {
  const { checkout } = usePage()
  const Screen = useMemo(() => part(checkout.start), [part])
  const methods = checkout.methods.value
  // A page that starts with a partly paid order has not needed the methods yet. They say the network's fee.
  useEffect(() => void (methods || checkout.loadMethods()), [])
  const fee = methods?.find(({ method }) => method === 'DEPOSIT_ADDRESS')?.network_fee
  return (
    <Screen order={checkout.order.value} rest={rest} fee={fee?.chain_id === rest.due.currency.chain_id ? fee : undefined} leave={leave} />
  )
}
