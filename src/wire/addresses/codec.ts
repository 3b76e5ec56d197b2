/** Addresses of different networks of one family may look different, so that money for a test network is not sent to the main one. */
export type Network = 'main' | 'test' | 'local'

export type AddressProblem = 'malformed' | 'checksum' | 'other_network'

export type ParsedAddress = { readonly address: string } | { readonly problem: AddressProblem }

/**
 * A family of chains writes addresses in its own way. The canonical form is the one in which two spellings of an address are equal. Only a
 * codec may change the case of an address, because in some families the case is a part of it.
 */
export interface AddressCodec {
  /** Verifies form, checksum and network, and returns the canonical form. It cannot tell whether anybody owns the address. */
  parse(text: string): ParsedAddress
  /** Also accepts a wrong checksum if its correct form is certain, for an address that is only looked at and that gets no money. */
  read(text: string): string | undefined
  /** Returns the form in which people read and copy a canonical address. */
  show(address: string): string
  /** Nobody has a key for this address, so money that is sent there is lost. Bitcoin has none. */
  readonly nobody?: string
}

export interface Codec {
  addressesOn(network: Network): AddressCodec
  /** Returns the canonical form of a transaction's hash, or undefined if the text cannot be one. */
  parseHash(text: string): string | undefined
}
