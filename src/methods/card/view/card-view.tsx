import { useEffect } from 'preact/hooks'
import { FundsText } from '../../../i18n/amount-text.tsx'
import { isCharged } from '../../../wire/is-charged.ts'
import { useAllWords, type AllWords } from '../../../i18n/words.ts'
import { type Fact, Facts } from '../../../ui/facts.tsx'
import { Head } from '../../../ui/head.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Note } from '../../../ui/note.tsx'
import { cardPageOf, type CardStepData, cardStepOf } from '../../../wire/card-step.ts'
import { isCardOver } from '../../../wire/is-card-over.ts'
import { parseUnits } from '../../../wire/money.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import type { ProblemCode } from '../../../wire/problems.ts'
import type { RunningFlow } from '../../method.ts'
import type { CardInput, CardStep } from '../pay-by-card.ts'
import { useOwnState } from '../../../ui/own-state.ts'

interface CardViewProps {
  readonly flow: RunningFlow<CardInput, CardStep>
  readonly order: OrderRead
  readonly leave: () => void
  readonly toAddress: () => void
}

export const cardScreen = (flow: CardViewProps['flow']) => (props: Omit<CardViewProps, 'flow'>) => <CardView flow={flow} {...props} />

/** Card details are entered on the provider's page only. This screen shows the total before it opens that page. */
const CardView = ({ flow, order, leave, toAddress }: CardViewProps) => {
  const words = useAllWords()
  const step = flow.step.value
  const data = cardStepOf(order)
  const requestPage = () => void flow.run({ do: 'open' })
  useEffect(() => {
    requestPage()
    return flow.stop
  }, [flow])
  if (data && isCharged(order)) {
    return (
      <>
        <Head seal="spin" title={words.t('cardOnItsWay')}>
          {words.t('cardOnItsWayLead')}
        </Head>
        <Total of={data} order={order} />
      </>
    )
  }
  const back = (
    <button class="link" onClick={leave}>
      <Icon name="back" />
      {words.t('otherWays')}
    </button>
  )
  if (step?.at === 'refused' || (data && isCardOver(data) && step?.at !== 'asking')) {
    const message = step?.at === 'refused' ? step.message : data && messageOf(words, data)
    return (
      <>
        {back}
        <Head seal="warn" title={words.t('cardOver')}>
          {message}
        </Head>
        <button class="btn" onClick={requestPage}>
          <Icon name="reload" />
          {words.t('tryAgain')}
        </button>
        <button class="link" onClick={toAddress}>
          {words.t('addressInstead')}
          <Icon name="next" />
        </button>
      </>
    )
  }
  const url = data && !isCardOver(data) ? cardPageOf(data) : undefined
  return (
    <>
      {back}
      <Head title={words.t('cardAct')}>{words.t('cardLead')}</Head>
      {data && url ? <ContinueLink of={data} order={order} url={url} /> : <div class="sk" />}
    </>
  )
}

const messageOf = (words: AllWords, { problem, message }: CardStepData) => words.t(`why_${problem as ProblemCode}`) || message

const ContinueLink = ({ of: data, order, url }: { of: CardStepData; order: OrderRead; url: string }) => {
  const words = useAllWords()
  const isFollowed = useOwnState(false)
  const message = messageOf(words, data)
  const needsIdentity = data.status === 'requires_identity'
  return (
    <>
      <Total of={data} order={order} />
      {(message || needsIdentity) && (
        <Note icon="warn" tone="warn" live>
          <p>{message ?? words.t('cardIdentity')}</p>
        </Note>
      )}
      <a class="btn" href={url} target="_blank" rel="noopener noreferrer" onClick={() => void (isFollowed.value = true)}>
        {words.t('cardContinue')}
        <Icon name="out" />
      </a>
      {isFollowed.value && (
        <p class="soft" role="status">
          {words.t('finishThere')}
        </p>
      )}
    </>
  )
}

const Total = ({ of: { quote, destination_amount: gets }, order }: { of: CardStepData; order: OrderRead }) => {
  const words = useAllWords()
  const asset = order.fulfillment?.asset
  const raw = asset && gets !== undefined ? parseUnits(gets, asset.decimals) : undefined
  const total: Fact | undefined = quote && [
    words.t('cardTotal'),
    <b class="num">{words.fiat(quote.source_total_amount, quote.source_currency.toUpperCase())}</b>,
  ]
  const received: Fact | undefined =
    asset && raw !== undefined ? [words.t('cardGets'), <FundsText of={{ raw, currency: asset }} />] : undefined
  return <Facts card of={[total, received]} />
}
