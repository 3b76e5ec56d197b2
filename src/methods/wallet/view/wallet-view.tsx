import { useEffect } from 'preact/hooks'
import { FundsText } from '../../../i18n/amount-text.tsx'
import { type AllWords, useAllWords } from '../../../i18n/words.ts'
import { Address } from '../../../ui/address.tsx'
import { Facts } from '../../../ui/facts.tsx'
import { Head } from '../../../ui/head.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Note } from '../../../ui/note.tsx'
import { choiceQuery } from '../../../wire/choice.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import { payeeOf } from '../../../wire/payee.ts'
import type { RunningFlow } from '../../method.ts'
import type { Review, SignatureInput, SignatureStep } from '../pay-by-signature.ts'
import { useTitleFocus } from '../../../ui/title-focus.ts'
import { BackButton } from './back-button.tsx'
import { Connecting } from './connecting.tsx'
import { Elsewhere } from './elsewhere.tsx'
import { HoldingList } from './holding-list.tsx'
import { List } from './wallet-list.tsx'
import { NoticeNote } from './notice-note.tsx'
import { walletName } from './notice-text.ts'
import { Pairing } from './pairing.tsx'
import { SendScreen } from './send-screen.tsx'
import { SolanaView } from './solana-view.tsx'
import { isFramed } from './surroundings.ts'
import { Waiting } from './waiting.tsx'

interface WalletViewProps {
  readonly flow: RunningFlow<SignatureInput, SignatureStep>
  readonly order: OrderRead
  readonly leave: () => void
  readonly toAddress: () => void
}

export const walletScreen = (flow: WalletViewProps['flow']) => (props: Omit<WalletViewProps, 'flow'>) => (
  <WalletView flow={flow} {...props} />
)

