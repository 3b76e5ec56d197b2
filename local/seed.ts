import type { Engine } from '../server/orders/engine.ts'
import { transaction } from '../server/database/transaction.ts'
import { newOrder } from '../server/orders/new-order.ts'
import { quoteDirect, tokenOf } from '../server/orders/quoting.ts'
import { saleTerms } from '../server/orders/sale-terms.ts'
import type { Order, Terms } from '../server/orders/model/order.ts'
import type { Sql } from '../server/database/connect.ts'
import { type Organization, organizationById, putOrganization } from '../server/organizations/organizations.ts'
import { putWebhook } from '../server/webhooks/webhook-queries.ts'
import { orderEvents } from '../src/wire/event.ts'
import { feeCollector, merchant } from './chains/accounts.ts'

/** Every copy of this project contains these keys, so they must open nothing but local mode. */
export const localKeys = {
  apiKey: 'pk_test_till',
  secret: 'sk_test_till',
  webhookSecret: 'whsec_test_till',
  internalKey: 'pk_test_internal',
  internalSecret: 'sk_test_internal',
} as const

export const localOrganizationId = 'org_local'

/** Runs at every start, so it updates the organisation that an earlier start inserted. */
export async function seedLocal(sql: Sql, embedOrigins: readonly string[], settlementToken: string): Promise<void> {
  const organization: Organization = {
    id: localOrganizationId,
    name: 'Northwind Coffee',
    isLive: false,
    settlement: { chainId: 8453, address: settlementToken, recipient: merchant.address },
    feeCollector: feeCollector.address,
    fees: { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
    toleranceBps: 0,
    embedOrigins,
    unsignedOrders: true,
  }
  await putOrganization(sql, organization, [
    { id: 'key_local', apiKey: localKeys.apiKey, secret: localKeys.secret, label: 'Local' },
    { id: 'key_internal', apiKey: localKeys.internalKey, secret: localKeys.internalSecret, label: 'Internal', isInternal: true },
  ])
}

export const seedWebhook = (sql: Sql, url: string): Promise<void> =>
  putWebhook(sql, localOrganizationId, {
    id: 'wh_local',
    url,
    events: [...orderEvents],
    active: true,
    include_unsigned: false,
    secret: localKeys.webhookSecret,
  })

export async function payableOrder(engine: Engine): Promise<Order> {
  const organization = await organizationById(engine.sql, localOrganizationId)
  const token = tokenOf(engine, organization.settlement)
  if (!token) throw new Error('the settlement currency is not configured')
  const terms: Terms = {
    ...saleTerms(organization, token, { theme_color: '#0f4c5c' }),
    createdBy: 'signature',
    amount: '42.50',
    fiatUnit: 'usd',
    metadata: {
      reference: 'NW-20418',
      items: [
        { name: 'Ethiopia Guji, whole bean', description: '1 kg', quantity: 1, unit_price: 28.5, currency: 'usd' },
        { name: 'Porcelain dripper, size 02', quantity: 1, unit_price: 14, currency: 'usd' },
      ],
    },
  }
  const quote = await quoteDirect(engine, terms, token, 0)
  return transaction(engine.sql, (tx) => newOrder(engine, tx, organization, terms, quote))
}
