import { keccak_256 } from '@noble/hashes/sha3'

/** The EVM hashes words of 32 bytes, which are written here in hexadecimal without the 0x. */
export type Word = string

const bytesOf = (hex: string): Uint8Array => Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16))
const hexOf = (bytes: Uint8Array): string => [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join('')

export const hashOf = (hex: string): Word => hexOf(keccak_256(bytesOf(hex)))
export const hashOfText = (text: string): Word => hexOf(keccak_256(new TextEncoder().encode(text)))

export const numberWord = (value: bigint | number): Word => value.toString(16).padStart(64, '0')
/** Null is the native coin, which contracts call the zero address. */
export const addressWord = (address: string | null): Word => (address ?? '').slice(2).toLowerCase().padStart(64, '0')
