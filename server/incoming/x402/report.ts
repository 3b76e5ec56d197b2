import type { Report, SendOutcome } from '../../chains/sender.ts'
import type { Engine } from '../../orders/engine.ts'
import { record } from '../../orders/record.ts'
import type { Tx } from '../../database/connect.ts'
import { afterCommit } from '../../database/transaction.ts'
import { type Authorization, changeAuthorization } from './authorizations.ts'
import type { Waiting } from './wait-for-outcome.ts'

/** The library's word for a transaction that the chain undid. Why, is asked when somebody wants to know. */
const transactionFailed = 'invalid_exact_evm_transaction_failed'
/** Ours: a contract wallet wants more gas for its signature than the operator pays for. */
export const gasLimitExceeded = 'gas_limit_exceeded'

/**
 * What became of an authorisation's transaction, written down where the sending queue marks it told. The order's row is locked by then.
 *
 * An attempt that failed reserves nothing any more: every other way to pay is open again at once. Another *signature* is a different
 * matter. Whoever holds the first may still bring it to the chain, and both would take the payer's money; so it gets 409 until the first
 * has provably failed, which is minutes away, since `validBefore` is bounded (see x402.ts).
 */
export const x402Report =
  (engine: Engine, waiting: Waiting): Report =>
  async (tx, { purpose: { orderId, ref } }, outcome) => {
    const colon = ref.lastIndexOf(':')
    const authorization = { id: ref.slice(0, colon), attempt: Number(ref.slice(colon + 1)) }
    const changed = await write(tx, authorization, outcome)
    if (changed?.state === 'refused') {
      await record(engine, orderId, { type: 'unauthorized' }, tx)
    }
    afterCommit(tx, () => waiting.ring(authorization.id))
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
      // Undone: what a stranger's transaction did with the same signature may already be on the books, and stays.
      return ok
        ? changeAuthorization(tx, authorization, ['pending', 'refused', 'settled'], { state: 'settled', txHash })
        : changeAuthorization(tx, authorization, ['pending'], { state: 'refused', reason: transactionFailed })
    }
    case 'unmined':
      // It is in flight again. What it had reserved stays free: where money goes first decides, as it does for every other way to pay.
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
