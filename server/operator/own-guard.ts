import { codecs } from '../../src/wire/addresses/codecs.ts'
import { createRpc } from '../chains/evm/rpc.ts'
import { createSigner } from '../chains/evm/signer.ts'
import type { EvmConfig } from '../chains/evm/evm-config.ts'
import type { GuardedChain } from '../guard/check-own-guard.ts'
import { UsageError } from './command.ts'

/** Reads `--guard`. Undefined means the operator's guard. */
export function ownGuardOf(text: string): string | undefined {
  if (text === 'operator') return undefined
  const addresses = codecs.evm.addressesOn('main')
  const parsed = addresses.parse(text)
  if ('address' in parsed && parsed.address !== addresses.nobody) return parsed.address
  if ('address' in parsed) throw new UsageError('--guard is the zero address, which can sign nothing.')
  if (parsed.problem === 'checksum')
    throw new UsageError(`--guard ${text} has a wrong checksum: a character may be mistyped. Copy it again.`)
  throw new UsageError(`--guard must be an EVM address or "operator", and is ${JSON.stringify(text)}.`)
}

export const guardedChains = (chains: readonly EvmConfig[]): GuardedChain[] =>
  chains.map((config) => ({
    id: config.chainId,
    config,
    rpc: createRpc(config.chainId, config.rpcUrls, config.timeoutMs),
    signer: createSigner(config),
  }))
