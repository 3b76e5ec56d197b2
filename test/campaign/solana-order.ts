import { localTokens } from '../../local/solana/tokens.ts'
import type { Client } from '../support/client/client.ts'
import { checkout, type Checkout } from '../support/orders/payments.ts'
import { solanaChain } from '../support/service/solana-stage.ts'
import { askAgain } from './ask-again.ts'

export const usdcOnSolana = localTokens[0].address

/** Opens an order with instructions on Solana, in a token or in coins. */
export const openOnSolana = (
  client: Client,
  usd: string,
  token: string | null,
  more: { readonly refund_address?: string } = {},
): Promise<Checkout> =>
  askAgain(() => checkout(client, { amount: usd, fiat_unit: 'usd' }, { source: { ...solanaChain, address: token }, ...more }))
