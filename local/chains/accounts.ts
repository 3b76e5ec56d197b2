import { keccak256, stringToBytes, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'

export interface LocalAccount {
  readonly address: string
  readonly private_key: Hex
}

/** Keys that anyone can compute: they are worth something only on chains that are thrown away. */
function account(name: string): LocalAccount {
  const private_key = keccak256(stringToBytes(`till:local:${name}`))
  return { address: privateKeyToAddress(private_key).toLowerCase(), private_key }
}

export const operator = account('operator')
/** Owns the factory, and made the tokens and the exchange's liquidity. */
export const owner = account('owner')
export const payers: readonly LocalAccount[] = Array.from({ length: 10 }, (_, i) => account(`payer:${i}`))
/** What the simulated card provider delivers from: the last of the payers. */
export const cardProvider = account('payer:9')
/** What the payers of played scenarios get their money from. */
export const faucet = account('payer:8')
/** Where the local organisation's money goes, and its fees. */
export const merchant = account('merchant')
export const feeCollector = account('fees')
