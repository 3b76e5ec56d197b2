import { type Hex, recoverAddress, serializeTypedData } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import * as z from 'zod'
import { canonicalIn } from '../../src/wire/addresses/canonical.ts'
import { moveDigest, moveTypedData } from '../chains/evm/move-digest.ts'
import { createRpc } from '../chains/evm/rpc.ts'
import type { GuardRequest } from '../chains/guard.ts'

/** Signs whatever it is given, so the caller must have decided that this may be signed. */
export interface MoveSigner {
  readonly address: string
  sign(request: GuardRequest, signal: AbortSignal): Promise<Hex>
}

export function keySigner(privateKey: Hex): MoveSigner {
  const account = privateKeyToAccount(privateKey)
  return {
    address: canonicalIn('evm', account.address),
    sign: (request) => account.sign({ hash: moveDigest(request) }),
  }
}

const Signature = z.string().regex(/^0x[0-9a-fA-F]{130}$/)

/** The key is in another service (web3signer, clef or a proxy of a cloud's key service), which serves `eth_signTypedData_v4`. */
export function typedDataSigner(url: string, address: string): MoveSigner {
  return {
    address: canonicalIn('evm', address),
    sign: async (request, signal) => {
      const call = { method: 'eth_signTypedData_v4', params: [address, walletText(request)], answer: Signature }
      const [signature] = await createRpc(request.chainId, [url]).read(signal, call)
      return checkedSignature(moveDigest(request), signature as Hex, address)
    },
  }
}

/** Returns the JSON that wallets and signing services take. */
export const walletText = (request: Pick<GuardRequest, 'chainId' | 'terms' | 'move'>): string => serializeTypedData(moveTypedData(request))

/** The factory takes a key's signature with 27 or 28 as its last byte. Some signers write 0 or 1, or put that bit into `s` (ERC-2098). */
export function factoryForm(signature: Hex): Hex {
  const { length } = signature
  if (length === 132) {
    const last = signature.slice(-2)
    return last === '00' || last === '01' ? `0x${signature.slice(2, -2)}${last === '00' ? '1b' : '1c'}` : signature
  }
  if (length !== 130) return signature
  const both = BigInt(`0x${signature.slice(66)}`)
  const s = BigInt.asUintN(255, both).toString(16).padStart(64, '0')
  return `0x${signature.slice(2, 66)}${s}${both === BigInt.asUintN(255, both) ? '1b' : '1c'}`
}

/** A faulty service could sign something else, or as somebody else. */
export async function checkedSignature(digest: Hex, given: Hex, address: string): Promise<Hex> {
  const signature = factoryForm(given)
  const signer = await recoverAddress({ hash: digest, signature }).catch(() => 'nobody')
  if (canonicalIn('evm', signer) === canonicalIn('evm', address)) return signature
  throw new WrongSigner(`The guard's signature is by ${signer}, not by the configured guard ${address}.`)
}

export class WrongSigner extends Error {
  override readonly name = 'WrongSigner'
  readonly code = 'guard_signer'
}
