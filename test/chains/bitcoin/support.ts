import { HDKey } from '@scure/bip32'
import { createHash } from 'node:crypto'
import type { BitcoinConfig } from '../../../server/chains/bitcoin/bitcoin-config.ts'
import { parseChainTable } from '../../../server/chains/table.ts'

const versions = { private: 0x04358394, public: 0x043587cf }
const seed = createHash('sha256').update('till test bitcoin').digest()

/** The account of the tests' orders. */
export const testAccount = HDKey.fromMasterSeed(seed, versions).derive("m/84'/1'/0'")

export const bitcoin = { chain_id: 20_000_000_000_001, address: null } as const

export const bitcoinEntry = (more: object = {}) => ({
  chain_id: bitcoin.chain_id,
  network: 'local',
  nodes: [{ rpc_url: 'http://127.0.0.1:1' }],
  account: { env: 'ACCOUNT' },
  ...more,
})

export const bitcoinEnv = { ACCOUNT: testAccount.privateExtendedKey }

export function bitcoinConfig(more: object = {}): BitcoinConfig {
  const [config] = parseChainTable({ chains: [bitcoinEntry(more)] }, bitcoinEnv)
  if (config?.family !== 'bitcoin') throw new Error('the entry is one of Bitcoin')
  return config
}

export const testConfig = bitcoinConfig()
