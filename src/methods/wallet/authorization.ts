import { keccak256 } from 'viem/utils'
import { encodeHeader } from '../../wire/x402-header.ts'
import type { Offer, PaymentRequired } from './offers.ts'

/** The transfer that the payer's account is asked to sign (EIP-3009), as an EIP-712 message. */
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

/** Makes the PAYMENT-SIGNATURE header. Some wallets end a signature with 0 or 1 where tokens expect 27 or 28, so that is corrected. */
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

/** The nonce is the same for every attempt, so the token itself refuses to let one account pay twice for one order. */
const nonceOf = (orderId: string): `0x${string}` => keccak256(new TextEncoder().encode(`till:x402:${orderId}`))

export const authorize = (offer: Offer, from: `0x${string}`, orderId: string, now: number): Authorization => ({
  from,
  to: offer.payTo,
  value: offer.amount.toString(),
  validAfter: '0',
  validBefore: String(Math.floor(now / 1000) + offer.maxTimeoutSeconds),
  nonce: nonceOf(orderId),
})
