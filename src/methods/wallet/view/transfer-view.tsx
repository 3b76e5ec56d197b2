import { useEffect, useRef } from 'preact/hooks'
import { useAllWords } from '../../../i18n/words.ts'
import type { Head } from '../../../ui/head.tsx'
import { Note } from '../../../ui/note.tsx'
import { chainFacts } from '../../../wire/chain-facts.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import type { RunningFlow } from '../../method.ts'
import type { Rest, TransferInput, TransferStep } from '../pay-by-transfer.ts'
import type { SolanaInput } from '../solana/pay-on-solana.ts'
import type { SolanaWallet } from '../solana/standard-wallets.ts'
import type { Wallet } from '../wallets.ts'
import { BackButton } from './back-button.tsx'
import { List } from './wallet-list.tsx'
import { NoticeNote } from './notice-note.tsx'
import { Pairing } from './pairing.tsx'
import { SendView } from './send-view.tsx'
import { SolanaView } from './solana-view.tsx'
import { Waiting } from './waiting.tsx'

interface TransferViewProps {
  readonly flow: RunningFlow<TransferInput, TransferStep>
  readonly order: OrderRead
  readonly rest: Rest
}

export const transferScreen = (flow: TransferViewProps['flow']) => (props: Omit<TransferViewProps, 'flow'>) => (
  <TransferView flow={flow} {...props} />
)

/** This is part of the screen with the deposit address, because a wallet sends what is still due to the same address. */
const TransferView = ({ flow, order, rest }: TransferViewProps) => {
  const words = useAllWords()
  const step = flow.step.value
  const last = useRef(rest.due.raw)
  const run = (ask: TransferInput) => void flow.run(ask)
  const toList = () => run({ do: 'list' })
  useEffect(() => {
    toList()
    return flow.stop
  }, [flow])
  // When the amount due changes, a plan for the old amount must not be sent, so the flow starts again.
  useEffect(() => {
    if (last.current === rest.due.raw) return
    last.current = rest.due.raw
    toList()
  }, [rest.due.raw])
  const isSolana = chainFacts(rest.due.currency.chain_id)?.family === 'solana'
  const back = <BackButton onClick={toList} text={words.t('otherWallets')} />
  switch (step?.at) {
    case undefined:
    case 'list':
      return (
        <List
          wallets={(isSolana ? step?.onSolana : step?.wallets) ?? []}
          looking={!step || (step.looking && !isSolana)}
          url={order.hosted_url ?? location.origin + location.pathname}
          notice={
            <NoticeNote notice={step?.notice} wallet={words.t('theWallet')} network={words.networkName(rest.due.currency.chain_id)} />
          }
          onPick={(wallet: Wallet | SolanaWallet) =>
            run('standard' in wallet ? { do: 'solana', input: { do: 'connect', wallet, rest } } : { do: 'connect', wallet, rest })
          }
          onPair={step?.remote && !isSolana ? () => run({ do: 'pair', rest }) : undefined}
        />
      )
    case 'connecting':
      return (
        <>
          {back}
          <Waiting wallet={step.wallet} slow={step.slow} />
        </>
      )
    case 'pairing':
      return <Pairing uri={step.uri} back={back} />
    case 'plan':
    case 'asking':
    case 'sent':
    case 'pending':
      return (
        <SendView
          step={step}
          run={run}
          back={step.at === 'pending' ? null : back}
          onCheck={({ wallet }) => run({ do: 'connect', wallet, rest })}
        />
      )
    case 'solana':
      return (
        <SolanaView
          step={step.step}
          order={order}
          run={(input) => run({ do: 'solana', input: again(input, rest) })}
          leave={toList}
          head={RestHead}
        />
      )
    case 'elsewhere':
      return (
        <Note live>
          <p>{words.t('elsewhereLead')}</p>
        </Note>
      )
    default:
      return step satisfies never
  }
}

/** The screen around it has a title of its own. */
const RestHead: typeof Head = ({ title, children }) => (
  <Note live title={title}>
    {children && <p>{children}</p>}
  </Note>
)

/** Whoever connects again still pays the rest. */
const again = (input: SolanaInput, rest: Rest): SolanaInput => (input.do === 'connect' ? { ...input, rest } : input)
