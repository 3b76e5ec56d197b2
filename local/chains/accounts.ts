import { keccak256, stringToBytes, type Hex } from 'viem'
import { privateKeyToAddress } from 'viem/accounts'

export interface LocalAccount {
  readonly address: string
  readonly private_key: Hex
}

/** Anyone can compute these keys, so they must control nothing but money on throw-away chains. */
function account(name: string): LocalAccount {
  const private_key = keccak256(stringToBytes(`till:local:${name}`))
  return { address: privateKeyToAddress(private_key).toLowerCase(), private_key }
}

export const operator = account('operator')
/** This account owns the factory, deploys the contracts and provides the exchange's liquidity. */
export const owner = account('owner')
/** It signs for refunds and conversions. */
export const guard = account('guard')
/** It signs for the organisation that has a guard of its own. */
export const ownGuard = account('own-guard')
export const payers: readonly LocalAccount[] = Array.from({ length: 10 }, (_, i) => account(`payer:${i}`))
/** The simulated card provider delivers from this account, which is the last of the payers. */
export const cardProvider = account('payer:9')
export const faucet = account('payer:8')
export const merchant = account('merchant')
export const feeCollector = account('fees')
