import { canonicalIn } from '../addresses/canonical.ts'
import { chainFacts, nativeAddress } from '../chain-facts.ts'
import type { OrderTerms, TermsSettlement } from './order-terms.ts'

/**
 * This reads terms that somebody else wrote, as the schema in order-terms.ts does. A page and a merchant's server check orders without
 * that schema, because it would be most of what they have to load.
 */

export type Json = Readonly<Record<string, unknown>>
export const isObject = (value: unknown): value is Json => typeof value === 'object' && value !== null && !Array.isArray(value)

export const isEvmAddress = (value: unknown): value is string => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)
export const isWholeNumber = (value: unknown, most = Number.MAX_SAFE_INTEGER): value is number =>
  Number.isInteger(value) && Number(value) >= 0 && Number(value) <= most

/** A chain that this release does not know counts as one of the EVM, so that its addresses are checked and not trusted. */
export const isEvm = (chainId: number): boolean => (chainFacts(chainId)?.family ?? 'evm') === 'evm'

const hasOnly = (value: Json, members: string): boolean => Object.keys(value).sort().join() === members

const isUint256 = (value: unknown): value is string =>
  typeof value === 'string' && /^(0|[1-9]\d{0,77})$/.test(value) && BigInt(value) < 1n << 256n

const isSettlement = (value: unknown): value is TermsSettlement =>
  isObject(value) &&
  hasOnly(value, 'chain_id,fee_collector,first_of_chain,max_fee_bps,max_fee_flat,recipient,token') &&
  isWholeNumber(value.chain_id) &&
  isEvm(value.chain_id) &&
  (value.token === null || (isEvmAddress(value.token) && value.token !== nativeAddress)) &&
  isEvmAddress(value.recipient) &&
  isEvmAddress(value.fee_collector) &&
  isWholeNumber(value.max_fee_bps, 10_000) &&
  isUint256(value.max_fee_flat) &&
  typeof value.first_of_chain === 'boolean'

const isTerms = (value: unknown): value is OrderTerms =>
  isObject(value) &&
  hasOnly(value, 'default_recipient,factory,guard,order_id,release_at,settlements,version') &&
  value.version === 1 &&
  typeof value.order_id === 'string' &&
  /^[\w-]{1,64}$/.test(value.order_id) &&
  isEvmAddress(value.factory) &&
  Array.isArray(value.settlements) &&
  value.settlements.length > 0 &&
  value.settlements.length <= 16 &&
  value.settlements.every(isSettlement) &&
  isEvmAddress(value.default_recipient) &&
  isEvmAddress(value.guard) &&
  isWholeNumber(value.release_at)

/** Returns undefined for anything but terms whose settlements are sorted, differ in chain or token, and of which one per chain is the first. */
export function readTerms(value: unknown): OrderTerms | undefined {
  if (!isTerms(value)) return undefined
  const { settlements } = value
  // Numbers of equal length sort as text, and the native coin has no letters, so it comes first as the zero address would.
  const keys = settlements.map(settlementKey)
  const isSorted = keys.every((key, i) => i === 0 || keys[i - 1]! < key)
  const firsts = settlements.filter((settlement) => settlement.first_of_chain).map((settlement) => settlement.chain_id)
  const chains = new Set(settlements.map((settlement) => settlement.chain_id))
  return isSorted && firsts.length === chains.size && new Set(firsts).size === chains.size ? value : undefined
}

export const settlementKey = ({ chain_id, token }: { readonly chain_id: number; readonly token: string | null }): string =>
  `${String(chain_id).padStart(16, '0')} ${(isEvm(chain_id) && token ? lowerCase(token) : token) ?? ''}`

/** Two spellings of an EVM address are equal in lower case. */
export const lowerCase = (address: string): string => canonicalIn('evm', address)
