import { decodeErrorResult, type Hex } from 'viem'
import { ChainUnavailable } from '../../ChainUnavailable.ts'
import { askGas, askHeader, askNonce, askPriority } from '../asks.ts'
import { TillFactory } from '../contracts/artifacts/TillFactory.ts'
import { insist } from '../rpc.ts'
import type { RpcError } from '../RpcError.ts'
import { marketFees, type Fees } from './fees.ts'
import type { Driver, Send } from './send.ts'

export type Simulation =
  | { readonly reverts: string }
  | {
      readonly reverts?: undefined
      readonly gas: bigint
      readonly fees: Fees
      readonly head: number
      readonly minedNonce: number
      readonly pendingNonce: number
    }

/** Asks the chain what the call would do, and what it takes, before a number is spent on it: one request. */
export async function simulate({ chain }: Driver, send: Send, pending: boolean, signal: AbortSignal): Promise<Simulation> {
  const { address } = chain.signer
  const [gas, minedNonce, pendingNonce, header, priority] = await chain.rpc.attempt(
    signal,
    askGas({ from: address, ...send.call }, pending ? 'pending' : 'latest'),
    askNonce(address, 'latest'),
    askNonce(address, 'pending'),
    askHeader('latest'),
    askPriority(),
  )
  if ('error' in gas && isRevert(gas.error)) return { reverts: reasonOf(gas.error) }
  const head = insist(chain.id, header)
  if (!head) throw new ChainUnavailable(chain.id, 'chain_unavailable', 'the node has no blocks.')
  return {
    // Storage may change between the estimate and the block: a quarter of head-room.
    gas: (insist(chain.id, gas) * 5n) / 4n,
    fees: marketFees(head, insist(chain.id, priority)),
    head: head.number,
    minedNonce: insist(chain.id, minedNonce),
    pendingNonce: insist(chain.id, pendingNonce),
  }
}

/** The contract said no, as opposed to a node that cannot say, or an operator without coin. */
function isRevert({ rpcCode, reason }: RpcError): boolean {
  if (/insufficient (funds|balance)/i.test(reason)) return false
  return rpcCode === 3 || /revert|invalid opcode|out of gas|always failing|vm execution error|gas required exceeds/i.test(reason)
}

function reasonOf({ reason, data }: RpcError): string {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{8}/i.test(data)) return reason
  try {
    const { errorName, args } = decodeErrorResult({ abi: TillFactory.abi, data: data as Hex })
    return `${errorName}(${(args ?? []).join(', ')})`
  } catch {
    // Not one of our factory's errors nor Error(string): the node's words are all there is.
    return reason
  }
}
