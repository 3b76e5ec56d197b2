import { decodeFunctionResult, encodeFunctionData, erc20Abi, isAddress, multicall3Abi, parseAbi, type Address } from 'viem'
import { ChainUnavailable } from '../ChainUnavailable.ts'
import { askCall } from './asks.ts'
import type { Rpc } from './rpc.ts'

/** At this address on every chain that we serve; local mode puts a stand-in there. */
export const multicallAddress = '0xca11bde05977b3631167028862be2a173976ca11'

const nativeAbi = parseAbi(['function getEthBalance(address) view returns (uint256)'])
const addressesPerCall = 300

/** Balances of many addresses at one block, by calls that each read hundreds. */
export async function balances(
  rpc: Rpc,
  addresses: readonly string[],
  token: string | null,
  block: number,
  signal: AbortSignal,
): Promise<bigint[]> {
  const found: bigint[] = []
  for (let start = 0; start < addresses.length; start += addressesPerCall) {
    const part = addresses.slice(start, start + addressesPerCall)
    const [data] = await rpc.read(signal, askCall({ to: multicallAddress, data: encode(part, token) }, block))
    if (data === '0x') throw new ChainUnavailable(rpc.chainId, 'chain_unavailable', `there is no Multicall3 at ${multicallAddress}.`)
    found.push(...decode(data, part.length, rpc.chainId))
  }
  return found
}

function encode(addresses: readonly string[], token: string | null): string {
  const calls = addresses.map((each) => {
    const address = checked(each)
    return token === null
      ? { target: checked(multicallAddress), allowFailure: false, callData: encodeFunctionData({ abi: nativeAbi, args: [address] }) }
      : {
          target: checked(token),
          allowFailure: false,
          callData: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] }),
        }
  })
  return encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
}

function decode(data: `0x${string}`, count: number, chainId: number): bigint[] {
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
  if (results.length !== count || results.some(({ returnData }) => returnData.length !== 66)) {
    throw new ChainUnavailable(chainId, 'chain_unavailable', 'a balance call did not return balances: is the token a token?')
  }
  return results.map(({ returnData }) => BigInt(returnData))
}

function checked(address: string): Address {
  if (!isAddress(address, { strict: false })) throw new TypeError(`${address} is not an EVM address.`)
  return address
}
