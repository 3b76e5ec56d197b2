import type { ComponentChildren } from 'preact'
import { FundsText, Worth } from '../../../i18n/amount-text.tsx'
import { useAllWords } from '../../../i18n/words.ts'
import { Address } from '../../../ui/address.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { Note } from '../../../ui/note.tsx'
import { type Fiat, fiatOf } from '../../../wire/fiat.ts'
import type { Funds } from '../../../wire/funds.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import { payeeOf } from '../../../wire/payee.ts'
import type { ListedWallet } from '../wallets.ts'
import { walletName } from './wallet-name.ts'

interface TermsProps {
  readonly order: OrderRead
  readonly wallet: ListedWallet
  readonly pays: Funds
  /** What of that is not the order's price. */
  readonly converted?: ComponentChildren
  /** Until when a signature permits this payment, where it outlives the request. */
  readonly until?: string
  /** What the network asks beyond that, and what an account that has to be opened costs. */
  readonly fee: ComponentChildren
  readonly account?: string | false
  /** What the payer pays in all, where the network's fee comes on top. */
  readonly total?: Fiat | undefined
  /** The same of the total. */
  readonly included?: ComponentChildren
  readonly to: string
  readonly from: string
}

/** The payer sees these terms before the wallet is asked and again while it asks, to compare them with what the wallet shows. */
export const Terms = ({ order, wallet, pays, converted, until, fee, account, total, included, to, from }: TermsProps) => {
  const words = useAllWords()
  return (
    <Facts
      card
      of={[
        [
          until === undefined ? words.t('youPay') : words.t('signOnce', { time: until }),
          [
            <b class="big">
              <FundsText of={pays} />
            </b>,
            ' ',
            <Worth of={fiatOf(order, pays)} />,
            converted,
          ],
        ],
        !!fee && [words.t('networkFee'), fee],
        !!account && [words.t('accountFee'), account],
        total && [words.t('total'), [<Worth of={total} />, included && <small>{included}</small>]],
        [words.t('toMerchantAt', { merchant: payeeOf(order) ?? words.t('theShop') }), <Address value={to} />],
        [words.t('fromWallet', { wallet: walletName(words, wallet) }), <Address value={from} />],
      ]}
    />
  )
}

export const SigningNote = ({ children }: { children: ComponentChildren }) => (
  <Note icon="sign" title={useAllWords().t('signWhat')}>
    <p>{children}</p>
  </Note>
)
