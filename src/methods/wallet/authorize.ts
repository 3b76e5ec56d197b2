import { keccak256 } from 'viem/utils'
import type { Authorization } from './authorization.ts'
import type { Offer } from './offers.ts'

/** The same for every try: so the token itself refuses to be moved twice for one order by one account. */
const nonceOf = (orderId: string): `0x${string}` => keccak256(new TextEncoder().encode(`till:x402:${orderId}`))

export const authorize = (offer: Offer, from: `0x${string}`, orderId: string, now: number): Authorization => ({
  from,
  to: offer.payTo,
  value: offer.amount.toString(),
  validAfter: '0',
  validBefore: String(Math.floor(now / 1000) + offer.maxTimeoutSeconds),
  nonce: nonceOf(orderId),
})
