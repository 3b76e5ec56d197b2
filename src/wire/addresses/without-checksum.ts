import type { AddressCodec, Codec } from './codec.ts'

/** Makes the codec of a family whose addresses have no checksum, are the same on every network, and are read as they are shown. */
export function withoutChecksum({ read, nobody, parseHash }: Pick<AddressCodec, 'read' | 'nobody'> & Pick<Codec, 'parseHash'>): Codec {
  const addresses: AddressCodec = {
    parse(text) {
      const address = read(text)
      return address === undefined ? { problem: 'malformed' } : { address }
    },
    read,
    show: (address) => address,
    nobody,
  }
  return { addressesOn: () => addresses, parseHash }
}
