import * as z from 'zod/mini'
import { ChainId } from './chain.ts'
import { NetworkFee } from './currency.ts'
import { Address, RawString } from './scalars.ts'
import { PaymentRequirements } from './x402.ts'

export const WalletTransactionRequest = z.object({
  chain_id: ChainId,
  /** It is null for the network's own coin. */
  token_address: z.nullable(Address),
  payer: Address,
  /** In smallest units: everything, or the rest if something has arrived. By default everything that can be paid. */
  amount: z.optional(RawString),
  /** The wallet can sign without sending, so the service may pay the network fee and send it. */
  signs_only: z.optional(z.boolean()),
})

export const WalletTransaction = z.object({
  /** Unsigned, in the form in which it is sent, in base64. */
  transaction: z.string(),
  /** If this is not null, the wallet only signs, and the signed transaction is sent as the payment of this x402 offer. */
  offer: z.nullable(PaymentRequirements),
})

/** In smallest units of the network's own coin, and about as much in the order's fiat unit, where the coin has a price. */
const NetworkCost = z.object({ raw: RawString, fiat: z.optional(NetworkFee) })

/** What the network takes from the payer. */
export const WalletCost = z.object({
  /** It is null if the service pays it. */
  network_fee: z.nullable(NetworkCost),
  /** The account in which the order gets the token, if the payer has to open it. */
  account: z.nullable(NetworkCost),
})
