import { decodeBase58 } from './base58.ts'
import { decodeSegwit } from './bech32.ts'
import type { AddressCodec, Codec, Network, ParsedAddress } from './codec.ts'
import { sha256 } from './sha256.ts'

interface NetworkBytes {
  /** The human-readable part of SegWit addresses. */
  readonly prefix: string
  /** The first byte of addresses of keys (P2PKH) and of scripts (P2SH). */
  readonly versions: readonly number[]
}

/** Every public test network has the same addresses, and a local one (regtest) differs from them only in its prefix. */
const networks: { readonly [N in Network]: NetworkBytes } = {
  main: { prefix: 'bc', versions: [0x00, 0x05] },
  test: { prefix: 'tb', versions: [0x6f, 0xc4] },
  local: { prefix: 'bcrt', versions: [0x6f, 0xc4] },
}

const known = Object.values(networks)

/** SegWit addresses are the same in small and in large letters, which make smaller QR codes, so their canonical form is small. */
function parseSegwit(text: string, { prefix }: NetworkBytes): ParsedAddress {
  const decoded = decodeSegwit(text)
  if ('problem' in decoded) return decoded
  if (decoded.prefix === prefix) return { address: text.toLowerCase() }
  return { problem: known.some((other) => other.prefix === decoded.prefix) ? 'other_network' : 'malformed' }
}

/** The last four bytes begin the hash of the hash of the others. */
function parseBase58Check(text: string, { versions }: NetworkBytes): ParsedAddress {
  const bytes = /^[1-9A-HJ-NP-Za-km-z]{26,35}$/.test(text) ? decodeBase58(text) : undefined
  const version = bytes?.[0]
  if (bytes?.length !== 25 || version === undefined) return { problem: 'malformed' }
  const checksum = sha256(sha256(bytes.subarray(0, 21)))
  if (bytes.subarray(21).some((byte, index) => byte !== checksum[index])) return { problem: 'checksum' }
  if (versions.includes(version)) return { address: text }
  return { problem: known.some((other) => other.versions.includes(version)) ? 'other_network' : 'malformed' }
}

function addressesOn(network: Network): AddressCodec {
  const bytes = networks[network]
  const parse = (text: string): ParsedAddress => (/^(?:bc|tb|bcrt)1/i.test(text) ? parseSegwit(text, bytes) : parseBase58Check(text, bytes))
  return {
    parse,
    read(text) {
      const parsed = parse(text)
      return 'address' in parsed ? parsed.address : undefined
    },
    show: (address) => address,
  }
}

export const bitcoin: Codec = {
  addressesOn,
  parseHash: (text) => (/^[0-9a-fA-F]{64}$/.test(text) ? text.toLowerCase() : undefined),
}
