import { ed25519 } from '@noble/curves/ed25519'
import {
  type Address,
  createKeyPairFromPrivateKeyBytes,
  getAddressDecoder,
  getAddressEncoder,
  getBase64EncodedWireTransaction,
  getTransactionDecoder,
  isAddress,
  signBytes,
  type Transaction,
} from '@solana/kit'
import * as z from 'zod'
import { withDeadline } from '../../lib/with-deadline.ts'
import { deriveKey } from './derive-key.ts'

/** Signs whatever it is given with the keys that it is asked for, so the caller must decide what may be signed. */
export interface SolanaSigner {
  /** Pays the fees. */
  readonly operator: Address
  /** The address of key 0, which no order gets. It names the signer. */
  readonly first: Address
  /** Returns the addresses of the keys from this number on. */
  addresses(from: number, count: number, signal: AbortSignal): Promise<readonly Address[]>
  /** Adds the signatures of the keys with these numbers, and of the operator, who pays the fee. */
  sign(unsigned: Transaction, keys: readonly number[], signal: AbortSignal): Promise<Transaction>
}

export type SolanaKeys =
  /** All keys derive from a seed. The operator has one of his own. */
  | { readonly kind: 'local'; readonly seed: Uint8Array; readonly operatorKey: Uint8Array }
  | { readonly kind: 'remote'; readonly url: string; readonly operator: Address; readonly first: Address }

export class SignerRefused extends Error {
  override readonly name = 'SignerRefused'
  readonly code = 'remote_signer'
}

export function createSolanaSigner(keys: SolanaKeys): SolanaSigner {
  switch (keys.kind) {
    case 'local':
      return localSigner(keys.seed, keys.operatorKey)
    case 'remote':
      return remoteSigner(keys)
    default:
      return keys satisfies never
  }
}

export const addressOfKey = (privateKey: Uint8Array): Address => getAddressDecoder().decode(ed25519.getPublicKey(privateKey))

const localSigner = (seed: Uint8Array, operatorKey: Uint8Array): SolanaSigner => ({
  operator: addressOfKey(operatorKey),
  first: addressOfKey(deriveKey(seed, 0)),
  addresses: async (from, count) => Array.from({ length: count }, (_, i) => addressOfKey(deriveKey(seed, from + i))),
  async sign(unsigned, keys) {
    const signatures = { ...unsigned.signatures }
    for (const privateKey of [operatorKey, ...keys.map((index) => deriveKey(seed, index))]) {
      const pair = await createKeyPairFromPrivateKeyBytes(privateKey)
      signatures[addressOfKey(privateKey)] = await signBytes(pair.privateKey, unsigned.messageBytes)
    }
    return checked(unsigned, { ...unsigned, signatures })
  },
})

const timeoutMs = 30_000
const mostBytes = 1_000_000
const Addresses = z.object({ result: z.array(z.string().refine(isAddress)) })
const Signed = z.object({ result: z.base64() })

/**
 * The keys are in another service. It serves `getAddresses` (from a number on, and how many), which always answers the same for a number, and
 * `signTransaction` (a transaction in base64, and the numbers of the keys whose signatures it needs besides the operator's).
 */
function remoteSigner({ url, operator, first }: Extract<SolanaKeys, { kind: 'remote' }>): SolanaSigner {
  async function ask<T>(method: string, params: readonly unknown[], answer: z.ZodType<T>, signal: AbortSignal): Promise<T> {
    const { status, text } = await withDeadline(timeoutMs, signal, async (deadline) => {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
        redirect: 'error',
        signal: deadline,
      })
      return { status: response.status, text: await response.text() }
    })
    if (text.length > mostBytes) throw new SignerRefused('The remote signer’s answer is too long.')
    const parsed = answer.safeParse(parseJson(text))
    if (!parsed.success) throw new SignerRefused(`The remote signer answered ${method} with status ${status} and no result.`)
    return parsed.data
  }
  return {
    operator,
    first,
    async addresses(from, count, signal) {
      const { result } = await ask('getAddresses', [from, count], Addresses, signal)
      if (new Set(result).size !== count)
        throw new SignerRefused(`The remote signer was asked for ${count} addresses and has not given as many.`)
      return result
    },
    async sign(unsigned, keys, signal) {
      const { result } = await ask('signTransaction', [getBase64EncodedWireTransaction(unsigned), keys], Signed, signal)
      return checked(unsigned, decode(result))
    },
  }
}

function decode(base64: string): Transaction {
  try {
    return getTransactionDecoder().decode(Buffer.from(base64, 'base64'))
  } catch {
    throw new SignerRefused('The remote signer’s answer is not a transaction.')
  }
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** A faulty signer could return another transaction, which we would broadcast as our own, so it is compared and its signatures are verified. */
function checked(asked: Transaction, signed: Transaction): Transaction {
  if (Buffer.compare(Uint8Array.from(asked.messageBytes), Uint8Array.from(signed.messageBytes)) !== 0)
    throw new SignerRefused('The signer signed a different transaction from the one it was given.')
  for (const address of Object.keys(asked.signatures) as Address[]) {
    const signature = signed.signatures[address]
    if (!signature || !isValid(signature, asked, address)) throw new SignerRefused(`The signer has not signed with the key of ${address}.`)
  }
  return { ...asked, signatures: signed.signatures }
}

function isValid(signature: Uint8Array, { messageBytes }: Transaction, address: Address): boolean {
  try {
    return ed25519.verify(signature, Uint8Array.from(messageBytes), Uint8Array.from(getAddressEncoder().encode(address)))
  } catch {
    // It has not the form of a signature.
    return false
  }
}
