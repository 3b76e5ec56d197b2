import { keccak256 } from 'viem/utils'
import { encodeHeader } from '../../wire/x402-header.ts'
import type { Offer, PaymentRequired } from './offers.ts'

/** The payer's account signs this transfer (EIP-3009) as an EIP-712 message. */
export interface Authorization {
  readonly from: `0x${string}`
  readonly to: `0x${string}`
  readonly value: string
  readonly validAfter: string
  readonly validBefore: string
  readonly nonce: `0x${string}`
}

export const authorizationTypes = {
  TransferWithAuthorization: [
    { name: 'from', type: 'address' },
    { name: 'to', type: 'address' },
    { name: 'value', type: 'uint256' },
    { name: 'validAfter', type: 'uint256' },
    { name: 'validBefore', type: 'uint256' },
    { name: 'nonce', type: 'bytes32' },
  ],
} as const

/** Builds the PAYMENT-SIGNATURE header. Some wallets end a signature with 0 or 1, but tokens expect 27 or 28, so this corrects it. */
export const paymentHeader = (
  { resource, extensions }: PaymentRequired,
  { raw }: Offer,
  authorization: Authorization,
  signature: string,
): string =>
  encodeHeader({
    x402Version: 2,
    ...(resource === undefined ? {} : { resource }),
    accepted: raw,
    payload: {
      authorization,
      signature: signature.length === 132 ? signature.replace(/0[01]$/, (end) => (end === '00' ? '1b' : '1c')) : signature,
    },
    ...(extensions === undefined ? {} : { extensions }),
  })

/** Every attempt for an order has the same nonce, so a token itself rejects a second payment by the same account. */
const nonceOf = (orderId: string): `0x${string}` => keccak256(new TextEncoder().encode(`till:x402:${orderId}`))

export const authorize = (offer: Offer, from: `0x${string}`, orderId: string, now: number): Authorization => ({
  from,
  to: offer.payTo,
  value: offer.amount.toString(),
  validAfter: '0',
  validBefore: String(Math.floor(now / 1000) + offer.maxTimeoutSeconds),
  nonce: nonceOf(orderId),
})
