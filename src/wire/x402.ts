import * as z from 'zod/mini'
import { ChainId } from './chain.ts'
import { Address } from './scalars.ts'

/** These are the x402 version 2 objects inside the PAYMENT-* headers, which are padded base64 of UTF-8 JSON. */

export const PaymentRequirements = z.object({
  scheme: z.string(),
  network: z.string(),
  amount: z.string(),
  asset: z.string(),
  payTo: z.string(),
  maxTimeoutSeconds: z.number(),
  /** On EVM chains the name and version of the token's EIP-712 domain, on Solana the account that pays the network fee. */
  extra: z.optional(z.looseObject({ name: z.optional(z.string()), version: z.optional(z.string()), feePayer: z.optional(z.string()) })),
})
export type PaymentRequirements = z.infer<typeof PaymentRequirements>

export const PaymentRequired = z.object({
  x402Version: z.literal(2),
  error: z.optional(z.string()),
  resource: z.looseObject({ url: z.string(), description: z.optional(z.string()), mimeType: z.optional(z.string()) }),
  accepts: z.array(PaymentRequirements),
  extensions: z.optional(z.looseObject({})),
})
export type PaymentRequired = z.infer<typeof PaymentRequired>

const account = z.string().check(z.regex(/^0x[0-9a-fA-F]{40}$/))
const whole = z.string().check(z.regex(/^\d{1,78}$/))

/** The payer's account signs this authorization (EIP-3009). */
const ExactAuthorization = z.object({
  from: account,
  to: account,
  value: whole,
  validAfter: whole,
  validBefore: whole,
  nonce: z.string().check(z.regex(/^0x[0-9a-fA-F]{64}$/)),
})

const envelope = {
  x402Version: z.literal(2),
  resource: z.optional(z.looseObject({ url: z.string() })),
  accepted: z.looseObject({
    scheme: z.string(),
    network: z.string(),
    amount: z.string(),
    asset: z.string(),
    payTo: z.string(),
    maxTimeoutSeconds: z.number(),
  }),
}

export const PaymentPayload = z.object({
  ...envelope,
  payload: z.object({ signature: z.string().check(z.regex(/^0x([0-9a-fA-F]{2})+$/)), authorization: ExactAuthorization }),
})
export type PaymentPayload = z.infer<typeof PaymentPayload>

/** The payer signs a whole transaction, whose fee somebody else pays. Networks carry none of more than 1,232 bytes. */
export const SolanaPaymentPayload = z.object({
  ...envelope,
  payload: z.object({ transaction: z.string().check(z.maxLength(1_644), z.regex(/^[A-Za-z0-9+/]+={0,2}$/)) }),
})
export type SolanaPaymentPayload = z.infer<typeof SolanaPaymentPayload>

export const PaymentResponse = z.object({
  success: z.boolean(),
  transaction: z.string(),
  network: z.string(),
  payer: z.optional(z.string()),
  errorReason: z.optional(z.string()),
})
export type PaymentResponse = z.infer<typeof PaymentResponse>

export const X402CompleteRequest = z.object({
  preferred_chain_type: z.optional(z.string()),
  preferred_chain_id: z.optional(ChainId),
  preferred_token_address: z.optional(Address),
})
