import type { HDKey } from '@scure/bip32'
import * as btc from '@scure/btc-signer'
import type { Network } from '../../../src/wire/addresses/codec.ts'
import type { DepositAddresses } from '../chain.ts'
import { bytesOf } from './network.ts'
import { orderKey } from './order-key.ts'

export interface OrderScript {
  readonly address: string
  readonly script: Uint8Array
}

/** The address of an order follows from its id and the account's public key, so none is stored, and no counter leaves gaps. */
export function orderScript(account: HDKey, orderId: string, network: Network): OrderScript {
  const { publicKey } = orderKey(account, orderId)
  if (!publicKey) throw new Error('the account has no public key')
  const { address, script } = btc.p2wpkh(publicKey, bytesOf[network])
  if (address === undefined) throw new Error('a P2WPKH output has an address')
  return { address, script }
}

/** Every wallet and exchange can pay to P2WPKH. */
export const bitcoinDeposits = (account: HDKey, network: Network): DepositAddresses => ({
  reserve: async (_, { orderId }) => ({ address: orderScript(account, orderId, network).address }),
})
