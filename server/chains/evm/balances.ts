import { isAddress, toFunctionSelector } from 'viem'
import { ChainUnavailable } from '../chain.ts'
import { ethCall } from './rpc-calls.ts'
import { decodeBalances, encodeBalanceCalls } from './balance-calls.ts'
import type { Rpc } from './rpc.ts'

/** Multicall3 has this address on every chain that we support, and local mode installs LocalMulticall there. */
export const multicallAddress = '0xca11bde05977b3631167028862be2a173976ca11'

const nativeSelector = toFunctionSelector('getEthBalance(address)')
const tokenSelector = toFunctionSelector('balanceOf(address)')
const addressesPerCall = 300

/** Reads balances at one block, with one Multicall3 call for every 300 addresses. */
export async function balances(
  rpc: Rpc,
  addresses: readonly string[],
  token: string | null,
  block: number,
  signal: AbortSignal,
): Promise<bigint[]> {
  const [target, selector] = token === null ? [multicallAddress, nativeSelector] : [checked(token), tokenSelector]
  const found: bigint[] = []
  for (let start = 0; start < addresses.length; start += addressesPerCall) {
    const part = addresses.slice(start, start + addressesPerCall).map(checked)
    const [data] = await rpc.read(signal, ethCall({ to: multicallAddress, data: encodeBalanceCalls(target, selector, part) }, block))
    if (data === '0x') throw new ChainUnavailable(rpc.chainId, 'chain_unavailable', `there is no Multicall3 at ${multicallAddress}.`)
    const answers = decodeBalances(data, part.length)
    if (!answers)
      throw new ChainUnavailable(rpc.chainId, 'chain_unavailable', 'a balance call did not return balances: is the token a token?')
    found.push(...answers)
  }
  return found
}

function checked(address: string): string {
  if (!isAddress(address, { strict: false })) throw new TypeError(`${address} is not an EVM address.`)
  return address
}
