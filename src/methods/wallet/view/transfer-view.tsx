import { useEffect, useRef } from 'preact/hooks'
import { useAllWords } from '../../../i18n/words.ts'
import { useTitleFocus } from '../../../ui/title-focus.ts'
import { chainFacts } from '../../../wire/chain-facts.ts'
import type { NetworkFee } from '../../../wire/currency.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import type { RunningFlow } from '../../method.ts'
import type { Rest, TransferInput, TransferStep } from '../pay-by-transfer.ts'
import type { SolanaInput } from '../solana/pay-on-solana.ts'
import type { SolanaWallet } from '../solana/standard-wallets.ts'
import type { Wallet } from '../wallets.ts'
import { BackButton } from './back-button.tsx'
import { Connecting } from './connecting.tsx'
import { Elsewhere } from './elsewhere.tsx'
import { enter, undo } from './history-entry.ts'
import { List } from './wallet-list.tsx'
import { NoticeNote } from './notice-note.tsx'
import { Pairing } from './pairing.tsx'
import { SendView } from './send-view.tsx'
import { SolanaView } from './solana-view.tsx'
import { pageUrl } from './surroundings.ts'

interface TransferViewProps {
  readonly flow: RunningFlow<TransferInput, TransferStep>
  readonly order: OrderRead
  readonly rest: Rest
  readonly fee: NetworkFee | undefined
  readonly leave: () => void
}

export const transferScreen = (flow: TransferViewProps['flow']) => (props: Omit<TransferViewProps, 'flow'>) => (
  <TransferView flow={flow} {...props} />
)

/** Sends what is still due to the deposit address. The browser's Back leads to the address. */
const TransferView = ({ flow, order, rest, fee, leave }: TransferViewProps) => {
  const words = useAllWords()
  const step = flow.step.value
  const last = useRef(rest.due.raw)
  const run = (ask: TransferInput) => void flow.run(ask)
  const toList = () => run({ do: 'list' })
  useEffect(() => {
    enter()
    toList()
    addEventListener('popstate', leave)
    return () => {
      removeEventListener('popstate', leave)
      flow.stop()
    }
  }, [flow])
  // When the amount due changes, a plan for the old amount must not be sent, so the flow starts again.
  useEffect(() => {
    if (last.current === rest.due.raw) return
    last.current = rest.due.raw
    toList()
  }, [rest.due.raw])
  useTitleFocus(step?.at === 'solana' ? step.step.at : step?.at)
  const isSolana = chainFacts(rest.due.currency.chain_id)?.family === 'solana'
  const toAddress = <BackButton onClick={undo(leave)} text={words.t('backToAddress')} />
  const toWallets = <BackButton onClick={toList} text={words.t('otherWallets')} />
  switch (step?.at) {
    case undefined:
    case 'list':
      return (
        <List
          wallets={(isSolana ? step?.onSolana : step?.wallets) ?? []}
          looking={!step || (step.looking && !isSolana)}
          url={pageUrl(order)}
          back={toAddress}
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
      return <Connecting step={step} back={toWallets} onCancel={toList} />
    case 'pairing':
      return <Pairing uri={step.uri} back={toWallets} />
    case 'plan':
    case 'asking':
    case 'sent':
    case 'pending':
      return (
        <>
          {step.at === 'sent' && toAddress}
          <SendView
            step={step}
            order={order}
            run={run}
            back={step.at === 'pending' ? toAddress : toWallets}
            onCheck={({ wallet }) => run({ do: 'connect', wallet, rest })}
            onCancel={toList}
            fee={fee}
          />
        </>
      )
    case 'solana':
      return (
        <>
          {(step.step.at === 'sent' || step.step.at === 'elsewhere') && toAddress}
          <SolanaView step={step.step} order={order} run={(input) => run({ do: 'solana', input: again(input, rest) })} leave={toList} />
        </>
      )
    case 'elsewhere':
      return <Elsewhere back={toAddress} />
    default:
      return step satisfies never
  }
}

/** Whoever connects again still pays the rest. */
const again = (input: SolanaInput, rest: Rest): SolanaInput => (input.do === 'connect' ? { ...input, rest } : input)
