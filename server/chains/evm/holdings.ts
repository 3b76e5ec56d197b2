import { decodeFunctionResult, encodeFunctionData, erc20Abi, multicall3Abi, parseAbi, type Address } from 'viem'
import { ChainUnavailable, type Holding, type Token } from '../chain.ts'
import { ethCall } from './rpc-calls.ts'
import { multicallAddress } from './balances.ts'
import type { Rpc } from './rpc.ts'

const nativeAbi = parseAbi(['function getEthBalance(address) view returns (uint256)'])
const tokensPerCall = 400

export async function holdings(rpc: Rpc, tokens: readonly Token[], address: string, signal: AbortSignal): Promise<Holding[]> {
  const parts = Array.from({ length: Math.ceil(tokens.length / tokensPerCall) }, (_, at) =>
    tokens.slice(at * tokensPerCall, (at + 1) * tokensPerCall),
  )
  const answers = await rpc.read(
    signal,
    ...parts.map((part) => ethCall({ to: multicallAddress, data: encode(part, address as Address) }, 'latest')),
  )
  return parts.flatMap((part, at) => {
    const data = answers[at]
    if (data === undefined || data === '0x')
      throw new ChainUnavailable(rpc.chainId, 'chain_unavailable', `there is no Multicall3 at ${multicallAddress}.`)
    const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
    return part.flatMap((token, index) => {
      const result = results[index]
      return result?.success && result.returnData.length === 66 ? [{ token, amount: BigInt(result.returnData) }] : []
    })
  })
}

function encode(tokens: readonly Token[], address: Address): `0x${string}` {
  const calls = tokens.map((token) => ({
    target: (token.address ?? multicallAddress) as Address,
    allowFailure: true,
    callData:
      token.address === null
        ? encodeFunctionData({ abi: nativeAbi, args: [address] })
        : encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] }),
  }))
  return encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
}
