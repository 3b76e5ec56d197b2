import { bitcoin } from '../chains/bitcoin/support.ts'
import type { Client } from '../support/client/client.ts'
import { checkout, type Checkout } from '../support/orders/payments.ts'
import { until } from '../support/wait.ts'

/**
 * Opens an order with instructions in bitcoin. An order that is created while no process knows the network's fees has no price in bitcoin and never
 * gets one, so the merchant makes another.
 */
export const openInBitcoin = (client: Client, usd: string, more: { readonly refund_address?: string } = {}): Promise<Checkout> =>
  until(() => checkout(client, { amount: usd, fiat_unit: 'usd' }, { source: bitcoin, ...more }), {
    timeout: 60_000,
    every: 300,
    what: 'an order can be paid in bitcoin',
  })
