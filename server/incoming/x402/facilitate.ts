import { x402Facilitator } from '@x402/core/facilitator'
import type { PaymentPayload as LibraryPayload, PaymentRequirements as LibraryRequirements } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import type { PaymentPayload, PaymentRequirements } from '../../../src/wire/x402.ts'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { networkOf } from './offers.ts'
import { facilitatorSigner, type Road } from './signer.ts'

export type Verdict = { readonly ok: true } | { readonly ok: false; readonly reason: string }

export interface Facilitator {
  /** Rejects when the chain could not be asked: then nothing is known, whatever the library made of the silence. */
  verify(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict>
  /** Sends by the road; what became of it is in our books, not in the library's answer. */
  settle(payload: PaymentPayload, requirements: PaymentRequirements): Promise<Verdict>
}

/** The official library, for one request: it keeps no memory between requests that we would have to trust. */
export function facilitator(chain: EvmChain, allowedFactories: readonly string[], signal: AbortSignal, road: Road): Facilitator {
  const signer = facilitatorSigner(chain, signal, road)
  const scheme = new ExactEvmScheme(signer, { eip6492AllowedFactories: [...allowedFactories] })
  const network = networkOf(chain.id)
  const library = new x402Facilitator().register(network, scheme)
  /** What was accepted is what was offered, on this network: that was compared before. The library's types want it said. */
  const asLibrary = (
    payload: PaymentPayload,
    { extra = {}, ...requirements }: PaymentRequirements,
  ): [LibraryPayload, LibraryRequirements] => [
    { ...payload, accepted: { ...payload.accepted, network, extra } },
    { ...requirements, network, extra },
  ]
  const heard = <T>(answer: T): T => {
    if (signer.trouble() !== undefined) throw signer.trouble()
    return answer
  }
  return {
    verify: async (payload, requirements) => {
      const answer = heard(await library.verify(...asLibrary(payload, requirements)).catch(unlessHeard))
      return answer.isValid ? { ok: true } : { ok: false, reason: answer.invalidReason ?? 'invalid_payload' }
    },
    settle: async (payload, requirements) => {
      const answer = await library.settle(...asLibrary(payload, requirements))
      return answer.success ? { ok: true } : { ok: false, reason: answer.errorReason ?? 'unexpected_settle_error' }
    },
  }

  /** What the library trips over was in the payload, unless the node was silent. */
  function unlessHeard(error: unknown): { readonly isValid: false; readonly invalidReason: string } {
    if (signer.trouble() !== undefined) throw signer.trouble()
    if (error instanceof TypeError || error instanceof RangeError) throw error
    return { isValid: false, invalidReason: 'invalid_payload' }
  }
}
