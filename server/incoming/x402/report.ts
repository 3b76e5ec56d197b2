import type { Report, SendOutcome } from '../../chains/sender.ts'
import type { Engine } from '../../orders/engine.ts'
import { record } from '../../orders/record.ts'
import type { Tx } from '../../database/connect.ts'
import { afterCommit } from '../../database/transaction.ts'
import { type Authorization, changeAuthorization } from './authorizations.ts'
import type { Outcomes } from './outcomes.ts'

/** The library's reason for a transaction that reverted. Why it did is asked for when somebody sends the signature again. */
export const transactionFailed = 'invalid_exact_evm_transaction_failed'
/** Our own reason: a contract wallet takes more gas to check its signature than the operator pays for. */
export const gasLimitExceeded = 'gas_limit_exceeded'

/**
 * Writes the outcome of an authorisation's transaction in the transaction in which the sending queue marks it reported. The order's row
 * is locked by then.
 *
 * An attempt that failed reserves nothing any more: every other way to pay is open again at once. Another *signature* is a different
 * matter. Whoever holds the first may still bring it to the chain, and both would take the payer's money; so another gets 409 until the
 * first has provably failed, which is minutes away, since `validBefore` is bounded (x402.ts).
 */
export const x402Report =
  (engine: Engine, outcomes: Outcomes): Report =>
  async (tx, { purpose: { orderId, ref } }, outcome) => {
    const colon = ref.lastIndexOf(':')
    const authorization = { id: ref.slice(0, colon), attempt: Number(ref.slice(colon + 1)) }
    const changed = await write(tx, authorization, outcome)
    if (changed?.state === 'refused') await record(engine, orderId, { type: 'unauthorized' }, tx)
    afterCommit(tx, () => outcomes.changed(authorization.id))
  }

async function write(
  tx: Tx,
  authorization: Pick<Authorization, 'id' | 'attempt'>,
  outcome: SendOutcome,
): Promise<Authorization | undefined> {
  switch (outcome.state) {
    case 'broadcast':
      return changeAuthorization(tx, authorization, ['pending'], { state: 'pending', txHash: outcome.txHash })
    case 'mined':
    case 'confirmed': {
      const { ok, txHash } = outcome.receipt
      // When it reverted, a stranger's transaction may have paid with the same signature. If that is recorded already, it stays.
      return ok
        ? changeAuthorization(tx, authorization, ['pending', 'refused', 'settled'], { state: 'settled', txHash })
        : changeAuthorization(tx, authorization, ['pending'], { state: 'refused', reason: transactionFailed })
    }
    case 'unmined':
      // It is under way again. What it had reserved stays free: the first money to arrive decides, as it does for every other way to pay.
      await tx`
        update x402_authorizations set state = 'pending', updated_at = now()
        where id = ${authorization.id} and attempt = ${authorization.attempt} and tx_hash = ${outcome.txHash} and state in ('settled', 'refused')`
      return undefined
    case 'refused':
      return changeAuthorization(tx, authorization, ['pending'], {
        state: 'refused',
        reason: outcome.cause === 'gas' ? gasLimitExceeded : transactionFailed,
      })
    default:
      return outcome satisfies never
  }
}
