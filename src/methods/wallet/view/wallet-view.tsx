import { useEffect } from 'preact/hooks'
import { FundsText } from '../../../i18n/amount-text.tsx'
import { type AllWords, useAllWords } from '../../../i18n/words.ts'
import { Head } from '../../../ui/head.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Note } from '../../../ui/note.tsx'
import { useOwnState } from '../../../ui/own-state.ts'
import { useTitleFocus } from '../../../ui/title-focus.ts'
import { choiceQuery } from '../../../wire/choice.ts'
import type { CurrencyRead } from '../../../wire/currency.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import type { RunningFlow } from '../../method.ts'
import type { Purse, Review, SignatureInput, SignatureStep } from '../pay-by-signature.ts'
import { BackButton } from './back-button.tsx'
import { Connecting } from './connecting.tsx'
import { Elsewhere } from './elsewhere.tsx'
import { enter, undo } from './history-entry.ts'
import type { CostNotes, HoldingList } from './holding-list.tsx'
import { List } from './wallet-list.tsx'
import { NoticeNote } from './notice-note.tsx'
import { walletName } from './wallet-name.ts'
import { Pairing } from './pairing.tsx'
import { SendScreen } from './send-screen.tsx'
import { SolanaView } from './solana-view.tsx'
import { pageUrl } from './surroundings.ts'
import { SigningNote, Terms } from './terms.tsx'
import { useValidUntil } from './valid-until.ts'
import { Waiting } from './waiting.tsx'

interface WalletViewProps {
  readonly flow: RunningFlow<SignatureInput, SignatureStep>
  readonly order: OrderRead
  readonly CostNotes: CostNotes | undefined
  readonly leave: () => void
  readonly toAddress: () => void
}

export const walletScreen = (flow: WalletViewProps['flow']) => (props: Omit<WalletViewProps, 'flow'>) => (
  <WalletView flow={flow} {...props} />
)

const WalletView = ({ flow, order, CostNotes, leave, toAddress }: WalletViewProps) => {
  const words = useAllWords()
  const step = flow.step.value
  const run = (ask: SignatureInput) => void flow.run(ask)
  const list = () => run({ do: 'list' })
  const runIn = (ask: SignatureInput) => {
    enter()
    run(ask)
  }
  const toList = undo(list)
  // What else a wallet could pay with is not needed before it is connected, and a payment goes on without it.
  const Holdings = useOwnState<typeof HoldingList | undefined>(undefined)
  useEffect(() => {
    import('./holding-list.tsx').then(
      (module) => void (Holdings.value = module.HoldingList),
      () => undefined,
    )
  }, [])
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
  const others = (purse: Purse, shown: CurrencyRead) =>
    Holdings.value && (
      <Holdings.value
        order={order}
        CostNotes={CostNotes}
        holdings={purse.holdings}
        shown={shown}
        onChoose={(holding) => run({ do: 'choose', purse, holding })}
      />
    )
  switch (step?.at) {
    case undefined:
      return <List wallets={[]} looking url="" back={toWays} />
    case 'list':
      return (
        <List
          wallets={[...step.wallets, ...step.onSolana].sort((a, b) => Number(b.usedBefore) - Number(a.usedBefore))}
          looking={step.looking}
          url={pageUrl(order) + choiceQuery({ method: 'wallet', pick: false })}
          back={toWays}
          notice={
            <NoticeNote notice={step.notice} wallet={words.t('theWallet')} network={networkOf(words, order.fulfillment?.asset?.chain_id)} />
          }
          onPick={(wallet) => runIn('standard' in wallet ? { do: 'solana', input: { do: 'connect', wallet } } : { do: 'connect', wallet })}
          onPair={step.remote ? () => runIn({ do: 'pair' }) : undefined}
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
          <ReviewTerms order={order} review={review} isAsked={needs === 'resend'} />
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
              <button class="btn" onClick={() => run(needs === 'sign' ? { do: 'sign', review } : { do: 'resend', review })}>
                <Icon name={notice ? 'reload' : 'sign'} />
                {notice ? words.t('tryAgain') : words.t('signIn', { wallet })}
              </button>
              <Permission review={review} isAsked={needs === 'resend'} />
            </>
          )}
          {others(review, review.funds.currency)}
        </>
      )
    }
    case 'transfer':
      return <SendScreen step={step} order={order} CostNotes={CostNotes} run={run} toList={toList} others={others} back={toWays} />
    case 'signing': {
      const wallet = walletName(words, step.review.wallet)
      return (
        <>
          {toWallets}
          <Head title={words.t('continueIn', { wallet })}>{words.t('continueLead')}</Head>
          <ReviewTerms order={order} review={step.review} isAsked />
          <Permission review={step.review} isAsked />
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

interface OfReview {
  readonly review: Review
  /** A wallet was asked for it, so its time is set. */
  readonly isAsked: boolean
}

const ReviewTerms = ({ order, review, isAsked }: OfReview & { order: OrderRead }) => {
  const { wallet, funds, offer, connection } = review
  return (
    <Terms
      order={order}
      wallet={wallet}
      pays={funds}
      until={useValidUntil(review, isAsked)}
      fee={useAllWords().t('feeNone')}
      to={offer.payTo}
      from={connection.from}
    />
  )
}

const Permission = ({ review, isAsked }: OfReview) => {
  const time = useValidUntil(review, isAsked)
  return <SigningNote>{useAllWords().rich('signWhatText', { amount: <FundsText of={review.funds} />, time })}</SigningNote>
}

/** A service may say of an order no more than its id and status. */
const networkOf = (words: AllWords, chainId: number | undefined): string => (chainId === undefined ? '' : words.networkName(chainId))
