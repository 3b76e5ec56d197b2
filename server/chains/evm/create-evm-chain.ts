import { codecs } from '../../../src/wire/addresses/codecs.ts'
import { chains } from '../../../src/wire/chain.ts'
import type { Chain, ConfiguredChain } from '../chain.ts'
import type { Gate } from '../gate.ts'
import type { Guard } from '../guard.ts'
import { presetBlockSeconds, presetOf } from '../presets/presets.ts'
import type { EvmConfig } from './evm-config.ts'
import { codeCall, headerCall, priorityCall, requireHead } from './rpc-calls.ts'
import { blockTime } from '../block-time.ts'
import type { BlockReader } from './block-reader.ts'
import { balances } from './balances.ts'
import { blockOf } from './blocks.ts'
import { checkConfiguration } from './check-configuration.ts'
import { compareNodes } from './compare-nodes.ts'
import { cost, settlementGas } from './costs.ts'
import type { EvmNode } from './evm-node.ts'
import { checkFactory } from './check-factory.ts'
import { evmDeposits } from './deposits.ts'
import { evmFeed } from './feed.ts'
import { holdings } from './holdings.ts'
import { uniswapSwap } from './exchange/uniswap-swap.ts'
import { evmMoves } from './moves.ts'
import { nativeBalances } from './native-balances.ts'
import { type EvmPayouts, evmPayouts } from './payouts/evm-payouts.ts'
import { evmPriceFeeds } from './price-feeds.ts'
import { createRpc } from './rpc.ts'
import { scan } from './scan.ts'
import { createSigner } from './signer.ts'
import { transaction } from './transaction.ts'
import { evmX402 } from './x402/evm-x402.ts'

export interface EvmChain extends ConfiguredChain, EvmNode, BlockReader {
  readonly holdings: NonNullable<Chain['holdings']>
  readonly payouts: EvmPayouts
  checkFactory(signal: AbortSignal): Promise<void>
  checkConfiguration(signal: AbortSignal): Promise<void>
}

export const isEvmChain = (chain: Chain): chain is EvmChain => chains[chain.id].family === 'evm'

export function createEvmChain(config: EvmConfig, guard?: Guard, gate?: Gate): EvmChain {
  const unchecked = createRpc(config.chainId, config.rpcUrls, config.timeoutMs)
  const rpc = gate?.behind(unchecked) ?? unchecked
  const signer = createSigner(config)
  const time = blockTime()
  const node: EvmNode = {
    id: config.chainId,
    confirmations: config.confirmations,
    config,
    rpc,
    signer,
    ...(guard && { guard }),
    ...(config.rpcUrls.length > 1 && {
      compareNodes: compareNodes(
        config.chainId,
        config.rpcUrls.map((url) => createRpc(config.chainId, [url], config.timeoutMs)),
      ),
    }),
  }
  const payouts = evmPayouts(node)
  const feeds = presetOf(config.chainId)
  const reader: BlockReader = {
    head: async (signal) => {
      const [header] = await rpc.read(signal, headerCall('latest'))
      const head = blockOf(requireHead(config.chainId, header))
      time.note([head])
      return head
    },
    block: async (number, signal) => {
      const [header] = await rpc.read(signal, headerCall(number))
      return header ? blockOf(header) : undefined
    },
    scan: async (from, to, signal, filterOurs) => {
      const found = await scan(rpc, config, { from, to }, filterOurs, signal)
      time.note(found.blocks)
      return found
    },
    transaction: (hash, signal) => transaction(rpc, config, hash, signal),
    balances: (addresses, token, block, signal) => balances(rpc, addresses, token, block, signal),
    blockSeconds: () => config.blockSeconds ?? time.seconds() ?? presetBlockSeconds(config.chainId),
  }
  return {
    ...node,
    ...reader,
    tokens: config.tokens,
    feed: evmFeed(config, reader),
    nativeBalances: nativeBalances(config, reader),
    checkFactory: (signal) => checkFactory(unchecked, config, signer.address, signal),
    // The factory comes first, since on another chain than the configured one everything else differs too.
    check: async (signal) => {
      await checkFactory(unchecked, config, signer.address, signal)
      await checkConfiguration(unchecked, config, signal)
    },
    checkConfiguration: (signal) => checkConfiguration(unchecked, config, signal),
    addresses: codecs.evm.addressesOn('main'),
    deposits: evmDeposits(config.factory.address),
    holdings: (address, signal, tokens = config.tokens) => holdings(rpc, tokens, address, signal),
    feeRate: async (signal) => {
      const [header, priority] = await rpc.read(signal, headerCall('latest'), priorityCall())
      if (header) time.note([header])
      return (header?.baseFeePerGas ?? 0n) + priority
    },
    payouts,
    moves: evmMoves(node),
    ...(config.exchange && { swap: uniswapSwap({ ...config, rpc, exchange: config.exchange }) }),
    ...(feeds.feeds.length > 0 && { priceFeeds: evmPriceFeeds(rpc, feeds) }),
    x402: evmX402(node, payouts),
    cost,
    settlementGas,
    // A token may be moved in any amount, but not in none.
    leastLeg: () => 1n,
    hasCode: async (address, signal) => {
      const [code] = await rpc.read(signal, codeCall(address))
      return code !== '0x'
    },
  }
}
