import { endpoints } from '../../../src/wire/endpoints.ts'
import { parseUnits } from '../../../src/wire/money.ts'
import type { Terms } from '../model/order.ts'
import { snapshot } from '../model/snapshot.ts'
import { ApiError, invalid, notFound } from '../../http/api-error.ts'
import type { Route } from '../../http/route.ts'
import type { Engine } from '../engine.ts'
import { reserveForUnsigned } from '../gas-budget.ts'
import { minimumAbove } from '../minimum.ts'
import { newOrder } from '../new-order.ts'
import { quoteDirect, tokenOf } from '../quoting.ts'
import { saleTerms, sizeProblem } from '../sale-terms.ts'
import { listOrders, orderOf } from '../order-queries.ts'
import { organizationById } from '../../organizations/organizations.ts'
import { parseAsset, payableAddress } from '../payable-address.ts'
import { belowMinimum } from '../order-errors.ts'
import { overBudget, requireAllowedUnsigned } from '../unsigned.ts'

export function orders(route: Route, engine: Engine): void {
  route(
    endpoints.createOrder,
    async ({ body, caller, organizationId }) => {
      if (body.mode === 'SALE' && !caller.signed)
        throw new ApiError(401, 'The API key or the signature is missing, malformed, expired or wrong.')
      const organization = await organizationById(engine.sql, organizationId)
      if (!caller.signed) requireAllowedUnsigned(body, organization)
      const { settlement } = organization
      const currency = body.currency ? parseAsset(body.currency, 'currency') : settlement
      const token = tokenOf(engine, currency)
      if (!token) throw invalid('currency', 'not available here', 'This currency is not available here.')
      if (body.fiat_unit === undefined && parseUnits(body.amount, token.decimals) === undefined)
        throw invalid(
          'amount',
          `must have at most ${token.decimals} decimals`,
          `amount is in ${token.symbol}, which has ${token.decimals} decimals.`,
        )
      const recipient = body.recipient
        ? await payableAddress(engine, engine.sql, currency.chainId, body.recipient, 'recipient')
        : settlement.recipient
      const terms: Terms = {
        ...saleTerms(organization, token, body.settings),
        mode: body.mode,
        createdBy: caller.signed ? 'signature' : 'key',
        amount: body.amount,
        fiatUnit: body.fiat_unit,
        recipient,
        tradeType: body.mode === 'DEPOSIT' ? 'EXACT_INPUT' : 'EXACT_OUTPUT',
        metadata: body.metadata ?? {},
      }
      const quote = await quoteDirect(engine, terms, token, 0)
      const problem = sizeProblem(quote)
      if (problem === 'too_small') throw invalid('amount', 'too small', 'The amount is too small to be paid after fees.')
      if (problem === 'too_large') throw invalid('amount', 'too large', 'The amount is larger than any payment can be.')
      const minimum = await minimumAbove(engine, terms, quote)
      if (minimum) throw belowMinimum(minimum, token.symbol, 'amount')
      return { organization, terms, quote }
    },
    async ({ caller, organizationId, tx }, { organization, terms, quote }) => {
      if (!caller.signed && !(await reserveForUnsigned(engine, tx, organizationId, terms)))
        throw overBudget('Orders without a signature have used up what may be spent on gas for them in an hour.', engine.clock())
      const order = await newOrder(engine, tx, organization, terms, quote)
      return { body: snapshot(order) }
    },
  )

  route(endpoints.listOrders, async ({ query, organizationId }) => {
    const { orders: found, total } = await listOrders(engine.sql, organizationId, query)
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
