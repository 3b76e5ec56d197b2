import { randomBytes } from 'node:crypto'
import type { Birth, Fact } from '../domain/facts.ts'
import type { Order, Terms } from '../domain/order.ts'
import type { Quote } from '../domain/quote.ts'
import { append } from '../store/append.ts'
import type { Sql, Tx } from '../store/connect.ts'
import type { Organization } from '../store/organizations.ts'
import type { Engine } from './engine.ts'

/** 128 bits: nobody guesses one. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('base64url')}`

export const pendingForMs = 24 * 3_600_000

/** Makes an order with its first quote, in the settlement asset, and whatever else is already true of it. */
export const newOrder = async (
  engine: Engine,
  tx: Sql | Tx,
  organization: Organization,
  terms: Terms,
  quote: Quote,
  id = newId('ord'),
  more: readonly Fact[] = [],
): Promise<Order> => {
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
  return append(tx, undefined, [{ type: 'created', order: birth }, ...more], engine.rules, now)
}
