import type { FlowPorts } from '../method.ts'
import { outcomeOf } from './ask-for-transfer.ts'
import { type AskedTransfer, forgetTransfer, keepTransfer } from './asked-transfer.ts'
import { pause } from './pause.ts'
import type { Provider } from './provider.ts'

const everyMs = 3_000

/** Follows what a wallet has sent. Resolves to 'failed' if the network has refused it, and otherwise when it is in a block or the payer leaves. */
export const followTransfer = async (
  ports: FlowPorts,
  provider: Provider,
  sent: AskedTransfer,
  signal: AbortSignal,
): Promise<'failed' | undefined> => {
  const { id } = ports.order()
  if (sent.hash) await report(ports, sent.hash, signal)
  while (!signal.aborted) {
    await pause(everyMs, signal)
    const outcome = await outcomeOf(provider, sent).catch(() => undefined)
    if (!outcome || signal.aborted) continue
    if (outcome === 'failed') {
      forgetTransfer(id)
      return outcome
    }
    if (!sent.hash) {
      keepTransfer(id, { ...sent, hash: outcome })
      await report(ports, outcome, signal)
    }
    return undefined
  }
  return undefined
}

/** Reporting the hash only makes the service see the payment sooner, so a failure is ignored. */
const report = async ({ api, order, refresh }: FlowPorts, hash: string, signal: AbortSignal): Promise<void> => {
  await api.findTransaction(order().id, hash, signal).catch(() => undefined)
  await refresh().catch(() => undefined)
}
