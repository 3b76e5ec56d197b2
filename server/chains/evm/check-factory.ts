import { decodeFunctionResult, encodeFunctionData, type Address } from 'viem'
import { ChainMisconfigured } from '../chain-misconfigured.ts'
import type { EvmConfig } from './evm-config.ts'
import { ethCall, chainIdCall, codeCall } from './rpc-calls.ts'
import { TillFactory } from './contracts/artifacts/TillFactory.ts'
import { factoryCode } from './factory.ts'
import type { Rpc } from './rpc.ts'

/** Call this before any address is shown, because money sent to an address that the operator cannot empty would be stuck. */
export async function checkFactory(rpc: Rpc, config: EvmConfig, operator: string, signal: AbortSignal): Promise<void> {
  const { chainId, factory } = config
  const data = encodeFunctionData({ abi: TillFactory.abi, functionName: 'isOperator', args: [operator as Address] })
  const [nodeChainId, code] = await rpc.read(signal, chainIdCall(), codeCall(factory.address))
  if (nodeChainId !== chainId) throw new ChainMisconfigured(`The node configured for chain ${chainId} serves chain ${nodeChainId}.`)
  if (code === '0x')
    throw new ChainMisconfigured(`Chain ${chainId} has no factory at ${factory.address}: deploy it there for owner ${factory.owner}.`)
  if (code !== factoryCode) throw new ChainMisconfigured(`Chain ${chainId} has other code than our factory at ${factory.address}.`)
  const [answer] = await rpc.read(signal, ethCall({ to: factory.address, data }, 'latest'))
  if (!decodeFunctionResult({ abi: TillFactory.abi, functionName: 'isOperator', data: answer })) {
    throw new ChainMisconfigured(
      `Chain ${chainId}: ${operator} is not an operator of the factory ${factory.address}: its owner must call setOperator.`,
    )
  }
}
