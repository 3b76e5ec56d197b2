import { getBase64EncodedWireTransaction, getSignatureFromTransaction } from '@solana/kit'
import { transaction } from '../../../database/transaction.ts'
import { backoffMs } from '../../../lib/pause.ts'
import { ChainUnavailable } from '../../chain.ts'
import { currentUnitPrice, raised } from '../unit-price.ts'
import { type Driver, type Prepare, reportOutcome } from './driver.ts'
import { insertAttempt, isSent, markFailed, payoutsDue, postpone, type QueuedPayout, type Task } from './payout-queue.ts'
import { prepareClosing, prepareOpening } from './prepare-account.ts'
import { prepareCountersigning } from './prepare-countersigning.ts'
import { preparePayment } from './prepare-payment.ts'

const readAtOnce = 50
const waits = { firstMs: 1_000, longestMs: 600_000 }

const preparing: Readonly<Record<Task, Prepare>> = {
  pay: preparePayment,
  open: prepareOpening,
  close: prepareClosing,
  countersign: prepareCountersigning,
}

/** Signs what is due. A payout that cannot be sent yet, that never can, or whose report fails, holds up no other. */
export async function sendPayouts(driver: Driver, signal: AbortSignal): Promise<void> {
  const payouts = await payoutsDue(driver.sql, driver.config.chainId, readAtOnce)
  if (payouts.length === 0) return
  const price = await currentUnitPrice(driver.rpc, driver.config, signal)
  for (const payout of payouts) {
    try {
      await sendPayout(driver, payout, raised(price, payout.failures, driver.config.unitPrice.most), signal)
    } catch (error) {
      signal.throwIfAborted()
      if (error instanceof ChainUnavailable) throw error
      // The payout itself backs off, and the others go on as usual.
      driver.onProblem(error)
      await postpone(driver.sql, payout.id, backoffMs(payout.failures, waits), String(error))
    }
  }
}

async function sendPayout(driver: Driver, payout: QueuedPayout, unitPrice: bigint, signal: AbortSignal): Promise<void> {
  const { sql, config, signer } = driver
  const prepared = await preparing[payout.task](driver, payout, unitPrice, signal)
  if ('refused' in prepared) return fail(driver, payout, prepared.refused)
  const { unsigned, keys, lastValidHeight, paid, dust } = prepared
  const signed = await signer.sign(unsigned, keys, signal)
  const signature = getSignatureFromTransaction(signed as never)
  // What a payer has signed once is one transaction, however often he hands it in.
  if (payout.task === 'countersign' && (await isSent(sql, config.chainId, signature)))
    return fail(driver, payout, 'This transaction was sent before.')
  const attempt = { signature, raw: getBase64EncodedWireTransaction(signed), lastValidHeight, paid, dust }
  await transaction(sql, (tx) => insertAttempt(tx, config.chainId, payout.id, attempt))
}

async function fail(driver: Driver, payout: QueuedPayout, reason: string): Promise<void> {
  await reportOutcome(driver, payout, { state: 'failed', reason, cause: 'reverts' }, (tx) => markFailed(tx, payout.id, reason))
}
