import {
  appendTransactionMessageInstructions,
  compileTransaction,
  decompileTransactionMessage,
  getBase64EncodedWireTransaction,
  getCompiledTransactionMessageDecoder,
  getTransactionDecoder,
  type Instruction,
} from '@solana/kit'
import { getSetComputeUnitLimitInstruction } from '@solana-program/compute-budget'
import type { PaymentPayload as LibraryPayload, PaymentRequirements as LibraryRequirements } from '@x402/core/types'
import type { FacilitatorSvmSigner } from '@x402/svm'
import { ExactSvmScheme } from '@x402/svm/exact/facilitator'
import type { PaymentRequirements, SolanaPaymentPayload } from '../../../../src/wire/x402.ts'
import type { Verdict } from '../../x402.ts'
import { accountsCall, asAddress, isTokenAccount, simulationCall } from '../calls.ts'
import type { Mint } from '../mints.ts'
import { opening } from '../payouts/build-transaction.ts'
import type { SolanaRpc } from '../rpc-client.ts'
import { tokenAccount } from '../token-account.ts'

/** The library has these reasons. */
const feePayerUsed = 'invalid_exact_svm_payload_transaction_fee_payer_transferring_funds'
const simulationFailed = 'invalid_exact_svm_transaction_simulation_failed'
/** The payer and the operator sign, and nobody else. */
const mostSignatures = 2
/** A transfer takes about 6,500, an opening up to 40,000, and checks that wallets add take some. */
const mostUnits = 200_000

export interface Verification {
  readonly rpc: SolanaRpc
  readonly operator: string
  readonly payload: SolanaPaymentPayload
  readonly offer: PaymentRequirements
  readonly mint: Mint
  readonly usesFeePayer: boolean
}

/** The official library decides. It treats an unreachable node like an invalid payment, so the first failed request rejects the verification. */
export async function verify({ rpc, operator, payload, offer, mint, usesFeePayer }: Verification, signal: AbortSignal): Promise<Verdict> {
  // The library lets the operator be named in instructions that wallets add, where he could be made to pay for an account.
  if (usesFeePayer) return { ok: false, reason: feePayerUsed, mayBeUsed: false }
  const network = offer.network as LibraryRequirements['network']
  const accepted = { ...payload, accepted: { ...offer, network, extra: { ...offer.extra } } } as LibraryPayload
  const required: LibraryRequirements = { ...offer, network, extra: { ...offer.extra } }
  let failure: unknown
  const signer = simulatingSigner({ rpc, operator, offer, mint, signal, onFailure: (error) => (failure ??= error) })
  const limits = { maxRequiredSignatures: mostSignatures, maxComputeUnits: mostUnits }
  const { isValid, invalidReason } = await new ExactSvmScheme(signer, undefined, limits).verify(accepted, required)
  if (failure !== undefined) throw failure
  const reason = invalidReason ?? 'invalid_payload'
  // A simulation also fails if this very transaction is in a block already.
  return isValid ? { ok: true } : { ok: false, reason, mayBeUsed: reason === simulationFailed }
}

interface Simulating {
  readonly rpc: SolanaRpc
  readonly operator: string
  readonly offer: PaymentRequirements
  readonly mint: Mint
  readonly signal: AbortSignal
  readonly onFailure: (error: unknown) => void
}

/** Signs and sends nothing: our own queue does. */
function simulatingSigner({ rpc, operator, offer, mint, signal, onFailure }: Simulating): FacilitatorSvmSigner {
  const unused = () => Promise.reject(new Error('this signer only simulates'))
  return {
    getAddresses: () => [asAddress(operator)],
    async simulateTransaction(transaction) {
      const account = await tokenAccount(offer.payTo, mint)
      let problem: unknown
      try {
        const [{ value }] = await rpc.read(signal, accountsCall([account], 0))
        const asked = isTokenAccount(value[0] ?? null)
          ? transaction
          : withOpening(transaction, await opening(asAddress(operator), asAddress(offer.payTo), mint))
        const [simulated] = await rpc.attempt(signal, simulationCall(asked, 0))
        problem = 'error' in simulated ? simulated.error.message : simulated.value.value.err
      } catch (error) {
        onFailure(error)
        throw error
      }
      if (problem !== undefined) throw new Error(`simulation failed: ${JSON.stringify(problem)}`)
    },
    signTransaction: unused,
    sendTransaction: unused,
    confirmTransaction: unused,
  }
}

/**
 * The order's account is opened only for what would succeed once it is there. A simulation needs no signatures. The opening takes units of its own,
 * and what limits them comes first.
 */
function withOpening(base64: string, instruction: Instruction): string {
  const { messageBytes } = getTransactionDecoder().decode(Buffer.from(base64, 'base64'))
  const message = decompileTransactionMessage(getCompiledTransactionMessageDecoder().decode(messageBytes))
  const [, ...others] = message.instructions
  const instructions = [getSetComputeUnitLimitInstruction({ units: mostUnits }), instruction, ...others]
  const opened = { ...message, instructions: [] }
  return getBase64EncodedWireTransaction(compileTransaction(appendTransactionMessageInstructions(instructions, opened as never)))
}
