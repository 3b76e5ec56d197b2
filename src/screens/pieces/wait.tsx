import { useAllWords } from '../../i18n/words.ts'
import { fiatOf } from '../../order/fiat.ts'
import { includedFee } from '../../order/included-fee.ts'
import { waitOf } from '../../order/wait.ts'
import type { Transfer } from '../../order/transfers.ts'
import { Note } from '../../ui/note.tsx'
import { usePage } from './page-context.ts'

/** Says before the payer sends how long the confirmation will take, where that is minutes, and what of the price is for the network. */
export const WaitAhead = () => {
  const order = usePage().checkout.order.value
  const wait = waitOf(order)
  const fee = includedFee(order)
  const worth = fee && fiatOf(order, fee)
  const words = useAllWords()
  if (!wait) return null
  const blocks = { from: words.count(wait.blocks.from), to: words.count(wait.blocks.to) }
  return (
    <p class="soft">
      {words.plural('slowAhead', wait.minutes)} {words.t('slowBlocks', blocks)}{' '}
      {fee &&
        words.rich('feeIncluded', { fee: <span class="num">{worth ? words.fiat(worth.decimal, worth.unit) : words.funds(fee)}</span> })}
    </p>
  )
}

/** A transfer may wait far longer than estimated, and a payer who does not know that would pay again. */
export const WaitsLong = () => {
  const words = useAllWords()
  return (
    <Note icon="clock" live>
      <p>{words.t('slowLong')}</p>
    </Note>
  )
}

/** Returns whether the transfer should have been confirmed by now. It is never true where a payer waits for seconds only. */
export function useIsOverdue(transfer: Transfer | undefined): boolean {
  const { checkout, clock } = usePage()
  const wait = waitOf(checkout.order.value)
  return (
    wait !== undefined && transfer?.at !== undefined && transfer.state === 'seen' && clock.now.value > transfer.at + wait.seconds * 1000
  )
}
