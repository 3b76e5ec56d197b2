import type { Logger } from 'pino'
import { ChainUnavailable, type Chain, type ConfiguredChain } from '../chains/chain.ts'
import { ChainMisconfigured } from '../chains/chain-misconfigured.ts'
import { createChain } from '../chains/create-chain.ts'
import type { Guard } from '../chains/guard.ts'
import type { ChainConfig } from '../chains/table.ts'
import { backoffMs, pause } from '../lib/pause.ts'
import { withDeadline } from '../lib/with-deadline.ts'

const firstCheckMs = 5_000
const laterCheckMs = 20_000

/**
 * Creates the chains and checks that each is what the configuration says. It rejects if one is not. A chain whose nodes do not answer must not
 * keep the others from starting: it is checked again until they do, and is out of use until then.
 */
export async function openChains(
  configs: readonly ChainConfig[],
  { guard, log, signal }: { readonly guard: Guard; readonly log: Pick<Logger, 'info' | 'warn' | 'error'>; readonly signal: AbortSignal },
): Promise<readonly Chain[]> {
  const chains = configs.map((config) => createChain(config, guard))
  const silent = await Promise.all(chains.map((chain) => isSilent(chain, signal)))
  chains.filter((_, i) => silent[i]).forEach((chain) => void checkUntilAnswered(chain, log, signal))
  return chains
}

async function isSilent(chain: ConfiguredChain, signal: AbortSignal): Promise<boolean> {
  try {
    await withDeadline(firstCheckMs, signal, chain.check)
    return false
  } catch (error) {
    const isOverdue = error instanceof DOMException && error.name === 'TimeoutError'
    if (isOverdue || error instanceof ChainUnavailable) return true
    throw error
  }
}

async function checkUntilAnswered(
  chain: ConfiguredChain,
  log: Pick<Logger, 'info' | 'warn' | 'error'>,
  signal: AbortSignal,
): Promise<void> {
  log.warn({ chain: chain.id }, 'no node of this chain answers; starting without it')
  for (let failures = 0; !signal.aborted; failures++) {
    await pause(backoffMs(failures, { firstMs: 1_000, longestMs: 30_000 }), signal)
    try {
      await withDeadline(laterCheckMs, signal, chain.check)
      log.info({ chain: chain.id }, 'a node of this chain answers; the chain is in use')
      return
    } catch (error) {
      if (signal.aborted) return
      if (error instanceof ChainMisconfigured) log.error({ chain: chain.id, err: error }, 'this chain is not what the configuration says')
      else log.warn({ chain: chain.id, err: error }, 'no node of this chain answers; it stays out of use')
    }
  }
}
