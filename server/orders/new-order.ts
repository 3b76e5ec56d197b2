import { randomBytes } from 'node:crypto'
import { destinationsOf } from './model/destination.ts'
import type { NewOrder, Fact } from './model/facts.ts'
import type { Order } from './model/order.ts'
import type { Sql, Tx } from '../database/connect.ts'
import type { Organization } from '../organizations/organizations.ts'
import type { DepositAsk } from '../chains/chain.ts'
import { sameAsset } from './model/asset.ts'
import { reserveDeposits } from './deposits.ts'
import type { Engine } from './engine.ts'
import type { PricedTerms } from './price-terms.ts'
import { recordNewOrder } from './record.ts'

/** An id contains 128 random bits, so it cannot be guessed. */
export const newId = (prefix: string): string => `${prefix}_${randomBytes(16).toString('base64url')}`

export const pendingForMs = 24 * 3_600_000

const secondsPerDay = 24 * 3600
/** Fees may turn out higher than they were quoted, within these bounds, which the terms of an order fix for ever. */
const spareFeeBps = 10
const spareFlat = 2n

function depositAsk(
  { guardOf, releaseAfterDays }: Pick<Engine, 'guardOf' | 'releaseAfterDays'>,
  organization: Organization,
  orderId: string,
  { terms, quotes }: PricedTerms,
  now: number,
): DepositAsk {
  const maxFeeBps = terms.fees.customBps + terms.fees.protocolBps + spareFeeBps
  const [first, ...others] = destinationsOf(terms).map(({ asset, recipient, feeCollector }) => {
    const fees = quotes.find((quote) => sameAsset(quote.asset, asset))?.fees
    const maxFeeFlat = fees ? spareFlat * (fees.relayer + fees.gas) : 0n
    return { chainId: asset.chainId, token: asset.address, recipient, feeCollector, maxFeeBps, maxFeeFlat }
  })
  if (!first) throw new Error(`order ${orderId} settles nowhere`)
  const guard = guardOf(organization)
  const releaseAt = Math.floor(now / 1000) + releaseAfterDays * secondsPerDay
  return { orderId, destinations: [first, ...others], releaseAt, ...(guard && { guard: guard.address }) }
}

/** Creates an order with a quote for each of its destinations. `initialFacts` are recorded right after its creation. */
export async function newOrder(
  engine: Engine,
  tx: Sql | Tx,
  organization: Organization,
  { terms, quotes }: PricedTerms,
  id = newId('ord'),
  initialFacts: readonly Fact[] = [],
): Promise<Order> {
  const now = engine.clock()
  const [quote, ...otherQuotes] = quotes.map((made, id) => ({
    ...made,
    id,
    expiresAt: now + (made.moves ? engine.policy.paymentWindowMs : pendingForMs),
  }))
  if (!quote) throw new Error(`order ${id} has no quote`)
  const birth: NewOrder = {
    id,
    organizationId: organization.id,
    organizationName: organization.name,
    isLive: organization.isLive,
    ...(await reserveDeposits(engine, tx, depositAsk(engine, organization, id, { terms, quotes }, now))),
    hostedUrl: `${engine.payUrl}/pay/${id}`,
    expiresAt: now + pendingForMs,
    terms,
    quote,
    ...(otherQuotes.length > 0 && { otherQuotes }),
  }
  return recordNewOrder(engine, tx, birth, initialFacts)
}