const WalletView = ({ flow, order, leave, toAddress }: WalletViewProps) => {
  const words = useAllWords()
  const step = flow.step.value
  const run = (ask: SignatureInput) => void flow.run(ask)
  const list = () => run({ do: 'list' })
  // A wallet is a step that the browser's Back undoes. Entries that a frame adds to its host's history outlive the frame.
  const enter = (ask: SignatureInput) => {
    if (!isFramed() && !history.state) history.pushState(true, '')
    run(ask)
  }
  const toList = () => {
    if (!history.state) return list()
    // Going back takes a moment, in which a second click must not go back once more.
    history.replaceState(null, '')
    history.back()
  }
  useEffect(() => {
    list()
    addEventListener('popstate', list)
    return () => {
      removeEventListener('popstate', list)
      flow.stop()
    }
  }, [flow])
  useTitleFocus(step?.at === 'solana' || step?.at === 'transfer' ? step.step.at : step?.at)
  const toWallets = <BackButton onClick={toList} text={words.t('otherWallets')} />
  const toWays = <BackButton onClick={leave} text={words.t('otherWays')} />
  switch (step?.at) {
    case undefined:
      return <List wallets={[]} looking url="" back={toWays} />
    case 'list':
      return (
        <List
          wallets={[...step.wallets, ...step.onSolana].sort((a, b) => Number(b.usedBefore) - Number(a.usedBefore))}
          looking={step.looking}
          url={urlOf(order)}
          back={toWays}
          notice={
            <NoticeNote notice={step.notice} wallet={words.t('theWallet')} network={networkOf(words, order.fulfillment?.asset?.chain_id)} />
          }
          onPick={(wallet) => enter('standard' in wallet ? { do: 'solana', input: { do: 'connect', wallet } } : { do: 'connect', wallet })}
          onPair={step.remote ? () => enter({ do: 'pair' }) : undefined}
          toAddress={toAddress}
        />
      )
    case 'pairing':
      return <Pairing uri={step.uri} back={toWallets} />
    case 'connecting':
      return <Connecting step={step} back={toWallets} onCancel={toList} />
    case 'review': {
      const { review, needs, notice } = step
      const wallet = walletName(words, review.wallet)
      const network = words.networkName(review.offer.chainId)
      return (
        <>
          {toWallets}
          <NoticeNote notice={notice} wallet={wallet} network={network} />
          <Head title={words.t('signTitle')} />
          <Terms order={order} review={review} />
          {needs === 'switch' && (
            <>
              {!notice && (
                <Note>
                  <p>{words.t('switchLead', { wallet, network })}</p>
                </Note>
              )}
              <button class="btn" onClick={() => run({ do: 'switch', review })}>
                {words.t('switchTo', { network })}
              </button>
            </>
          )}
          {needs === 'money' && (
            <button class="btn" onClick={() => run({ do: 'connect', wallet: review.wallet })}>
              <Icon name="reload" />
              {words.t('checkAgain')}
            </button>
          )}
          {(needs === 'sign' || needs === 'resend') && (
            <>
              <SigningNote review={review} />
              <button class="btn" onClick={() => run(needs === 'sign' ? { do: 'sign', review } : { do: 'resend', review })}>
                <Icon name={notice ? 'reload' : 'sign'} />
                {notice ? words.t('tryAgain') : words.t('signIn', { wallet })}
              </button>
            </>
          )}
          <HoldingList
            holdings={review.holdings}
            shown={review.funds.currency}
            onChoose={(holding) => run({ do: 'choose', purse: review, holding })}
          />
        </>
      )
    }
    case 'transfer':
      return <SendScreen step={step} order={order} run={run} toList={toList} back={toWays} />
    case 'signing': {
      const wallet = walletName(words, step.review.wallet)
      return (
        <>
          {toWallets}
          <Head title={words.t('continueIn', { wallet })}>{words.t('continueLead')}</Head>
          <Terms order={order} review={step.review} />
          <SigningNote review={step.review} />
          <Waiting wallet={step.review.wallet} slow={step.slow} onCancel={toList} />
        </>
      )
    }
    case 'sending':
      return (
        <Head seal="spin" title={words.t('sendingTitle')}>
          {words.t(step.slow ? 'sendingSlow' : 'sendingLead')}
        </Head>
      )
    case 'unsent':
      return (
        <>
          {/* If the service has not answered, the signature may still pay the order, and paying another way could pay it twice. */}
          {step.notice.code !== 'unsent' && toWays}
          <Head title={words.t('unsentTitle')} />
          <NoticeNote notice={step.notice} />
          <button class="btn" onClick={() => run({ do: 'resend', review: step.review })}>
            <Icon name="reload" />
            {words.t('tryAgain')}
          </button>
        </>
      )
    case 'solana':
      return <SolanaView step={step.step} order={order} run={(input) => run({ do: 'solana', input })} leave={toList} />
    case 'elsewhere':
      return <Elsewhere />
    case 'over':
      return (
        <>
          {toWays}
          <Head title={words.t('walletOver')} />
          <NoticeNote notice={step.notice} />
          <button class="btn two" onClick={toList}>
            {words.t('checkAgain')}
          </button>
        </>
      )
    default:
      return step satisfies never
  }
}

/** The payer sees these terms before signing and again while the wallet asks, to compare them with what the wallet shows. */
const Terms = ({ order, review: { wallet, funds, offer, connection } }: { order: OrderRead; review: Review }) => {
  const words = useAllWords()
  const merchant = payeeOf(order) ?? words.t('theShop')
  return (
    <Facts
      card
      of={[
        [
          words.t('youPay'),
          <b class="big">
            <FundsText of={funds} />
          </b>,
        ],
        [words.t('networkFee'), words.t('feeNone')],
        [words.t('toAt', { merchant }), <Address value={offer.payTo} />],
        [words.t('fromWallet', { wallet: walletName(words, wallet) }), <Address value={connection.from} />],
      ]}
    />
  )
}

const SigningNote = ({ review: { funds, until } }: { review: Review }) => {
  const words = useAllWords()
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  return (
    <Note icon="sign" title={words.t('signWhat')}>
      <p>{words.rich('signWhatText', { amount: <FundsText of={funds} />, time: words.time(until, zone) })}</p>
    </Note>
  )
}

/** A service may say of an order no more than its id and status. */
const networkOf = (words: AllWords, chainId: number | undefined): string => (chainId === undefined ? '' : words.networkName(chainId))

const urlOf = (order: OrderRead): string => {
  const url = order.hosted_url ?? location.origin + location.pathname
  return url + choiceQuery({ method: 'wallet', pick: false })
}
