import { useWords, type Words } from '../../i18n/words.ts'
import { referenceOf } from '../../order/merchant.ts'
import { misdirectedOf } from '../../order/misdirected.ts'
import { payCurrency } from '../../order/pay-currency.ts'
import { hasProposedAddress } from '../../order/to-return.ts'
import type { Transfer } from '../../order/transfers.ts'
import { FundsText, Network } from '../../i18n/amount-text.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Note } from '../../ui/note.tsx'
import type { CurrencyRead } from '../../wire/currency.ts'
import type { Funds } from '../../wire/funds.ts'
import { useMerchant, usePage } from './page-context.ts'

/** Money on another network or in another token does not pay the order, so this says that it is not lost and how to get it back. */
export const Misdirected = (props: NoteProps) => (
  <>
    {misdirectedOf(usePage().checkout.order.value).map((transfer) => (
      <MisdirectedNote key={transfer.hash} of={transfer} {...props} />
    ))}
  </>
)

interface NoteProps {
  readonly due?: Funds
  /** Nothing is due any more, but the payer may ask for a new price. */
  readonly mayReprice?: boolean
}

const MisdirectedNote = ({ of, due, mayReprice }: NoteProps & { of: Transfer }) => {
  const words = useWords()
  const { checkout } = usePage()
  const merchant = useMerchant()
  const order = checkout.order.value
  const { raw, currency } = of.funds
  const expected = payCurrency(order)
  // What the order needs is no longer asked once it is paid or closed.
  const title = words.rich(due || mayReprice ? 'strayTitle' : 'strayArrived', {
    amount: <span class="num">{words.token(raw, currency)}</span>,
    network: <Network chainId={currency.chain_id} />,
    needed: expected && <span class="num">{neededText(words, expected, currency)}</span>,
  })
  return (
    <Note icon="held" tone="warn" title={title}>
      <p>{words.t('strayHeld')}</p>
      {!hasProposedAddress(order) && <p>{words.rich('strayBack', { merchant, reference: <b class="num">{referenceOf(order)}</b> })}</p>}
      {due && <p>{words.rich('strayStill', { amount: <FundsText of={due} /> })}</p>}
      {of.link && (
        <a class="link" href={of.link} target="_blank" rel="noreferrer">
          {words.t('explorer', { network: words.networkName(currency.chain_id) })}
          <Icon name="out" />
        </a>
      )}
    </Note>
  )
}

/** Names only what is different, because that is what the payer has to change. */
const neededText = (words: Words, expected: CurrencyRead, sent: CurrencyRead): string => {
  if (expected.chain_id === sent.chain_id) return expected.symbol
  return expected.symbol === sent.symbol ? words.networkName(expected.chain_id) : words.tokenOn(expected)
}
