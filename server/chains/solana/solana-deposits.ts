import type { DepositAddresses } from '../chain.ts'
import { watchAddress, watchAtOldAddresses } from './accounts.ts'
import { addressPool } from './address-pool.ts'
import type { SolanaSigner } from './signer.ts'
import type { SolanaConfig } from './solana-config.ts'

/** An order takes an address from the pool, and from then on the feed reads what arrives there. */
export function solanaDeposits(
  { chainId, tokens, addressesAhead }: Pick<SolanaConfig, 'chainId' | 'tokens' | 'addressesAhead'>,
  signer: SolanaSigner,
): DepositAddresses {
  const pool = addressPool({ signer, size: addressesAhead })

  let watchesAll = false
  return {
    async reserve(sql, ask) {
      const { address } = await pool.reserve(sql, ask)
      await watchAddress(sql, chainId, address, tokens)
      return { address }
    },
    async prepare(sql, signal) {
      // A token may have been configured since the last start.
      if (!watchesAll) for (const token of tokens) await watchAtOldAddresses(sql, chainId, token)
      watchesAll = true
      await pool.fill(sql, signal)
    },
  }
}
