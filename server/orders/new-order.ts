import { randomBytes } from 'node:crypto'
import type { Birth, Fact } from './model/facts.ts'
import type { Order, Terms } from './model/order.ts'
import type { Quote } from './model/quote.ts'
import type { Sql, Tx } from '../database/connect.ts'
import type { Organization } from '../organizations/organizations.ts'
import type { Engine } from './engine.ts'
import { recordBirth } from './record.ts'

/** 128 bits: nobody guesses one. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('base64url')}`

export const pendingForMs = 24 * 3_600_000

/** Makes an order with its first quote, in the settlement asset, and whatever else is already true of it. */
export async function newOrder(
  engine: Engine,
  tx: Sql | Tx,
  organization: Organization,
  terms: Terms,
  quote: Quote,
  id = newId('ord'),
  more: readonly Fact[] = [],
): Promise<Order> {
  const now = engine.clock()
  const chain = engine.chains.get(terms.asset.chainId)
  if (!chain) throw new Error(`chain ${terms.asset.chainId} is not configured`)
  const birth: Birth = {
    id,
    organizationId: organization.id,
    organizationName: organization.name,
    isLive: organization.isLive,
    depositAddress: chain.shown(chain.depositAddress(id)),
    hostedUrl: `${engine.payUrl}/pay/${id}`,
    expiresAt: now + pendingForMs,
    terms,
    quote: { ...quote, expiresAt: now + (quote.moves ? engine.rules.paymentWindowMs : pendingForMs) },
  }
  return recordBirth(engine, tx, birth, more)
}
