import type { FacilitatorEvmSigner } from '@x402/evm'
import { type Abi, type Address, BaseError, decodeErrorResult, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { askCall, askCode } from '../../chains/evm/asks.ts'
import { requireValue, RpcError } from '../../chains/evm/rpc.ts'

/** The library asks a payer's contract whether a signature is good: neither its work nor the length of its answer is the payer's to choose. */
const mostReadGas = 5_000_000n

/**
 * The signer that the library verifies with: it reads by our node and signs nothing. `onFailure` gets the error of a read that the node
 * did not answer; a call that a contract reverted is an answer, and the library's to judge.
 */
export function readingSigner(chain: EvmChain, signal: AbortSignal, onFailure: (error: unknown) => void): FacilitatorEvmSigner {
  const read = async ({ address, abi, functionName, args }: Parameters<FacilitatorEvmSigner['readContract']>[0]) => {
    const data = encodeFunctionData({ abi: abi as Abi, functionName, args })
    const [answer] = await chain.rpc.attempt(signal, askCall({ to: address, data, gas: mostReadGas }, 'latest'))
    if ('error' in answer && isRevert(answer.error)) throw new Reverted(reasonOf(answer.error))
    const value = requireValue(chain.id, answer)
    try {
      return decodeFunctionResult({ abi: abi as Abi, functionName, data: value })
    } catch (error) {
      // The contract is not of the kind that the ABI describes: that is a fact about it, not about the node.
      throw new Reverted(error instanceof BaseError ? error.shortMessage : String(error))
    }
  }
  const unused = () => Promise.reject(new Error('this signer only reads'))
  return {
    getAddresses: () => [chain.signer.address as Address],
    readContract: (call) =>
      read(call).catch((error: unknown) => {
        if (!(error instanceof Reverted)) onFailure(error)
        throw error
      }),
    // Never rejects: the library begins to look at the token and may leave without waiting, and an unhandled rejection ends the process.
    getCode: async ({ address }) => {
      try {
        const [code] = await chain.rpc.read(signal, askCode(address))
        return code
      } catch (error) {
        onFailure(error)
        return undefined
      }
    },
    verifyTypedData: unused,
    writeContract: unused,
    sendTransaction: unused,
    waitForTransactionReceipt: unused,
  }
}

/** The library expects a read that a contract refused to throw. */
class Reverted extends Error {
  override readonly name = 'Reverted'
}

const isRevert = ({ rpcCode, reason }: RpcError): boolean =>
  rpcCode === 3 || /revert|invalid opcode|out ?of ?gas|OOG|vm execution error/i.test(reason)

function reasonOf({ reason, data }: RpcError): string {
  if (typeof data !== 'string' || !/^0x[0-9a-f]{8}/i.test(data)) return reason
  try {
    const { args } = decodeErrorResult({ abi: [], data: data as Hex })
    return String(args?.[0] ?? reason)
  } catch {
    return reason
  }
}
