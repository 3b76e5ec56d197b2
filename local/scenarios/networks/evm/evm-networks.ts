import type { LocalChains } from '../../../chains.ts'
import type { Network } from '../network.ts'
import { blocksByHand } from './blocks-by-hand.ts'
import { createPayers, transferOf } from './create-payers.ts'
import { createThief } from './create-thief.ts'
import { dropCoinPrice } from './drop-coin-price.ts'

export function evmNetworks(chains: LocalChains): readonly Network[] {
  const payerWith = createPayers(chains)
  return chains.configs.map(({ chainId, tokens }) => ({
    chainId,
    family: 'evm',
    tokens,
    async mine(blocks) {
      const anvil = chains.anvils.find((node) => node.chainId === chainId)
      const calls = Array.from({ length: blocks }, () => ['evm_mine'] as const)
      await chains.mutexes.get(chainId)?.(async () => anvil?.ask(...calls))
    },
    async payerWith(money) {
      const { address, send } = await payerWith(money)
      return { address, send: (to) => send(transferOf(money, to)) }
    },
    byHand: (run) => blocksByHand(chains, chainId, run),
    async withLowerPrice(run) {
      const restore = await dropCoinPrice(chains, chainId, payerWith)
      try {
        await run()
      } finally {
        await restore()
      }
    },
    thiefOf: (order, money) => createThief(chains, order, money),
  }))
}
