import type { ComponentChildren } from 'preact'
import { useAllWords } from '../../../i18n/words.ts'
import type { CurrencyRead } from '../../../wire/currency.ts'
import { sameCurrency } from '../../../wire/funds.ts'
import type { OrderRead } from '../../../wire/order-read.ts'
import type { Purse, SignatureInput, SignatureStep } from '../pay-by-signature.ts'
import { BackButton } from './back-button.tsx'
import type { CostNotes } from './holding-list.tsx'
import { SendView } from './send-view.tsx'

interface SendScreenProps {
  readonly step: Extract<SignatureStep, { at: 'transfer' }>
  readonly order: OrderRead
  readonly CostNotes: CostNotes | undefined
  readonly run: (input: SignatureInput) => void
  readonly toList: () => void
  /** Lists what else the wallet could pay with. */
  readonly others: (purse: Purse, shown: CurrencyRead) => ComponentChildren
  /** Leaves for another way to pay. */
  readonly back: ComponentChildren
}

/** A transfer as a screen of its own, with what else the wallet could pay with. */
export const SendScreen = ({ step: { step, purse }, order, CostNotes, run, toList, others, back }: SendScreenProps) => {
  const words = useAllWords()
  const currency = step.at === 'plan' || step.at === 'asking' ? step.plan.rest.due.currency : undefined
  const held = currency && purse?.holdings.find(({ due }) => sameCurrency(due.currency, currency))
  return (
    <SendView
      step={step}
      order={order}
      run={(input) => run({ do: 'transfer', purse, input })}
      back={step.at === 'pending' ? back : <BackButton onClick={toList} text={words.t('otherWallets')} />}
      onCheck={({ wallet }) => run({ do: 'connect', wallet })}
      onCancel={toList}
      fee={held?.fee}
      CostNotes={CostNotes}
    >
      {purse && currency && others(purse, currency)}
    </SendView>
  )
}
