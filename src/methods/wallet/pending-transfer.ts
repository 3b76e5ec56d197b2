import type { FlowPorts } from '../method.ts'
import { openTransfer } from './ask-for-transfer.ts'
import { keepTransfer, pendingTransfer, storedTransfer } from './asked-transfer.ts'
import { type FindStep, listWallets } from './find-wallet.ts'
import { takeLock } from './lock.ts'
import type { TransferStep } from './pay-by-transfer.ts'

/** Lists the wallets, unless one may still send an earlier transfer for this order. */
export async function* listUnlessPending(ports: FlowPorts, signal: AbortSignal): AsyncGenerator<TransferStep, void> {
  const transfer = pendingTransfer(ports.order())
  if (!transfer) return yield* listWallets(ports, signal)
  yield { at: 'pending', transfer }
  // Its answer comes to this page, or to another tab, which has the lock for as long as its wallet asks.
  const { id } = ports.order()
  await openTransfer(id)?.sent.catch(() => undefined)
  const release = await takeLock(id, { wait: true, signal }).catch(() => undefined)
  release?.()
  if (signal.aborted) return
  await ports.refresh().catch(() => undefined)
  const now = pendingTransfer(ports.order())
  if (!now) return yield* listWallets(ports, signal)
  yield { at: 'pending', transfer: now }
}

/** The payer says that the request is gone. A transaction that the service can see proves the opposite. */
export async function* withdraw(ports: FlowPorts, signal: AbortSignal): AsyncGenerator<FindStep | TransferStep, void> {
  const { id } = ports.order()
  const release = await takeLock(id, { wait: false, signal })
  if (!release) return yield { at: 'elsewhere' }
  try {
    const stored = storedTransfer(id)
    const found = stored?.hash !== undefined && (await ports.api.findTransaction(id, stored.hash, signal).catch(() => undefined))?.found
    await ports.refresh().catch(() => undefined)
    if (signal.aborted) return
    if (found) return yield { at: 'sent', hash: stored?.hash }
    if (stored) keepTransfer(id, { ...stored, state: 'withdrawn' })
  } finally {
    release()
  }
  yield* listWallets(ports, signal)
}
