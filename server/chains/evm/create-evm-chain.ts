import { getAddress } from 'viem'
import { chainFacts } from '../../../src/wire/chain.ts'
import type { Chain } from '../chain.ts'
import { presetBlockSeconds } from '../presets/presets.ts'
import type { ChainConfig } from '../table.ts'
import { headerCall, priorityCall, requireHead } from './rpc-calls.ts'
import { blockTime } from '../block-time.ts'
import { balances } from './balances.ts'
import { blockOf } from './blocks.ts'
import { checkConfiguration } from './check-configuration.ts'
import { compareNodes } from './compare-nodes.ts'
import { checkFactory } from './check-factory.ts'
import { depositAddress } from './factory.ts'
import { holdings } from './holdings.ts'
import { createRpc, type Rpc } from './rpc.ts'
import { scan } from './scan.ts'
import { settlement, settlementResult } from './settlement.ts'
import { createSigner, type Signer } from './signer.ts'
import { transaction } from './transaction.ts'

export interface EvmChain extends Chain {
  readonly config: ChainConfig
  readonly rpc: Rpc
  readonly signer: Signer
  checkFactory(signal: AbortSignal): Promise<void>
  checkConfiguration(signal: AbortSignal): Promise<void>
}

export function createEvmChain(config: ChainConfig): EvmChain {
  const rpc = createRpc(config.chainId, config.rpcUrls, config.timeoutMs)
  const signer = createSigner(config)
  const factory = config.factory.address
  const time = blockTime()
  const explorer = chainFacts(config.chainId)?.explorer
  return {
    id: config.chainId,
    confirmations: config.confirmations,
    tokens: config.tokens,
    config,
    rpc,
    signer,
    checkFactory: (signal) => checkFactory(rpc, config, signer.address, signal),
    checkConfiguration: (signal) => checkConfiguration(rpc, config, signal),
    depositAddress: (orderId) => depositAddress(factory, orderId),
    displayAddress: (address) => getAddress(address),
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
    holdings: (address, signal) => holdings(rpc, config.tokens, address, signal),
    blockSeconds: () => config.blockSeconds ?? time.seconds() ?? presetBlockSeconds(config.chainId),
    gasPrice: async (signal) => {
      const [header, priority] = await rpc.read(signal, headerCall('latest'), priorityCall())
      if (header) time.note([header])
      return (header?.baseFeePerGas ?? 0n) + priority
    },
    ...(config.rpcUrls.length > 1 && {
      compareNodes: compareNodes(
        config.chainId,
        config.rpcUrls.map((url) => createRpc(config.chainId, [url], config.timeoutMs)),
      ),
    }),
    settlement: (request) => settlement(factory, request),
    settlementResult: (receipt) => settlementResult(factory, receipt),
    explorerTx: (hash) => `${explorer}/tx/${hash}`,
  }
}
