import type { FacilitatorEvmSigner } from '@x402/evm'
import { type Abi, type Address, BaseError, decodeFunctionResult, encodeFunctionData } from 'viem'
import type { EvmNode } from '../evm-node.ts'
import { ethCall, codeCall } from '../rpc-calls.ts'
import { isRevert, requireValue, revertError } from '../rpc.ts'

/** The x402 library calls the payer's own contract to check a signature. This cap keeps a hostile contract from exhausting our node. */
const maxReadGas = 5_000_000n

/** Lets the x402 library read from our node. A revert is an answer, and only a node that does not answer is reported to `onFailure`. */
export function readingSigner(chain: EvmNode, signal: AbortSignal, onFailure: (error: unknown) => void): FacilitatorEvmSigner {
  const read = async ({ address, abi, functionName, args }: Parameters<FacilitatorEvmSigner['readContract']>[0]) => {
    const data = encodeFunctionData({ abi: abi as Abi, functionName, args })
    const [answer] = await chain.rpc.attempt(signal, ethCall({ to: address, data, gas: maxReadGas }, 'latest'))
    if ('error' in answer && isRevert(answer.error)) throw new Reverted(String(revertError(answer.error)?.args?.[0] ?? answer.error.reason))
    const value = requireValue(chain.id, answer)
    try {
      return decodeFunctionResult({ abi: abi as Abi, functionName, data: value })
    } catch (error) {
      // The contract does not implement the ABI. That is the contract's fault and not the node's, so the library judges it.
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
    // getCode must never reject: the library may return without awaiting it, and an unhandled rejection would end the process.
    getCode: async ({ address }) => {
      try {
        const [code] = await chain.rpc.read(signal, codeCall(address))
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

/** The x402 library expects a read to throw when the contract reverts. */
class Reverted extends Error {
  override readonly name = 'Reverted'
}
