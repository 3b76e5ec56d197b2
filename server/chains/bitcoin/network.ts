import * as btc from '@scure/btc-signer'
import type { Network } from '../../../src/wire/addresses/codec.ts'

/** How the library that encodes scripts names the networks of our codec (src/wire/addresses/bitcoin.ts). */
export const bytesOf: Readonly<Record<Network, typeof btc.NETWORK>> = {
  main: btc.NETWORK,
  test: btc.TEST_NETWORK,
  local: { ...btc.TEST_NETWORK, bech32: 'bcrt' },
}
