import * as z from 'zod/mini'
import { ChainId } from './chain.ts'
import { Address } from './scalars.ts'
import { PaymentRequirements } from './x402.ts'

export const WalletTransactionRequest = z.object({
  chain_id: ChainId,
  /** It is null for the network's own coin. */
  token_address: z.nullable(Address),
  payer: Address,
  /** The wallet can sign without sending, so the service may pay the network fee and send it. */
  signs_only: z.optional(z.boolean()),
})

export const WalletTransaction = z.object({
  /** Unsigned, in the form in which it is sent, in base64. */
  transaction: z.string(),
  /** If this is not null, the wallet only signs, and the signed transaction is sent as the payment of this x402 offer. */
  offer: z.nullable(PaymentRequirements),
})
