import { decodeErrorResult, type Hex } from 'viem'
import { ChainUnavailable } from '../../chains/chain-unavailable.ts'
import { askBalance, askGas, askHeader, askNonce, askPriority } from '../../chains/evm/asks.ts'
import { TillFactory } from '../../chains/evm/contracts/artifacts/TillFactory.ts'
import { requireValue, type RpcError } from '../../chains/evm/rpc.ts'
import { marketFees, type Fees } from './fees.ts'
import type { Driver, Send } from './send.ts'

export type Simulation =
  | { readonly at: 'reverts'; readonly reason: string }
  /** It needs more gas than may be signed for it, whatever else is mined before. */
  | { readonly at: 'too_much_gas'; readonly reason: string }
  | { readonly at: 'poor'; readonly reason: string }
  | {
      readonly at: 'ready'
      readonly gas: bigint
      readonly fees: Fees
      readonly balance: bigint
      readonly head: number
      readonly minedNonce: number
      readonly pendingNonce: number
    }

/** Simulates the call before a nonce is assigned to it: its effect, its gas and its price, in one request. */
export async function simulate({ chain }: Driver, send: Send, pending: boolean, signal: AbortSignal): Promise<Simulation> {
  const { address } = chain.signer
  const [gas, minedNonce, pendingNonce, balance, header, priority] = await chain.rpc.attempt(
    signal,
    askGas({ from: address, ...send.call, gas: send.gasCap }, pending ? 'pending' : 'latest'),
    askNonce(address, 'latest'),
    askNonce(address, 'pending'),
    askBalance(address),
    askHeader('latest'),
    askPriority(),
  )
  if ('error' in gas) {
    const { reason } = gas.error
    if (/insufficient (funds|balance)/i.test(reason)) return { at: 'poor', reason }
    // With a gas cap in the request the node reports "out of gas" when the cap is not enough.
    if (send.gasCap !== undefined && isOutOfGas(gas.error))
      return { at: 'too_much_gas', reason: overCap(`more than ${send.gasCap}`, send.gasCap) }
    if (isRevert(gas.error)) return { at: 'reverts', reason: reasonOf(gas.error) }
  }
  const head = requireValue(chain.id, header)
  if (!head) throw new ChainUnavailable(chain.id, 'chain_unavailable', 'the node has no blocks.')
  const needed = requireValue(chain.id, gas)
  const most = least(send.gasCap ?? chain.config.txGasLimit, chain.config.txGasLimit, head.gasLimit)
  if (needed > most) return { at: 'too_much_gas', reason: overCap(String(needed), most) }
  return {
    at: 'ready',
    // Storage may change between the estimate and the block: add a quarter, as far as the cap allows.
    gas: least((needed * 5n) / 4n, most),
    fees: marketFees(head, requireValue(chain.id, priority)),
    balance: requireValue(chain.id, balance),
    head: head.number,
    minedNonce: requireValue(chain.id, minedNonce),
    pendingNonce: requireValue(chain.id, pendingNonce),
  }
}

const least = (first: bigint, ...others: readonly bigint[]): bigint => others.reduce((a, b) => (a < b ? a : b), first)
const overCap = (needed: string, most: bigint) => `The call needs ${needed} gas, and at most ${most} may be spent on it.`

/** How nodes report that a call was given too little gas. */
export const isOutOfGas = ({ reason }: RpcError): boolean => /out ?of ?gas|OOG|gas required exceeds|intrinsic gas|gas too low/i.test(reason)

/** Whether the contract reverted, as opposed to a node that could not tell. */
function isRevert({ rpcCode, reason }: RpcError): boolean {
  return rpcCode === 3 || /revert|invalid opcode|out ?of ?gas|OOG|always failing|vm execution error|gas required exceeds/i.test(reason)
}

function reasonOf({ reason, data }: RpcError): string {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{8}/i.test(data)) return reason
  try {
    const { errorName, args } = decodeErrorResult({ abi: TillFactory.abi, data: data as Hex })
    return `${errorName}(${(args ?? []).join(', ')})`
  } catch {
    // Neither one of our factory's errors nor Error(string): the node's message is all there is.
    return reason
  }
}
