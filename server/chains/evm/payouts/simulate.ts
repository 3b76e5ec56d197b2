import { balanceCall, ethCall, gasCall, headerCall, nonceCall, priorityCall, requireHead } from '../rpc-calls.ts'
import { converts } from '../factory-calls.ts'
import { conversionFailure } from '../factory-events.ts'
import { TillFactory } from '../contracts/artifacts/TillFactory.ts'
import { isRevert, requireValue, revertError, type RpcError } from '../rpc.ts'
import type { Hex } from 'viem'
import { isAboveMost, marketFees, type Fees } from './fees.ts'
import type { Driver, Send } from './send.ts'

export type Simulation =
  | { readonly at: 'reverts'; readonly reason: string }
  /** The call needs more gas than its cap or the chain allows, and waiting does not change that. */
  | { readonly at: 'too_much_gas'; readonly reason: string }
  | { readonly at: 'insufficient_funds'; readonly reason: string }
  /** The network's fees are above the most that the configuration allows, until they fall. */
  | { readonly at: 'too_dear'; readonly reason: string }
  | {
      readonly at: 'ready'
      readonly gas: bigint
      readonly fees: Fees
      readonly balance: bigint
      readonly head: number
      readonly minedNonce: number
      readonly pendingNonce: number
    }

/** Simulates the call before it gets a nonce, so that a call that cannot succeed uses none. It costs one request. */
export async function simulate({ chain }: Driver, send: Send, pending: boolean, signal: AbortSignal): Promise<Simulation> {
  const { address } = chain.signer
  const at = pending ? 'pending' : 'latest'
  const [gas, minedNonce, pendingNonce, balance, header, priority, answer] = await chain.rpc.attempt(
    signal,
    gasCall({ from: address, ...send.call, gas: send.gasCap }, at),
    nonceCall(address, 'latest'),
    nonceCall(address, 'pending'),
    balanceCall(address),
    headerCall('latest'),
    priorityCall(),
    ...(converts(send.call) ? [ethCall({ from: address, ...send.call }, at)] : []),
  )
  if ('error' in gas) {
    const { reason } = gas.error
    if (/insufficient (funds|balance)/i.test(reason)) return { at: 'insufficient_funds', reason }
    // If the request has a gas cap, the node reports "out of gas" when the cap is too low.
    if (send.gasCap !== undefined && isOutOfGas(gas.error))
      return { at: 'too_much_gas', reason: overCap(`more than ${send.gasCap}`, send.gasCap) }
    if (isReverted(gas.error)) return { at: 'reverts', reason: reasonOf(gas.error) }
  }
  // A conversion that fails does not revert, because it consumes the guard's signature.
  const failure = answer && (requireValue(chain.id, answer) as Hex)
  if (failure && BigInt(failure) !== 0n) return { at: 'reverts', reason: conversionFailure(failure) }
  const head = requireHead(chain.id, requireValue(chain.id, header))
  const needed = requireValue(chain.id, gas)
  const most = least(send.gasCap ?? chain.config.txGasLimit, chain.config.txGasLimit, head.gasLimit)
  if (needed > most) return { at: 'too_much_gas', reason: overCap(String(needed), most) }
  const { maxFeePerGas } = chain.config
  if (isAboveMost(head, maxFeePerGas)) return { at: 'too_dear', reason: `the base fee is above ${maxFeePerGas} wei, which is max_fee_gwei` }
  return {
    at: 'ready',
    // The chain's state may change between the estimate and the block, so a quarter is added, as far as the cap allows.
    gas: least((needed * 5n) / 4n, most),
    fees: marketFees(head, requireValue(chain.id, priority), maxFeePerGas),
    balance: requireValue(chain.id, balance),
    head: head.number,
    minedNonce: requireValue(chain.id, minedNonce),
    pendingNonce: requireValue(chain.id, pendingNonce),
  }
}

const least = (first: bigint, ...others: readonly bigint[]): bigint => others.reduce((a, b) => (a < b ? a : b), first)
const overCap = (needed: string, most: bigint) => `The call needs ${needed} gas, and at most ${most} may be spent on it.`

/** Nodes share no error code for too little gas, so their messages are matched. */
export const isOutOfGas = ({ reason }: RpcError): boolean => /out ?of ?gas|OOG|gas required exceeds|intrinsic gas|gas too low/i.test(reason)

/** A revert is the contract's answer. Any other error means that the node could not simulate the call. */
const isReverted = (error: RpcError): boolean => isRevert(error) || /always failing|gas required exceeds/i.test(error.reason)

/** Where the data is neither one of our factory's errors nor a standard Solidity error, only the node's message is left. */
function reasonOf(error: RpcError): string {
  const decoded = revertError(error, TillFactory.abi)
  return decoded ? `${decoded.errorName}(${(decoded.args ?? []).join(', ')})` : error.reason
}
