import { decodeFunctionResult, encodeFunctionData, erc20Abi, type Address } from 'viem'
import { balanceCall, ethCall } from '../chains/evm/rpc-calls.ts'
import type { Rpc } from '../chains/evm/rpc.ts'

/** Null is the native coin. */
export async function tokenBalance(rpc: Rpc, address: string, token: string | null): Promise<bigint> {
  const signal = AbortSignal.timeout(60_000)
  if (token === null) return (await rpc.read(signal, balanceCall(address)))[0]
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address as Address] })
  const [answer] = await rpc.read(signal, ethCall({ to: token, data }, 'latest'))
  if (answer === '0x') throw new Error(`Chain ${rpc.chainId} has no token at ${token}.`)
  return decodeFunctionResult({ abi: erc20Abi, functionName: 'balanceOf', data: answer })
}
