import type { Step } from '../../order/step.ts'
import { LeastTransfer } from './least-transfer.tsx'
import { Misdirected } from './misdirected.tsx'
import { Received } from './received.tsx'
import { Gone } from './replaced.tsx'
import { Timer } from './timer.tsx'
import { WaitAhead } from './wait.tsx'

/** These notes are loaded with the secondary screens, because a new order has no transfers and much time left. */
export const PayNotes = ({ step: { funding, until, lapsed } }: { step: Extract<Step, { at: 'pay' }> }) => {
  return (
    <>
      {funding.received + funding.seen === 0n && (
        <>
          <WaitAhead />
          <LeastTransfer currency={funding.currency} />
        </>
      )}
      <Gone />
      <Misdirected due={{ raw: funding.due, currency: funding.currency }} />
      <Timer until={until} lapsed={lapsed} currency={funding.currency} />
      {funding.received + funding.seen > 0n && <Received funding={funding} />}
    </>
  )
}
