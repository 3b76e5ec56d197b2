import type { FacilitatorEvmSigner } from '@x402/evm'
import { type Abi, type Address, BaseError, decodeErrorResult, decodeFunctionResult, encodeFunctionData, type Hex } from 'viem'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { askCall, askCode } from '../../chains/evm/asks.ts'
import { RpcError } from '../../chains/evm/rpc-error.ts'
import { insist } from '../../chains/evm/rpc.ts'
import type { Call } from '../../chains/chain.ts'

/** The library asks a payer's contract whether a signature is good: neither its work nor the length of its answer is the payer's to choose. */
const mostReadGas = 5_000_000n

export interface Road {
  /** Writes the intent down and waits for its transaction's hash. */
  readonly send: (call: Call, what: 'transfer' | 'wallet') => Promise<string>
  readonly receipt: (hash: string, what: 'transfer' | 'wallet') => Promise<{ readonly ok: boolean }>
}

/**
 * The hand of the facilitator library, which is ours: it reads by our node and sends by our queue. The library takes a silent node for a
 * "no" (a contract wallet whose signature cannot be asked about is refused), so what went wrong is remembered: whoever asked must look at
 * `trouble` before believing an answer.
 */
export function facilitatorSigner(chain: EvmChain, signal: AbortSignal, road: Road): FacilitatorEvmSigner & { trouble(): unknown } {
  let trouble: unknown
  const noting = async <T>(work: () => Promise<T>): Promise<T> => {
    try {
      return await work()
    } catch (error) {
      if (!(error instanceof Refused)) trouble ??= error
      throw error
    }
  }
  const sent = new Map<string, 'transfer' | 'wallet'>()
  const send = async (call: Call, what: 'transfer' | 'wallet'): Promise<Hex> => {
    const hash = await road.send(call, what)
    sent.set(hash, what)
    return hash as Hex
  }
  return {
    trouble: () => trouble,
    getAddresses: () => [chain.signer.address as Address],
    readContract: ({ address, abi, functionName, args }) =>
      noting(async () => {
        const data = encodeFunctionData({ abi: abi as Abi, functionName, args })
        const [answer] = await chain.rpc.attempt(signal, askCall({ to: address, data, gas: mostReadGas }, 'latest'))
        if ('error' in answer && isRevert(answer.error)) throw new Refused(reasonOf(answer.error))
        const value = insist(chain.id, answer)
        try {
          return decodeFunctionResult({ abi: abi as Abi, functionName, data: value })
        } catch (error) {
          // Not what the ABI promises, so it is not that kind of contract: a fact about it, not about the node.
          throw new Refused(error instanceof BaseError ? error.shortMessage : String(error))
        }
      }),
    // The library asks for it in its type and checks signatures by itself.
    verifyTypedData: () => Promise.reject(new Error('signatures are checked by the library')),
    // Never rejects: the library starts to look at the token and leaves without waiting, and a rejection nobody hears ends the process.
    getCode: ({ address }) => noting(async () => (await chain.rpc.read(signal, askCode(address)))[0]).catch(() => undefined),
    writeContract: async ({ address, abi, functionName, args }) =>
      send(
        { to: address.toLowerCase(), data: encodeFunctionData({ abi: abi as Abi, functionName, args: [...args] }), value: 0n },
        'transfer',
      ),
    sendTransaction: ({ to, data }) => send({ to: to.toLowerCase(), data, value: 0n }, 'wallet'),
    waitForTransactionReceipt: async ({ hash }) => ({
      status: (await road.receipt(hash, sent.get(hash) ?? 'transfer')).ok ? 'success' : 'reverted',
    }),
  }
}

/** The contract said no: an answer, and the library's business. */
class Refused extends Error {
  override readonly name = 'Refused'
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
