import { decodeFunctionResult, encodeFunctionData, type Address, type Hex } from 'viem'
import { ethCall, chainIdCall, codeCall } from '../chains/evm/rpc-calls.ts'
import { ChainMisconfigured } from '../chains/chain-misconfigured.ts'
import { TillFactory } from '../chains/evm/contracts/artifacts/TillFactory.ts'
import { deterministicDeployer, factoryCode, factoryOf } from '../chains/evm/factory.ts'
import type { Rpc } from '../chains/evm/rpc.ts'
import type { EvmConfig } from '../chains/evm/evm-config.ts'

/** This transaction prepares a chain for the service, or removes an operator. */
export interface Step {
  readonly what: string
  readonly by: 'anyone' | 'owner'
  readonly to: string
  readonly data: Hex
}

const { abi } = TillFactory

/** Returns the steps in the order in which they must be sent. They are read from the chain each time, so no finished step is repeated. */
export async function missingSteps(
  rpc: Rpc,
  chain: EvmConfig,
  wanted: { readonly operator: string; readonly revoked: readonly string[] },
  signal: AbortSignal,
): Promise<Step[]> {
  const { operator, revoked } = wanted
  const { address, owner } = chain.factory
  const [nodeChainId, code, deployer] = await rpc.read(signal, chainIdCall(), codeCall(address), codeCall(deterministicDeployer))
  if (nodeChainId !== chain.chainId)
    throw new ChainMisconfigured(`The node configured for chain ${chain.chainId} serves chain ${nodeChainId}.`)
  if (code !== '0x' && code !== factoryCode)
    throw new ChainMisconfigured(`Chain ${chain.chainId} has other code than our factory at ${address}.`)
  if (code === '0x' && deployer === '0x')
    throw new ChainMisconfigured(`Chain ${chain.chainId} has no deterministic deployer at ${deterministicDeployer}: put it there first.`)

  const isDeployed = code === factoryCode
  const isAllowed = async (functionName: 'isOperator' | 'isRouter', who: string): Promise<boolean> => {
    if (!isDeployed) return false
    const data = encodeFunctionData({ abi, functionName, args: [who as Address] })
    const [answer] = await rpc.read(signal, ethCall({ to: address, data }, 'latest'))
    return decodeFunctionResult({ abi, functionName, data: answer })
  }
  const set = (functionName: 'setOperator' | 'setRouter', who: string, allowed: boolean): Step => ({
    what: `${functionName}(${who}, ${allowed})`,
    by: 'owner',
    to: address,
    data: encodeFunctionData({ abi, functionName, args: [who as Address, allowed] }),
  })
  const { to, data } = factoryOf(owner)
  const stillAllowed = await Promise.all(revoked.map((who) => isAllowed('isOperator', who)))
  return [
    ...revoked.filter((_, at) => stillAllowed[at]).map((who) => set('setOperator', who, false)),
    ...(isDeployed ? [] : [{ what: 'deploy the factory', by: 'anyone' as const, to, data }]),
    ...((await isAllowed('isOperator', operator)) ? [] : [set('setOperator', operator, true)]),
    ...(chain.exchange === undefined || (await isAllowed('isRouter', chain.exchange.router))
      ? []
      : [set('setRouter', chain.exchange.router, true)]),
  ]
}
