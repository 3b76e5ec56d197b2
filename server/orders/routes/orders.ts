import { endpoints } from '../../../src/wire/endpoints.ts'
import { parseUnits } from '../../../src/wire/money.ts'
import type { OrderCreate } from '../../../src/wire/order.ts'
import { sameAsset } from '../model/asset.ts'
import { destinationFor } from '../model/destination.ts'
import type { Destination } from '../model/order.ts'
import { snapshot } from '../model/snapshot.ts'
import { ApiError, invalid, notFound } from '../../http/api-error.ts'
import type { Route } from '../../http/route.ts'
import type { Engine } from '../engine.ts'
import { reserveForUnsigned } from '../gas-budget.ts'
import { newOrder } from '../new-order.ts'
import { priceTerms } from '../price-terms.ts'
import { assetOf, tokenOf } from '../quoting.ts'
import { isAny, saleDestinations, saleTerms } from '../sale-terms.ts'
import { orderFilter } from '../order-filter.ts'
import { listOrders, orderOf } from '../order-queries.ts'
import { collectorOn } from '../../organizations/settlements.ts'
import { type Organization, organizationById } from '../../organizations/organizations.ts'
import { parseAsset, payableAddress } from '../payable-address.ts'
import { amountRefused } from '../order-errors.ts'
import { overBudget, requireAllowedUnsigned } from '../unsigned.ts'

/** An order with a currency of its own settles there alone, and any other wherever its organisation is paid. */
async function destinationsFor(
  engine: Engine,
  organization: Organization,
  { currency, recipient, fiat_unit: fiatUnit }: OrderCreate,
): Promise<readonly [Destination, ...Destination[]]> {
  const known = saleDestinations(engine, organization)
  // Without a unit of its own the amount is in the default currency, and must not silently be in another.
  const [preferred] = organization.settlements
  if (fiatUnit === undefined && currency === undefined && !known.some(({ asset }) => sameAsset(asset, preferred))) return unavailable()
  if (currency === undefined && recipient === undefined) return isAny(known) ? known : unavailable()
  const asked = currency ? parseAsset(currency, 'currency') : known[0]?.asset
  const token = asked && tokenOf(engine, asked)
  if (!token || !engine.sees(organization.isLive, token.chainId)) return unavailable()
  const asset = assetOf(token)
  const own = destinationFor(known, asset)
  if (recipient !== undefined) {
    const named = await payableAddress(engine, engine.sql, asset.chainId, recipient, 'recipient')
    return [{ asset, recipient: named, feeCollector: collectorOn(organization.settlements, asset.chainId) ?? unavailable() }]
  }
  if (!own)
    throw invalid('recipient', 'required here', 'This organisation has no settlement on this chain, so the order must name its recipient.')
  return [{ ...own, asset }]
}

function unavailable(): never {
  throw invalid('currency', 'not available here', 'This currency is not available here.')
}

export function orders(route: Route, engine: Engine): void {
  route(
    endpoints.createOrder,
    async ({ body, caller, organizationId }) => {
      if (body.mode === 'SALE' && !caller.signed)
        throw new ApiError(401, 'The API key or the signature is missing, malformed, expired or wrong.')
      const organization = await organizationById(engine.sql, organizationId)
      if (!caller.signed) requireAllowedUnsigned(body, organization)
      const destinations = await destinationsFor(engine, organization, body)
      const [{ asset }] = destinations
      if (body.fiat_unit === undefined && parseUnits(body.amount, asset.decimals) === undefined)
        throw invalid(
          'amount',
          `must have at most ${asset.decimals} decimals`,
          `amount is in ${asset.symbol}, which has ${asset.decimals} decimals.`,
        )
      const draft = {
        ...saleTerms(organization, body.settings),
        mode: body.mode,
        createdBy: caller.signed ? ('signature' as const) : ('key' as const),
        amount: body.amount,
        fiatUnit: body.fiat_unit,
        tradeType: body.mode === 'DEPOSIT' ? ('EXACT_INPUT' as const) : ('EXACT_OUTPUT' as const),
        metadata: body.metadata ?? {},
      }
      const priced = await priceTerms(engine, draft, destinations)
      if ('why' in priced) throw amountRefused(priced)
      return { organization, priced }
    },
    async ({ caller, organizationId, tx }, { organization, priced }) => {
      if (!caller.signed && !(await reserveForUnsigned(engine, tx, organizationId, priced.terms)))
        throw overBudget('Orders without a signature have used up what may be spent on gas for them in an hour.', engine.clock())
      const order = await newOrder(engine, tx, organization, priced)
      return { body: snapshot(order) }
    },
  )

  route(endpoints.listOrders, async ({ query, organizationId }) => {
    const { orders: found, total } = await listOrders(engine.sql, organizationId, orderFilter(query))
    return {
      body: {
        data: found.map((order) => snapshot(order)),
        pagination: { total_count: total, limit: query.limit, offset: query.offset },
      },
    }
  })

  route(endpoints.getOrder, async ({ params, organizationId }) => {
    const order = await orderOf(engine.sql, organizationId, params.order_id)
    if (!order) throw notFound('order')
    return { body: snapshot(order), headers: { 'cache-control': 'no-store' } }
  })
}
