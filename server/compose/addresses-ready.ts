import type { Logger } from 'pino'
import type { Chain } from '../chains/chain.ts'
import { isDatabaseUnreachable } from '../database/unreachable.ts'
import { pause } from '../lib/pause.ts'
import { withDeadline } from '../lib/with-deadline.ts'
import type { Engine } from '../orders/engine.ts'

type Parts = Pick<Engine, 'sql'> & { readonly log: Pick<Logger, 'warn' | 'error'> }

const lookEveryMs = 500
const afterFailureMs = 5_000
const startMs = 5_000

/** Makes addresses before the first order asks for one. A signer that does not answer must not keep the service from starting. */
export async function makeFirstAddresses(parts: Parts, chains: readonly Chain[], signal: AbortSignal): Promise<void> {
  await Promise.all(chains.map((chain) => withDeadline(startMs, signal, (deadline) => prepare(parts, chain, deadline))))
}

export async function keepAddressesReady(parts: Parts, chain: Chain, signal: AbortSignal): Promise<void> {
  if (!chain.deposits.prepare) return
  while (!signal.aborted) await pause((await prepare(parts, chain, signal)) ? lookEveryMs : afterFailureMs, signal)
}

async function prepare({ sql, log }: Parts, { id, deposits }: Chain, signal: AbortSignal): Promise<boolean> {
  try {
    await deposits.prepare?.(sql, signal)
    return true
  } catch (error) {
    if (signal.aborted) return false
    const details = { err: error, chain: id }
    // Nobody has to do anything about a database that restarts, and without it there are no new orders either.
    if (isDatabaseUnreachable(error)) log.warn(details, 'cannot make addresses ahead of orders without the database; retrying')
    else log.error(details, 'cannot make addresses ahead of orders; new orders fail once they are used up')
    return false
  }
}
