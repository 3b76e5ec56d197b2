import { mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import type { ChainId } from '../src/wire/chain.ts'
import type { EvmConfig } from '../server/chains/evm/evm-config.ts'
import { isEvm, parseChainTable } from '../server/chains/table.ts'
import { guard, operator, owner, payers, type LocalAccount } from './chains/accounts.ts'
import { startAnvil, type Anvil } from './chains/anvil.ts'
import { mine } from './chains/miner.ts'
import { seed } from './chains/seed.ts'
import { loadState, saveState } from './chains/state.ts'
import { tokens } from './chains/tokens.ts'
import { exchange } from './chains/uniswap.ts'
import { createMutex, type Mutex } from './chains/mutex.ts'

export interface LocalChains {
  readonly configs: readonly EvmConfig[]
  readonly chains: readonly FixtureChain[]
  readonly accounts: readonly LocalAccount[]
  readonly anvils: readonly Anvil[]
  /** The miner waits while a caller's callback runs in its chain's mutex, so the caller can mine blocks by hand. */
  readonly mutexes: ReadonlyMap<number, Mutex>
  /** Rejects when mining or saving fails. */
  readonly failed: Promise<never>
  /** Saves the chains now, so that a kill loses nothing that has happened before. */
  save(): Promise<void>
  stop(): Promise<void>
}

export interface FixtureChain {
  readonly chain_id: number
  readonly family: 'evm'
  readonly rpc_url: string
  readonly ws_url: string
  readonly tokens: readonly { symbol: string; address: string | null; decimals: number; eip3009: boolean }[]
}

export interface LocalChainsOptions {
  /** With a folder the chains survive a restart, and the next start resumes them. */
  readonly folder?: string
  readonly chainIds?: readonly ChainId[]
  /** Blocks are mined every `seconds` (fewer when idle), at each transaction, or only when the caller asks for one (`evm_mine`). */
  readonly mining?: { readonly seconds: number } | 'auto' | 'manual'
  readonly confirmations?: number
  readonly pollMs?: number
  readonly replaceAfterMs?: number
  /** A reorganisation can remove this many blocks (see AnvilOptions). */
  readonly rewindable?: number
}

export async function startLocalChains(options: LocalChainsOptions = {}): Promise<LocalChains> {
  const { folder, chainIds = [8453, 1], mining = { seconds: 1 }, rewindable } = options
  if (folder) mkdirSync(folder, { recursive: true, mode: 0o700 })
  const started = await Promise.allSettled(chainIds.map((chainId) => startChain(chainId, folder, mining, rewindable)))
  const running = started.flatMap((result) => (result.status === 'fulfilled' ? result.value : []))
  const stop = async () => {
    await Promise.all(running.map((chain) => chain.stop()))
  }
  const broken = started.find((result) => result.status === 'rejected')
  if (broken) {
    await stop()
    throw broken.reason
  }
  const anvils = running.map(({ anvil }) => anvil)
  const failed = Promise.race(running.map((chain) => chain.failed))
  failed.catch(() => {
    // Callers that care await `failed`. For the others the rejection must not end the process.
  })
  return {
    configs: configure(anvils, options),
    chains: anvils.map(fixture),
    accounts: payers,
    anvils,
    mutexes: new Map(running.map(({ anvil, mutex }) => [anvil.chainId, mutex])),
    failed,
    save: async () => {
      await Promise.all(running.map((chain) => chain.save()))
    },
    stop,
  }
}

interface RunningChain {
  readonly anvil: Anvil
  readonly mutex: Mutex
  readonly failed: Promise<never>
  save(): Promise<void>
  stop(): Promise<void>
}

async function startChain(
  chainId: ChainId,
  folder: string | undefined,
  mining: LocalChainsOptions['mining'],
  rewindable: number | undefined,
): Promise<RunningChain> {
  const pidFile = folder && join(folder, `${chainId}.pid`)
  const stateFile = folder && join(folder, `${chainId}.state`)
  const anvil = await startAnvil({ chainId, pidFile, rewindable })
  const stopping = new AbortController()
  const mutex = createMutex()
  const saving = createMutex()
  const save = async () => {
    if (stateFile) await saving(() => saveState(anvil, stateFile))
  }
  try {
    if (stateFile) await loadState(anvil, stateFile)
    await seed(anvil)
    await save()
    if (mining === 'auto') await anvil.ask(['evm_setAutomine', true])
  } catch (error) {
    await anvil.stop()
    throw error
  }
  const worker =
    typeof mining === 'object'
      ? mine(anvil, {
          seconds: mining.seconds,
          mutex,
          signal: stopping.signal,
          mined: stateFile ? saver(save) : async () => {},
        })
      : Promise.resolve()
  return {
    anvil,
    mutex,
    failed: new Promise((_, reject) => worker.catch(reject)),
    save,
    stop: async () => {
      stopping.abort()
      try {
        await worker
        await save()
      } finally {
        await anvil.stop()
        if (pidFile) rmSync(pidFile, { force: true })
      }
    },
  }
}

const longestPauseMs = 15_000

/**
 * Saving takes longer as a chain grows, so it may use about a twentieth of the time, and idle blocks are saved ten at a time. A kill loses the
 * blocks since the last time, so on a slow machine too the pause has an end.
 */
function saver(save: () => Promise<void>): (busy: boolean) => Promise<void> {
  let next = 0
  let idleBlocks = 0
  return async (busy) => {
    const start = performance.now()
    if (start < next || (!busy && ++idleBlocks < 10)) return
    idleBlocks = 0
    await save()
    const saved = performance.now()
    next = saved + Math.min((saved - start) * 20, longestPauseMs)
  }
}

function configure(anvils: readonly Anvil[], options: LocalChainsOptions): EvmConfig[] {
  const { confirmations = 2, pollMs = 200, replaceAfterMs = 10_000, mining = { seconds: 1 } } = options
  const entry = (anvil: Anvil) => ({
    chain_id: anvil.chainId,
    rpc_url: anvil.rpcUrl,
    confirmations,
    // The chains mine when there is something to mine, so their blocks have no rhythm.
    ...(typeof mining === 'object' && { block_seconds: mining.seconds }),
    tokens,
    operator: { env: 'OPERATOR' },
    exchange,
    poll_ms: pollMs,
    sweep_every_blocks: 5,
    replace_after_ms: replaceAfterMs,
  })
  return parseChainTable(
    { owner: owner.address, guard: { env: 'GUARD' }, chains: anvils.map(entry) },
    { OPERATOR: operator.private_key, GUARD: guard.private_key },
  ).filter(isEvm)
}

const fixture = (anvil: Anvil): FixtureChain => ({
  chain_id: anvil.chainId,
  family: 'evm',
  rpc_url: anvil.rpcUrl,
  ws_url: anvil.wsUrl,
  tokens: tokens.map(({ symbol, address, decimals, eip3009 }) => ({ symbol, address, decimals, eip3009: eip3009 !== undefined })),
})
