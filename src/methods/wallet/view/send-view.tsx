import type { ComponentChildren } from 'preact'
import { FundsText } from '../../../i18n/amount-text.tsx'
import { useAllWords } from '../../../i18n/words.ts'
import { Head } from '../../../ui/head.tsx'
import type { NetworkFee } from '../../../wire/currency.ts'
import { fiatOf } from '../../../wire/fiat.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import type { Plan, SendStep, TransferInput } from '../pay-by-transfer.ts'
import type { CostNotes } from './holding-list.tsx'
import { NoticeNote } from './notice-note.tsx'
import { walletName } from './wallet-name.ts'
import { Terms } from './terms.tsx'
import { Waiting } from './waiting.tsx'

interface SendViewProps {
  readonly step: SendStep
  readonly order: OrderRead
  readonly run: (input: TransferInput) => void
  readonly back: ComponentChildren
  /** Connects the wallet again and checks what it holds. */
  readonly onCheck: (plan: Plan) => void
  readonly onCancel: () => void
  /** What the network asks for the transfer, in fiat. */
  readonly fee?: NetworkFee
  readonly CostNotes?: CostNotes | undefined
  /** This is shown below a plan. */
  readonly children?: ComponentChildren
}

/** A transfer that the payer confirms in a wallet, from the plan until it is sent. */
export const SendView = ({ step, order, run, back, onCheck, onCancel, fee, CostNotes, children }: SendViewProps) => {
  const words = useAllWords()
  switch (step.at) {
    case 'plan': {
      const { plan, needs, notice } = step
      const wallet = walletName(words, plan.wallet)
      const network = words.networkName(plan.rest.due.currency.chain_id)
      return (
        <>
          {back}
          <NoticeNote notice={notice} wallet={wallet} network={network} />
          <Head title={words.t('sendCheckTitle')} />
          <PlanFacts plan={plan} order={order} fee={fee} CostNotes={CostNotes} />
          {needs === 'send' && (
            <button class="btn" onClick={() => run({ do: 'send', plan })}>
              {words.t('sendIn', { wallet })}
            </button>
          )}
          {needs === 'switch' && (
            <button class="btn" onClick={() => run({ do: 'switch', plan })}>
              {words.t('switchTo', { network })}
            </button>
          )}
          {needs === 'money' && (
            <button class="btn" onClick={() => onCheck(plan)}>
              {words.t('checkAgain')}
            </button>
          )}
          {children}
        </>
      )
    }
    case 'asking':
      return (
        <>
          {back}
          <Head title={words.t('continueIn', { wallet: walletName(words, step.plan.wallet) })}>{words.t('continueLead')}</Head>
          <PlanFacts plan={step.plan} order={order} fee={fee} CostNotes={CostNotes} />
          <Waiting wallet={step.plan.wallet} slow={step.slow} onCancel={onCancel} />
        </>
      )
    case 'sent':
      return (
        <Head seal="spin" title={words.t('sentTitle')}>
          {words.t('restSent')}
        </Head>
      )
    case 'pending': {
      const { transfer, notice } = step
      const wallet = walletName(words, { name: transfer.wallet })
      const amount = words.funds(transfer.due)
      const text = words.t(transfer.state === 'sent' ? 'pendingSent' : 'pendingLead', { wallet, amount })
      return (
        <>
          {back}
          <NoticeNote notice={notice} wallet={wallet} />
          <Head title={words.t('pendingTitle', { wallet })}>{text}</Head>
          <p class="soft">{words.t('pendingAgainLead')}</p>
          <button class="btn two" onClick={() => run({ do: 'withdraw' })}>
            {words.t('pendingAgain')}
          </button>
        </>
      )
    }
    default:
      return step satisfies never
  }
}

/** An estimate says nothing beyond its first two digits. */
function roundUp(raw: bigint): bigint {
  const step = 10n ** BigInt(Math.max(0, String(raw).length - 2))
  return ((raw + step - 1n) / step) * step
}

interface PlanFactsProps {
  readonly plan: Plan
  readonly order: OrderRead
  readonly fee: NetworkFee | undefined
  readonly CostNotes: CostNotes | undefined
}

const PlanFacts = ({ plan: { wallet, connection, rest, fee: coins }, order, fee, CostNotes }: PlanFactsProps) => {
  const words = useAllWords()
  const total = fee && fiatOf(order, rest.due, fee)
  const cost = fee ? (
    <span class="num">{words.fiat(String(fee.amount), fee.unit)}</span>
  ) : (
    coins && <FundsText of={{ ...coins, raw: roundUp(coins.raw) }} />
  )
  return (
    <Terms
      order={order}
      wallet={wallet}
      pays={rest.due}
      converted={CostNotes && <CostNotes order={order} cost={fiatOf(order, rest.due)} fee={undefined} isOfTokens />}
      fee={cost && words.rich('feeAbout', { fee: cost })}
      total={total}
      included={total && CostNotes && <CostNotes order={order} cost={total} fee={fee} />}
      to={rest.to}
      from={connection.from}
    />
  )
}
