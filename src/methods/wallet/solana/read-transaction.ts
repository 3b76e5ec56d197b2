import { encodeBase58 } from '../../../wire/addresses/base58.ts'

/** What a transaction of Solana makes the network do, and who has to sign it. */
export interface ReadTransaction {
  /** The first of them pays the network fee. */
  readonly signers: readonly string[]
  readonly instructions: readonly Instruction[]
}

export interface Instruction {
  readonly program: string
  readonly accounts: readonly string[]
  readonly data: Uint8Array
}

const signatureBytes = 64
const keyBytes = 32

/** Returns undefined for bytes that are no transaction, and for one that takes accounts from tables, which only a node can look up. */
export function readTransaction(bytes: Uint8Array): ReadTransaction | undefined {
  try {
    return read(bytes)
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}

function read(bytes: Uint8Array): ReadTransaction | undefined {
  let at = 0
  const take = (length: number): Uint8Array => {
    if (at + length > bytes.length) throw new RangeError('the transaction ends too early')
    return bytes.subarray(at, (at += length))
  }
  const byte = (): number => take(1)[0] ?? 0
  /** A length has seven bits in each byte, the lowest first. */
  const length = (): number => {
    let value = 0
    for (let shift = 0; shift < 21; shift += 7) {
      const part = byte()
      value |= (part & 0x7f) << shift
      if (part < 0x80) return value
    }
    throw new RangeError('the length is too long')
  }
  const list = <T>(item: () => T): T[] => Array.from({ length: length() }, item)

  list(() => take(signatureBytes))
  // The highest bit says that a version follows, and a message without it is of the oldest form.
  const first = byte()
  const isVersioned = first >= 0x80
  if (isVersioned && first !== 0x80) return undefined
  const signerCount = isVersioned ? byte() : first
  take(2)
  const keys = list(() => encodeBase58(take(keyBytes)))
  const keyAt = (index: number): string => {
    const key = keys[index]
    if (key === undefined) throw new RangeError('the account is not in the list')
    return key
  }
  take(keyBytes)
  const instructions = list(() => ({ program: keyAt(byte()), accounts: list(() => keyAt(byte())), data: take(length()) }))
  if (isVersioned && length() !== 0) return undefined
  if (at !== bytes.length || signerCount === 0 || signerCount > keys.length) return undefined
  return { signers: keys.slice(0, signerCount), instructions }
}
