import { FundsText } from '../../../i18n/amount-text.tsx'
import { type AllWords, useAllWords } from '../../../i18n/words.ts'
import { Head } from '../../../ui/head.tsx'
import { Icon } from '../../../ui/icon.tsx'
import type { OrderRead } from '../../../wire/order-read.ts'
import { BackButton } from './back-button.tsx'
import { Connecting } from './connecting.tsx'
import { Elsewhere } from './elsewhere.tsx'
import { NoticeNote } from './notice-note.tsx'
import { walletName } from './wallet-name.ts'
import { SigningNote, Terms } from './terms.tsx'
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
          <ReviewTerms order={order} review={review} />
          <button class="btn" onClick={() => run({ do: 'pay', review })}>
            <Icon name={notice ? 'reload' : 'sign'} />
            {notice ? words.t('tryAgain') : words.t('signIn', { wallet: name })}
          </button>
          <Permission review={review} />
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
          <ReviewTerms order={order} review={step.review} />
          <Permission review={step.review} />
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

const ReviewTerms = ({ order, review: { wallet, account, due, to, cost } }: { order: OrderRead; review: SolanaReview }) => {
  const words = useAllWords()
  return (
    <Terms
      order={order}
      wallet={wallet}
      pays={due}
      fee={cost && (cost.fee ? words.t('feeAbout', { fee: costText(words, cost.fee) }) : words.t('feeNone'))}
      account={!!cost?.account && costText(words, cost.account)}
      to={to}
      from={account.address}
    />
  )
}

const Permission = ({ review: { due } }: { review: SolanaReview }) => (
  <SigningNote>{useAllWords().rich('signTransfer', { amount: <FundsText of={due} /> })}</SigningNote>
)

/** Coins, and about what they are worth. */
const costText = (words: AllWords, { funds, fiat }: NetworkCost): string =>
  words.funds(funds) + (fiat ? ` (${words.fiat(String(fiat.amount), fiat.unit)})` : '')
