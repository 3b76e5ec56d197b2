import { bitcoin } from '../chains/bitcoin/support.ts'
import type { Client } from '../support/client/client.ts'
import { checkout, type Checkout } from '../support/orders/payments.ts'
import { askAgain } from './ask-again.ts'

/** Opens an order with instructions in bitcoin. */
export const openInBitcoin = (client: Client, usd: string, more: { readonly refund_address?: string } = {}): Promise<Checkout> =>
  askAgain(() => checkout(client, { amount: usd, fiat_unit: 'usd' }, { source: bitcoin, ...more }))
