import { decodeFunctionResult, encodeFunctionData, type Hex, parseAbi, recoverAddress, zeroHash } from 'viem'
import { canonicalIn } from '../../src/wire/addresses/canonical.ts'
import { codeCall, ethCall } from '../chains/evm/rpc-calls.ts'
import type { Attempt, Rpc } from '../chains/evm/rpc.ts'
import { factoryForm } from './move-signer.ts'

const abi = parseAbi(['function isValidSignature(bytes32 hash, bytes signature) view returns (bytes4)'])
const approved = '0x1626ba7e'
/** The factory allows a guard this much gas (GUARD_GAS in TillFactory.sol). */
const gas = 300_000n

/** The address cannot be an organisation's guard, so nothing was changed. */
export class GuardMisconfigured extends Error {
  override readonly name = 'GuardMisconfigured'
  readonly code = 'guard_misconfigured'
}

/** An account whose code only delegates (EIP-7702) still signs with its own key, which the factory accepts. */
const isKey = (code: Hex): boolean => code === '0x' || /^0xef0100[0-9a-f]{40}$/.test(code)

/**
 * A guard is a key on every chain or a contract wallet on every chain on which it is used. A wallet that is missing on some of these would leave
 * their refunds without a signature, so it is refused, like a contract that does not answer ERC-1271. Code on a chain on which it is not used
 * shows as well that it is no key.
 */
export async function checkGuard(
  { used, others = [] }: { readonly used: readonly Rpc[]; readonly others?: readonly Rpc[] },
  guard: string,
  signal: AbortSignal,
): Promise<'key' | 'contract'> {
  const kindOn = async (rpc: Rpc) => {
    const [code] = await rpc.read(signal, codeCall(guard))
    return { chainId: rpc.chainId, isUsed: used.includes(rpc), isKey: isKey(code) }
  }
  const kinds = await Promise.all([...used, ...others].map(kindOn))
  const contracts = kinds.filter((kind) => !kind.isKey)
  if (contracts.length === 0) return 'key'
  const missing = kinds.find((kind) => kind.isUsed && kind.isKey)
  if (missing)
    throw new GuardMisconfigured(
      `The guard ${guard} is a contract on chain ${contracts[0]!.chainId} and has no code on chain ${missing.chainId}: deploy the wallet at the same address on every chain on which the organisation is paid.`,
    )
  for (const rpc of used) {
    const [attempt] = await rpc.attempt(signal, validCall(guard, zeroHash, '0x'))
    if (isApproved(attempt))
      throw new GuardMisconfigured(`The guard ${guard} on chain ${rpc.chainId} approves an empty signature, so anybody could move money.`)
    if (!answers(attempt))
      throw new GuardMisconfigured(`The contract ${guard} on chain ${rpc.chainId} does not answer isValidSignature (ERC-1271).`)
  }
  return 'contract'
}

const validCall = (guard: string, digest: Hex, signature: Hex) =>
  ethCall({ to: guard, data: encodeFunctionData({ abi, functionName: 'isValidSignature', args: [digest, signature] }), gas }, 'latest')

/** Wallets refuse a wrong signature by another answer or by a revert with a reason. A contract without the function gives neither. */
function answers(attempt: Attempt<Hex>): boolean {
  if ('value' in attempt) return attempt.value.length >= 66
  const { data } = attempt.error
  return typeof data === 'string' && data.length > 2
}

function isApproved(attempt: Attempt<Hex>): boolean {
  if (!('value' in attempt) || attempt.value.length < 66) return false
  try {
    return decodeFunctionResult({ abi, data: attempt.value }) === approved
  } catch {
    return false
  }
}

/**
 * Asks as the factory will: a key's signature, or else the contract's answer. Returns the bytes that the factory accepts, or undefined if it
 * accepts none. A contract gets its signature as it was given, since only the contract knows what the bytes mean.
 */
export async function approvedSignature(rpc: Rpc, guard: string, digest: Hex, given: Hex, signal: AbortSignal): Promise<Hex | undefined> {
  const signature = factoryForm(given)
  const signer = signature.length === 132 ? await recoverAddress({ hash: digest, signature }).catch(() => undefined) : undefined
  if (signer !== undefined && canonicalIn('evm', signer) === canonicalIn('evm', guard)) return signature
  const [attempt] = await rpc.attempt(signal, validCall(guard, digest, given))
  return isApproved(attempt) ? given : undefined
}
