import { FundsText } from '../../../i18n/amount-text.tsx'
import { type AllWords, useAllWords } from '../../../i18n/words.ts'
import { Address } from '../../../ui/address.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { Head } from '../../../ui/head.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Note } from '../../../ui/note.tsx'
import type { Funds } from '../../../wire/funds.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import { payeeOf } from '../../../wire/payee.ts'
import { BackButton } from './back-button.tsx'
import { Connecting } from './connecting.tsx'
import { Elsewhere } from './elsewhere.tsx'
import { NoticeNote } from './notice-note.tsx'
import { walletName } from './notice-text.ts'
import { Waiting } from './waiting.tsx'
import type { NetworkCost, SolanaInput, SolanaReview, SolanaStep } from '../solana/pay-on-solana.ts'

interface SolanaViewProps {
  readonly step: SolanaStep
  readonly order: OrderRead
  readonly run: (input: SolanaInput) => void
  /** Returns to the list of wallets. */
  readonly leave: () => void
}

export const SolanaView = ({ step, order, run, leave }: SolanaViewProps) => {
  const words = useAllWords()
  const back = <BackButton onClick={leave} text={words.t('otherWallets')} />
  switch (step.at) {
    case 'connecting':
      return <Connecting step={step} back={back} onCancel={leave} />
    case 'review': {
      const { review, notice } = step
      const name = walletName(words, review.wallet)
      return (
        <>
          {back}
          <NoticeNote notice={notice} wallet={name} />
          <Head title={words.t('signTitle')} />
          <Terms order={order} review={review} />
          <SigningNote due={review.due} />
          <button class="btn" onClick={() => run({ do: 'pay', review })}>
            <Icon name={notice ? 'reload' : 'sign'} />
            {notice ? words.t('tryAgain') : words.t('signIn', { wallet: name })}
          </button>
          {review.others.map((currency) => (
            <button class="btn two" key={currency.address} onClick={() => run({ do: 'connect', wallet: review.wallet, currency })}>
              {words.t('change')}: {words.tokenOn(currency)}
            </button>
          ))}
        </>
      )
    }
    case 'asking':
      return (
        <>
          {back}
          <Head title={words.t('continueIn', { wallet: walletName(words, step.review.wallet) })}>{words.t('continueLead')}</Head>
          <Terms order={order} review={step.review} />
          <SigningNote due={step.review.due} />
          <Waiting wallet={step.review.wallet} slow={step.slow} onCancel={leave} />
        </>
      )
    case 'sent':
      return (
        <Head seal="spin" title={words.t('sendingTitle')}>
          {words.t('restSent')}
        </Head>
      )
    case 'elsewhere':
      return <Elsewhere />
    case 'untrue':
      return (
        <>
          {back}
          <Head title={words.t('untrueTitle')}>{words.t('untrueLead')}</Head>
        </>
      )
    case 'stopped':
      return (
        <>
          {back}
          <Head title={words.t('walletOver')} />
          <NoticeNote notice={step.notice} wallet={walletName(words, step.wallet)} />
          <button class="btn two" onClick={() => run({ do: 'connect', wallet: step.wallet })}>
            {words.t('checkAgain')}
          </button>
        </>
      )
    // The flow sends the signature next, whose steps have screens of their own.
    case 'signed':
      return null
    default:
      return step satisfies never
  }
}

/** The payer compares this with what the wallet shows. */
const Terms = ({ order, review: { wallet, account, due, to, cost } }: { order: OrderRead; review: SolanaReview }) => {
  const words = useAllWords()
  const merchant = payeeOf(order) ?? words.t('theShop')
  return (
    <Facts
      card
      of={[
        [
          words.t('youPay'),
          <b class="big">
            <FundsText of={due} />
          </b>,
        ],
        cost && [words.t('networkFee'), cost.fee ? words.t('feeAbout', { fee: costText(words, cost.fee) }) : words.t('feeNone')],
        !!cost?.account && [words.t('accountFee'), costText(words, cost.account)],
        [words.t('toAt', { merchant }), <Address value={to} />],
        [words.t('fromWallet', { wallet: walletName(words, wallet) }), <Address value={account.address} />],
      ]}
    />
  )
}

const SigningNote = ({ due }: { due: Funds }) => {
  const words = useAllWords()
  return (
    <Note icon="sign" title={words.t('signWhat')}>
      <p>{words.rich('signTransfer', { amount: <FundsText of={due} /> })}</p>
    </Note>
  )
}

/** Coins, and about what they are worth. */
const costText = (words: AllWords, { funds, fiat }: NetworkCost): string =>
  words.funds(funds) + (fiat ? ` (${words.fiat(String(fiat.amount), fiat.unit)})` : '')
