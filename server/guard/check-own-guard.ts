import type { EvmNode } from '../chains/evm/evm-node.ts'
import type { OrganizationSettlements } from '../organizations/settlements.ts'
import { checkGuard, GuardMisconfigured } from './check-guard.ts'

export type GuardedChain = Pick<EvmNode, 'id' | 'config' | 'rpc' | 'signer'>

/** Rejects with GuardMisconfigured if refunds could not be signed for on some chain, or if the guard protected from nobody. */
export async function checkOwnGuard(
  guard: string,
  settlements: OrganizationSettlements,
  chains: readonly GuardedChain[],
  signal: AbortSignal,
): Promise<void> {
  const isUsed = ({ id }: GuardedChain) => settlements.some(({ chainId }) => chainId === id)
  const used = chains.filter(isUsed)
  for (const { id, config, signer } of used) {
    if (guard === signer.address)
      throw new GuardMisconfigured(`The guard ${guard} is the operator of chain ${id}: it needs a key of its own.`)
    if (guard === config.factory.owner || guard === config.factory.address)
      throw new GuardMisconfigured(`The guard ${guard} is the factory or its owner: it needs a key of its own.`)
  }
  const rpcsOf = (some: readonly GuardedChain[]) => some.map(({ rpc }) => rpc)
  await checkGuard({ used: rpcsOf(used), others: rpcsOf(chains.filter((chain) => !isUsed(chain))) }, guard, signal)
}
