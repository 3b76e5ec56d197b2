import { codecs } from '../../src/wire/addresses/codecs.ts'
import { createRpc } from '../chains/evm/rpc.ts'
import { createSigner } from '../chains/evm/signer.ts'
import type { ChainConfig } from '../chains/table.ts'
import { checkGuard, GuardMisconfigured } from '../guard/check-guard.ts'
import type { OrganizationSettlements } from '../organizations/settlements.ts'
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

/** Rejects with GuardMisconfigured if refunds could not be signed for on some chain, or if the guard protected from nobody. */
export async function checkOwnGuard(guard: string, settlements: OrganizationSettlements, chains: readonly ChainConfig[]): Promise<void> {
  const used = chains.filter(({ chainId }) => settlements.some((settlement) => settlement.chainId === chainId))
  for (const chain of used) {
    if (guard === createSigner(chain).address)
      throw new GuardMisconfigured(`The guard ${guard} is the operator of chain ${chain.chainId}: it needs a key of its own.`)
    if (guard === chain.factory.owner || guard === chain.factory.address)
      throw new GuardMisconfigured(`The guard ${guard} is the factory or its owner: it needs a key of its own.`)
  }
  const rpcs = used.map(({ chainId, rpcUrls, timeoutMs }) => createRpc(chainId, rpcUrls, timeoutMs))
  await checkGuard(rpcs, guard, AbortSignal.timeout(30_000))
}
