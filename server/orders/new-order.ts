import { randomBytes } from 'node:crypto'
import { chainOf } from '../chains/chain.ts'
import type { NewOrder, Fact } from './model/facts.ts'
import type { Order, Terms } from './model/order.ts'
import type { Quote } from './model/quote.ts'
import type { Sql, Tx } from '../database/connect.ts'
import type { Organization } from '../organizations/organizations.ts'
import type { Engine } from './engine.ts'
import { recordNewOrder } from './record.ts'

/** An id contains 128 random bits, so it cannot be guessed. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('base64url')}`

export const pendingForMs = 24 * 3_600_000

/** Creates an order whose first quote is in the settlement asset. `initialFacts` are recorded right after its creation. */
export async function newOrder(
  engine: Engine,
  tx: Sql | Tx,
  organization: Organization,
  terms: Terms,
  quote: Quote,
  id = newId('ord'),
  initialFacts: readonly Fact[] = [],
): Promise<Order> {
  const now = engine.clock()
  const chain = chainOf(engine.chains.values(), terms.asset.chainId)
  const birth: NewOrder = {
    id,
    organizationId: organization.id,
    organizationName: organization.name,
    isLive: organization.isLive,
    depositAddress: chain.displayAddress(chain.depositAddress(id)),
    hostedUrl: `${engine.payUrl}/pay/${id}`,
    expiresAt: now + pendingForMs,
    terms,
    quote: { ...quote, expiresAt: now + (quote.moves ? engine.policy.paymentWindowMs : pendingForMs) },
  }
  return recordNewOrder(engine, tx, birth, initialFacts)
}
