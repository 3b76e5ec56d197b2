import type { Engine } from '../server/orders/engine.ts'
import { transaction } from '../server/database/transaction.ts'
import { newOrder } from '../server/orders/new-order.ts'
import { priceTerms } from '../server/orders/price-terms.ts'
import { isAny, saleDestinations, saleTerms } from '../server/orders/sale-terms.ts'
import type { Order } from '../server/orders/model/order.ts'
import type { Sql } from '../server/database/connect.ts'
import { type Organization, organizationById, putOrganization } from '../server/organizations/organizations.ts'
import type { OrganizationSettlement } from '../server/organizations/settlements.ts'
import { putWebhook } from '../server/webhooks/webhook-queries.ts'
import type { ChainId } from '../src/wire/chain.ts'
import { orderEvents } from '../src/wire/event.ts'
import { bitcoinFeeCollector, bitcoinMerchant } from './bitcoin/accounts.ts'
import { bitcoinChainId } from './bitcoin/start-local-bitcoin.ts'
import { feeCollector, merchant, ownGuard } from './chains/accounts.ts'
import { solanaFeeCollector, solanaMerchant } from './solana/accounts.ts'
import { solanaChainId } from './solana/start-local-solana.ts'
import { localTokens } from './solana/tokens.ts'

const [dollarOnSolana] = localTokens

/** Every copy of this project contains these keys, so they must open nothing but local mode. */
export const localKeys = {
  apiKey: 'pk_test_till',
  secret: 'sk_test_till',
  webhookSecret: 'whsec_test_till',
  internalKey: 'pk_test_internal',
  internalSecret: 'sk_test_internal',
  guardedKey: 'pk_test_guarded',
  guardedSecret: 'sk_test_guarded',
} as const

export const localOrganizationId = 'org_local'

/** Runs at every start, so it updates the organisations that an earlier start inserted. */
export async function seedLocal(sql: Sql, embedOrigins: readonly string[], settlementToken: string): Promise<void> {
  const settlementOn = (chainId: ChainId) => ({
    chainId,
    address: settlementToken,
    recipient: merchant.address,
    feeCollector: feeCollector.address,
  })
  const onSolana = (address: string | null): OrganizationSettlement => ({
    chainId: solanaChainId,
    address,
    recipient: solanaMerchant,
    feeCollector: solanaFeeCollector,
  })
  const organization: Organization = {
    id: localOrganizationId,
    name: 'Northwind Coffee',
    isLive: false,
    settlements: [
      settlementOn(8453),
      settlementOn(1),
      { chainId: bitcoinChainId, address: null, recipient: bitcoinMerchant, feeCollector: bitcoinFeeCollector },
      onSolana(dollarOnSolana.address),
      onSolana(null),
    ],
    fees: { customBps: 0, protocolBps: 0, relayerUsd: '0', gasUsd: '0' },
    toleranceBps: 0,
    embedOrigins,
    unsignedOrders: true,
  }
  await putOrganization(sql, organization, [
    { id: 'key_local', apiKey: localKeys.apiKey, secret: localKeys.secret, label: 'Local' },
    { id: 'key_internal', apiKey: localKeys.internalKey, secret: localKeys.internalSecret, label: 'Internal', isInternal: true },
  ])
  const guarded: Organization = {
    ...organization,
    id: 'org_guarded',
    name: 'Northwind Roastery',
    settlements: [settlementOn(8453), settlementOn(1)],
    guard: ownGuard.address,
  }
  await putOrganization(sql, guarded, [
    { id: 'key_guarded', apiKey: localKeys.guardedKey, secret: localKeys.guardedSecret, label: 'Local' },
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
  const destinations = saleDestinations(engine, organization)
  if (!isAny(destinations)) throw new Error('the settlement currencies are not configured')
  const draft = {
    ...saleTerms(organization, { theme_color: '#0f4c5c' }),
    createdBy: 'signature' as const,
    amount: '42.50',
    fiatUnit: 'usd' as const,
    metadata: {
      reference: 'NW-20418',
      items: [
        { name: 'Ethiopia Guji, whole bean', description: '1 kg', quantity: 1, unit_price: 28.5, currency: 'usd' },
        { name: 'Porcelain dripper, size 02', quantity: 1, unit_price: 14, currency: 'usd' },
      ],
    },
  }
  const priced = await priceTerms(engine, draft, destinations)
  if ('why' in priced) throw new Error(`the first order cannot be priced: ${priced.why}`)
  return transaction(engine.sql, (tx) => newOrder(engine, tx, organization, priced))
}
