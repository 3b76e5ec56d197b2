import { useWords, type Words } from '../../i18n/words.ts'
import { explorerLink } from '../../order/explorer-link.ts'
import { referenceOf } from '../../order/merchant.ts'
import { misdirectedOf } from '../../order/misdirected.ts'
import { payCurrency } from '../../order/pay-currency.ts'
import { hasProposedAddress } from '../../order/to-return.ts'
import type { Transfer } from '../../order/transfers.ts'
import { FundsText } from '../../i18n/amount-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Note } from '../../ui/note.tsx'
import type { CurrencyRead } from '../../wire/currency.ts'
import type { Funds } from '../../wire/funds.ts'
import { useMerchant, usePage } from './page-context.ts'

interface MisdirectedProps {
  /** The screen itself does not say that this is still to be sent. */
  readonly due?: Funds
  /** The order can still be paid, so what it needs is named. */
  readonly isNeeded?: boolean
  /** The screen is about the first one: its title says what has arrived, and its lead that nothing is lost. */
  readonly isTitled?: boolean
  /** The screen asks where it should go back to. */
  readonly isAsked?: boolean
}

/** Money on another network or in another token does not pay the order, so this says that it is not lost and how to get it back. */
export const Misdirected = ({ due, isNeeded = due !== undefined, isTitled, isAsked }: MisdirectedProps) => {
  const words = useWords()
  const merchant = useMerchant()
  return (
    <>
      {misdirectedOf(usePage().checkout.order.value).map((transfer, at) => {
        const next = <Next key={transfer.hash} of={transfer} due={due} isAsked={isAsked} />
        if (isTitled && at === 0) return next
        return (
          <Note key={transfer.hash} icon="held" tone="warn" title={<MisdirectedTitle of={transfer} isNeeded={isNeeded} />}>
            <p>
              {words.t('strayHeld')} {isAsked && words.t('backAgreed', { merchant })}
            </p>
            {next}
          </Note>
        )
      })}
    </>
  )
}

/** What the order needs is no longer said once it is paid or closed. */
export const MisdirectedTitle = ({ of: { funds }, isNeeded }: { of: Transfer; isNeeded: boolean }) => {
  const words = useWords()
  const { raw, currency } = funds
  const expected = payCurrency(usePage().checkout.order.value)
  return (
    <>
      {words.rich(isNeeded ? 'strayTitle' : 'strayArrived', {
        amount: <span class="num">{words.token(raw, currency)}</span>,
        network: <bdi class="net">{words.networkName(currency.chain_id)}</bdi>,
        needed: expected && <bdi class="net">{neededText(words, expected, currency)}</bdi>,
      })}
    </>
  )
}

/** What the payer can do about it, and where it can be looked at. */
const Next = ({ of, due, isAsked }: { of: Transfer; due: Funds | undefined; isAsked: boolean | undefined }) => {
  const words = useWords()
  const merchant = useMerchant()
  const order = usePage().checkout.order.value
  const link = explorerLink(order, of)
  return (
    <>
      {!isAsked && !hasProposedAddress(order) && (
        <p>{words.rich('strayBack', { merchant, reference: <b class="num">{referenceOf(order)}</b> })}</p>
      )}
      {due && <p>{words.rich('strayStill', { amount: <FundsText of={due} /> })}</p>}
      {link && (
        <a class="link" href={link} target="_blank" rel="noreferrer">
          {words.t('explorer', { network: words.networkName(of.funds.currency.chain_id) })}
          <Icon name="out" />
        </a>
      )}
    </>
  )
}

/** Names only what is different, because that is what the payer has to change. */
const neededText = (words: Words, expected: CurrencyRead, sent: CurrencyRead): string => {
  if (expected.chain_id === sent.chain_id) return expected.symbol
  return expected.symbol === sent.symbol ? words.networkName(expected.chain_id) : words.tokenOn(expected)
}
