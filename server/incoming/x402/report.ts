import type { PayoutOutcome, Report } from '../../chains/payouts.ts'
import { gasLimitExceeded, type X402Scheme } from '../../chains/x402.ts'
import type { Engine } from '../../orders/engine.ts'
import { record } from '../../orders/record.ts'
import type { Tx } from '../../database/connect.ts'
import { afterCommit } from '../../database/transaction.ts'
import { type Authorization, authorizationById, changeAuthorization } from './authorizations.ts'
import type { Outcomes } from './outcomes.ts'
import { schemeOf } from './scheme-of.ts'

/**
 * Records the outcome after `reportToOrder` has locked the order's row. A failed attempt releases its claim, so every other way to pay is
 * open again, except another signature: whoever holds the first may still broadcast it, and both would take the payer's money. So another
 * signature gets 409 until the first has provably failed, which usually takes minutes, since x402.ts bounds `validBefore`. What only the operator
 * can broadcast has provably failed with his attempt.
 */
export const x402Report =
  (engine: Engine, outcomes: Outcomes): Report =>
  async (tx, { chainId, purpose: { orderId, ref } }, outcome) => {
    const colon = ref.lastIndexOf(':')
    const authorization = { id: ref.slice(0, colon), attempt: Number(ref.slice(colon + 1)) }
    const changed = await write(tx, authorization, outcome, schemeOf(engine, chainId).scheme)
    if (changed?.state === 'refused' || changed?.state === 'failed') await record(engine, orderId, { type: 'unauthorized' }, tx)
    afterCommit(tx, () => outcomes.changed(authorization.id))
  }

async function write(
  tx: Tx,
  authorization: Attempt,
  outcome: PayoutOutcome,
  { transactionFailed }: X402Scheme,
): Promise<Authorization | undefined> {
  switch (outcome.state) {
    case 'broadcast':
      return changeAuthorization(tx, authorization, ['pending'], { state: 'pending', txHash: outcome.txHash })
    case 'mined':
      // The transaction may have reverted because somebody else broadcast the same signature. A payment already recorded stays recorded.
      return outcome.ok ? settled(tx, authorization, outcome.txHash) : refused(tx, authorization, transactionFailed)
    case 'confirmed':
      return settled(tx, authorization, outcome.txHash)
    case 'unmined':
      // The signature is in flight again, but the order is not claimed again: the first money to arrive decides, as for any other payment.
      await tx`
        update x402_authorizations set state = 'pending', updated_at = now()
        where id = ${authorization.id} and attempt = ${authorization.attempt} and tx_hash = ${outcome.txHash} and state in ('settled', 'refused')`
      return undefined
    case 'waiting':
    case 'approved':
      // No guard signs for a payer's transfer.
      return undefined
    case 'failed':
      return refused(tx, authorization, outcome.cause === 'gas' ? gasLimitExceeded : transactionFailed)
    default:
      return outcome satisfies never
  }
}

type Attempt = Pick<Authorization, 'id' | 'attempt'>

const settled = (tx: Tx, attempt: Attempt, txHash: string) =>
  changeAuthorization(tx, attempt, ['pending', 'refused', 'settled'], { state: 'settled', txHash })

async function refused(tx: Tx, attempt: Attempt, reason: string): Promise<Authorization | undefined> {
  const authorization = await authorizationById(tx, attempt.id)
  const state = authorization?.validBefore === undefined ? 'failed' : 'refused'
  return changeAuthorization(tx, attempt, ['pending'], { state, reason })
}
