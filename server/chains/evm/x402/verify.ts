import type { PaymentPayload as LibraryPayload, PaymentRequirements as LibraryRequirements, VerifyResponse } from '@x402/core/types'
import { ExactEvmScheme } from '@x402/evm/exact/facilitator'
import type { PaymentPayload, PaymentRequirements } from '../../../../src/wire/x402.ts'
import type { Verdict } from '../../x402.ts'
import type { EvmNode } from '../evm-node.ts'
import { networkOf } from './network-of.ts'
import { readingSigner } from './reading-signer.ts'

/** For these reasons the nonce may have been used for this very payment. */
const mayBeUsed: ReadonlySet<string> = new Set([
  'invalid_exact_evm_nonce_already_used',
  'invalid_exact_evm_payload_authorization_valid_before',
  'invalid_exact_evm_transaction_simulation_failed',
])

/** The official x402 library treats an unreachable node like an invalid signature, so the first failed read rejects the verification. */
export async function verify(
  chain: EvmNode,
  payload: PaymentPayload,
  { extra = {}, ...requirements }: PaymentRequirements,
  allowedFactories: readonly string[],
  signal: AbortSignal,
): Promise<Verdict> {
  const network = networkOf(chain.id)
  // `offerAccepted` has compared the payload with the offer, so its network is this one. The library's types require the narrower string.
  const accepted: LibraryPayload = { ...payload, accepted: { ...payload.accepted, network, extra } }
  const offered: LibraryRequirements = { ...requirements, network, extra }
  const { isValid, invalidReason } = await new Promise<VerifyResponse>((resolve, reject) => {
    const signer = readingSigner(chain, signal, reject)
    const library = new ExactEvmScheme(signer, { eip6492AllowedFactories: [...allowedFactories] })
    library.verify(accepted, offered).then(resolve, (error: unknown) => {
      if (error instanceof TypeError || error instanceof RangeError) reject(error)
      // The library throws other errors only for a member of the payload that it cannot parse.
      else resolve({ isValid: false, invalidReason: 'invalid_payload' })
    })
  })
  const reason = invalidReason ?? 'invalid_payload'
  return isValid ? { ok: true } : { ok: false, reason, mayBeUsed: mayBeUsed.has(reason) }
}
