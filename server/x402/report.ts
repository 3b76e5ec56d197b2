import type { Report, SendOutcome } from '../chains/sender.ts'
import type { Tx } from '../store/connect.ts'
import { type Authorization, changeAuthorization } from './authorizations.ts'
import type { Waiting } from './waiting.ts'

/** The library's word for a transaction that the chain undid. Why, is asked when somebody wants to know. */
const transactionFailed = 'invalid_exact_evm_transaction_failed'

/** What became of an authorisation's transaction, written down where the sending queue marks it told. The order's row is locked by then. */
export const x402Report =
  (waiting: Waiting): Report =>
  async (tx, { purpose: { ref } }, outcome) => {
    const colon = ref.lastIndexOf(':')
    const one = { id: ref.slice(0, colon), attempt: Number(ref.slice(colon + 1)) }
    await write(tx, one, outcome)
    return () => waiting.ring(one.id)
  }

const write = async (tx: Tx, one: Pick<Authorization, 'id' | 'attempt'>, outcome: SendOutcome): Promise<unknown> => {
  switch (outcome.state) {
    case 'broadcast':
      return changeAuthorization(tx, one, ['pending'], { state: 'pending', txHash: outcome.txHash })
    case 'mined':
    case 'confirmed': {
      const { ok, txHash } = outcome.receipt
      // Undone: what a stranger's transaction did with the same signature may already be on the books, and stays.
      return ok
        ? changeAuthorization(tx, one, ['pending', 'refused', 'settled'], { state: 'settled', txHash })
        : changeAuthorization(tx, one, ['pending'], { state: 'refused', reason: transactionFailed })
    }
    case 'unmined':
      return tx`
        update x402_authorizations set state = 'pending', updated_at = now()
        where id = ${one.id} and attempt = ${one.attempt} and tx_hash = ${outcome.txHash} and state in ('settled', 'refused')`
    case 'refused':
      return changeAuthorization(tx, one, ['pending'], { state: 'refused', reason: transactionFailed })
    default:
      return outcome satisfies never
  }
}
