import type { ChainId } from '../../src/wire/chain.ts'
import { isTestnet } from '../chains/presets/presets.ts'
import { type Chain, chainOf } from '../chains/chain.ts'
import { currencyFinder } from '../currencies/currencies.ts'
import { type EventSignal, postgresSignal } from '../events/event-signal.ts'
import { limiter } from '../http/limits.ts'
import { createX402 } from '../incoming/x402/x402.ts'
import { invoiceEffects } from '../invoices/invoicing.ts'
import { movedEffects } from '../invoices/moved-mail.ts'
import { proposedAddressEffects } from '../invoices/proposed-address.ts'
import { costsOf } from '../orders/costs.ts'
import type { Engine } from '../orders/engine.ts'
import { orderEffects } from '../orders/order-effects.ts'
import { transactionFinder } from '../orders/routes/transactions.ts'
import { defaultPolicy } from '../orders/policy.ts'
import { keysOf } from '../organizations/keys.ts'
import { cachedSwap } from '../providers/cached-swap.ts'
import { swapOn } from '../chains/swap.ts'
import { deliverer } from '../webhooks/deliver.ts'
import { elapsed, type ServiceParts } from './service-parts.ts'

export type Core = ReturnType<typeof createCore>

export function createCore(parts: ServiceParts, payUrl: string) {
  const { config, sql, log, prices } = parts
  const chains: ReadonlyMap<ChainId, Chain> = new Map(parts.chains.map((chain) => [chain.id, chain]))
  const events: EventSignal = postgresSignal(sql)
  const deliveries = deliverer({ sql, log, allowLocal: parts.isLocal, ...parts.deliveries })
  const costs = costsOf({ sql, clock: Date.now, chains, prices, log })
  const engine: Engine = {
    sql,
    clock: Date.now,
    chains,
    prices,
    swap: swapOn(chains),
    card: parts.card,
    log,
    payUrl,
    sees: parts.isLocal ? () => true : (isLive, chainId) => isTestnet(chainId) !== isLive,
    policy: {
      ...defaultPolicy(config.paymentWindowMs),
      refundGas: (asset, transfers) => costs.of(asset, 'refund', transfers),
      paysItself: ({ chainId }) => chains.get(chainId)?.plannedFee !== undefined,
      leastLeg: (asset, to) => chainOf(chains.values(), asset.chainId).leastLeg(asset, to),
    },
    transferCents: costs.transferCents,
    coinCents: costs.coinCents,
    minimum: costs.minimum,
    plannedFee: costs.plannedFee,
    gasPerHour: config.gasPerHour,
    guardOf: (organization) => parts.guard?.forNewOrders(organization),
    releaseAfterDays: config.releaseAfterDays,
    effects: [orderEffects, invoiceEffects, movedEffects, proposedAddressEffects],
    notifyLog: () => {
      events.notify()
      deliveries.wake()
    },
  }
  // Swap quotes that are only shown may come from a cache. Those that decide about money are always requested anew.
  const displayEngine: Engine = { ...engine, swap: cachedSwap(engine.swap, elapsed) }
  return {
    engine,
    displayEngine,
    events,
    deliveries,
    costs,
    x402: createX402({ engine, ...config.x402, ...parts.x402 }),
    keys: keysOf(sql, elapsed),
    findTransaction: transactionFinder(engine),
    findCurrencies: currencyFinder(displayEngine),
    limits: {
      calls: limiter({ perSecond: config.callsPerSecond, burst: config.callBurst }, elapsed),
      misses: limiter({ perSecond: 0.5, burst: 30 }, elapsed),
      lookups: limiter({ perSecond: config.lookupsPerSecond, burst: config.lookupBurst }, elapsed),
    },
  }
}
