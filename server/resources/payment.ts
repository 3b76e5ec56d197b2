import { chainFacts } from '../../src/wire/chain.ts'
import { endpoints } from '../../src/wire/endpoints.ts'
import { canonicalAddress, sameAsset } from '../domain/asset.ts'
import { snapshot } from '../domain/snapshot.ts'
import { ApiError, notFound } from '../http/ApiError.ts'
import type { Route } from '../http/route.ts'
import type { Engine } from '../jobs/engine.ts'
import { quoteDirect, tokenOf } from '../jobs/quoting.ts'
import { recordIn } from '../jobs/record.ts'
import { lockOrder } from '../store/orders.ts'
import { heldForMs } from '../jobs/rules.ts'
import { payableAddress } from './addresses.ts'
import { requireNewestOfInvoice } from './invoices.ts'
import { asAnswer } from './refusals.ts'

export const payment = (route: Route, engine: Engine): void => {
  route(endpoints.requestPayment, async ({ params, body, caller, organizationId, tx }) => {
    const order = await lockOrder(tx, params.order_id)
    if (order?.organizationId !== organizationId) throw notFound('order')
    if (body.source.payment_rail === 'FIAT') throw new ApiError(422, 'Card payments are not available for this order.')
    const { asset } = order.terms
    const source = { chainId: body.source.currency.chain_id, address: canonicalAddress(body.source.currency.address) }
    const token = tokenOf(engine, source)
    if (!token)
      throw new ApiError(422, 'This currency is not available here.', {
        issues: [{ path: 'source.currency', message: 'not available here' }],
      })
    const refundAddress =
      body.refund_address === undefined
        ? undefined
        : await payableAddress(engine, tx, source.chainId, body.refund_address, 'refund_address')
    if (!sameAsset(source, asset) && order.fixedQuote === undefined) {
      throw new ApiError(422, `This order is paid in ${asset.symbol} on ${chainFacts(asset.chainId)?.name}.`, {
        issues: [{ path: 'source.currency', message: 'no route to the settlement currency' }],
      })
    }
    const quote = sameAsset(source, asset)
      ? await quoteDirect(engine, { ...order.terms, slippageBps: body.source.slippage_bps ?? order.terms.slippageBps }, token, 0)
      : undefined
    const result = await recordIn(
      engine,
      tx,
      order,
      body.extend ? { type: 'extend', quote } : { type: 'choose', source: token, quote, refundAddress, signed: caller.signed },
    )
    if (!result.ok) throw asAnswer(result.refusal)
    return { body: { data: snapshot(result.order, heldForMs).payment }, after: engine.ring }
  })
}
