import type { ChainFamily } from '../../src/wire/chain-facts.ts'
import type * as z from 'zod/mini'
import type { WalletRef } from '../../src/wire/order.ts'

/** The API names kinds of wallets, each of which belongs to one family of chains. */
export const familyOfWallet: Readonly<Record<z.infer<typeof WalletRef>['chain_type'], ChainFamily>> = {
  EVM: 'evm',
  UTXO: 'bitcoin',
  SOL: 'solana',
  SUI: 'sui',
}
