import { endpoints } from '../../../src/wire/endpoints.ts'
import { parseUnits } from '../../../src/wire/money.ts'
import type { RefundRequest } from '../../../src/wire/order.ts'
import { type Asset, sameAsset } from '../model/asset.ts'
import { feeCollectorOn } from '../model/destination.ts'
import type { Fact } from '../model/facts.ts'
import { atDeposit, conversionLeft, everReceived, nextRefundId, quoteInForce, receivedAssets } from '../model/funding.ts'
import { isRefundable } from '../model/movable.ts'
import { transfersIn } from '../model/returning.ts'
import type { Order, Terms } from '../model/order.ts'
import { refundAddressOn } from '../model/refund-address.ts'
import { moveTo } from '../model/status.ts'
import { snapshot } from '../model/snapshot.ts'
import { ApiError, invalid, notFound } from '../../http/api-error.ts'
import type { Call, Route } from '../../http/route.ts'
import type { Engine } from '../engine.ts'
import { parseSignature } from '../../http/signature.ts'
import { newId, newOrder } from '../new-order.ts'
import { assetOf, quoteDestination, tokenOf } from '../quoting.ts'
import { record } from '../record.ts'
import { lockOrder, orderOf } from '../order-queries.ts'
import { organizationById } from '../../organizations/organizations.ts'
import { parseAsset, payableAddress } from '../payable-address.ts'
import { refusalError } from '../order-errors.ts'

const noFees = { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' }

/** Without a named currency the one that the order was paid in is refunded, or else the first that arrived. */
function assetToRefund(order: Order, named: RefundRequest['currency']): Asset | undefined {
  if (named) {
    const asked = parseAsset(named, 'currency')
    return receivedAssets(order).find((asset) => sameAsset(asset, asked))
  }
  const { source, asset } = quoteInForce(order)
  // The money was converted, but the recipient could not be paid, so it is refunded in the settlement asset.
  if (order.status === 'FAILED' && conversionLeft(order, asset) > 0n) return asset
  return everReceived(order, source) > 0n ? source : receivedAssets(order)[0]
}

/** The guard believes the merchant and not us, so it gets the call as it was signed. */
function evidenceOf({ c, params, bytes }: Call<typeof endpoints.refundOrder>) {
  const signed = parseSignature(c.req.header('authorization-signature') ?? '')
  if (!signed) throw new Error('a refund was asked for without a signature')
  const { apiKey, timestamp, signature } = signed
  const path = `/orders/${params.order_id}/refund`
  return { method: 'POST', path, timestamp, signature, api_key: apiKey, body: new TextDecoder().decode(bytes) }
}

export function refunds(route: Route, engine: Engine): void {
  /** Caches the price before the transaction begins, so that the quote inside it asks no provider. */
  const cachePrice = async ({ params, body, organizationId }: Omit<Call<typeof endpoints.refundOrder>, 'tx'>): Promise<void> => {
    const order = await orderOf(engine.sql, organizationId, params.order_id)
    const asset = order && assetToRefund(order, body.currency)
    const token = asset && tokenOf(engine, asset)
    if (token) await engine.prices.get(token.priceId)
  }
  route(endpoints.refundOrder, cachePrice, async (call) => {
    const { params, body, organizationId, tx } = call
    const first = await lockOrder(tx, params.order_id)
    if (first?.organizationId !== organizationId) throw notFound('order')
    const asset = assetToRefund(first, body.currency)
    const token = asset && tokenOf(engine, asset)
    if (!asset || !token)
      throw new ApiError(
        422,
        body.currency ? 'Nothing was received on this order in that currency.' : 'Nothing was received on this order.',
      )
    const amount = parseUnits(body.amount, asset.decimals)
    if (amount === undefined || amount === 0n)
      throw invalid(
        'amount',
        'not an amount of the asset received',
        `amount is in ${asset.symbol}, which has ${asset.decimals} decimals, and more than zero.`,
      )
    const address = body.recipient ?? refundAddressOn(first, asset.chainId)
    if (!address)
      throw invalid('recipient', 'required here', 'Say where the money goes: the payer gave no refund address for this network.')
    const recipient = await payableAddress(engine, tx, asset.chainId, address, 'recipient')
    const fromDeposit = isRefundable(first, asset.chainId) && atDeposit(first, asset) >= amount
    const refundGas = engine.policy.refundGas(asset, transfersIn(first, asset))
    const organization = await organizationById(tx, organizationId)
    const refundId = nextRefundId(first)
    const id = newId('ord')
    const terms: Terms = {
      ...first.terms,
      mode: 'REFUND',
      createdBy: 'service',
      amount: body.amount,
      fiatUnit: undefined,
      unit: undefined,
      asset: assetOf(token),
      recipient,
      feeCollector: feeCollectorOn(first.terms, asset.chainId),
      destinations: undefined,
      tradeType: 'EXACT_INPUT',
      fees: noFees,
      toleranceBps: 0,
      metadata: { refund: body.metadata ?? {} },
      refundOf: { orderId: first.id, refundId, fromDeposit },
      // A REFUND order must not count as a payment of the invoice.
      invoiceId: undefined,
    }
    const quote = await quoteDestination(engine, terms, { asset: terms.asset, recipient, feeCollector: terms.feeCollector })
    const asked = {
      id: refundId,
      asset,
      amount,
      gas: refundGas,
      address: recipient,
      from: fromDeposit ? ('deposit' as const) : ('order' as const),
      refundOrderId: id,
      evidence: evidenceOf(call),
      reason: body.metadata?.reason,
    }
    const started: Fact[] = fromDeposit ? [...moveTo('PENDING', 'EXECUTING_ORDER')] : []
    const order = await newOrder(engine, tx, organization, { terms, quotes: [quote] }, id, started)
    const result = await record(engine, first, { type: 'refund', refund: asked }, tx)
    if (!result) throw notFound('order')
    if (!result.ok) throw refusalError(result.refusal)
    return { body: snapshot(order) }
  })
}
