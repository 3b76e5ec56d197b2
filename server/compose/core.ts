import type { ChainId } from '../../src/wire/chain.ts'
import type { Chain } from '../chains/chain.ts'
import { currencyFinder } from '../currencies/currencies.ts'
import { type EventSignal, postgresSignal } from '../events/event-signal.ts'
import { limiter } from '../http/limits.ts'
import { createX402 } from '../incoming/x402/x402.ts'
import { invoiceEffects } from '../invoices/invoicing.ts'
import { costsOf } from '../orders/costs.ts'
import type { Metrics } from '../monitoring/metrics.ts'
import type { Engine } from '../orders/engine.ts'
import { orderEffects } from '../orders/order-effects.ts'
import { transactionFinder } from '../orders/routes/transactions.ts'
import { defaultPolicy } from '../orders/policy.ts'
import { keysOf } from '../organizations/keys.ts'
import { createSender } from '../outgoing/evm/create-sender.ts'
import type { SecondNodeAnswer } from '../outgoing/second-node.ts'
import { poolSwap } from '../providers/pool-swap.ts'
import { deliverer } from '../webhooks/deliver.ts'
import { elapsed, type ServiceParts } from './service-parts.ts'

export type Core = ReturnType<typeof createCore>

const secondNodeWarnings: Readonly<Record<Exclude<SecondNodeAnswer, 'agrees'>, string>> = {
  differs: 'two nodes disagree about a final transaction; its order waits until they agree',
  behind: 'a second node does not know a final transaction yet; its order waits for that node',
  unreachable: 'no second node confirms a final transaction; its order waits for one',
  skipped: 'no second node has answered for ten minutes; a final transaction counts on the word of one node',
}

export function createCore(parts: ServiceParts, payUrl: string, metrics: Pick<Metrics, 'secondNode'>) {
  const { config, sql, log, prices } = parts
  const chains: ReadonlyMap<ChainId, Chain> = new Map(parts.chains.map((chain) => [chain.id, chain]))
  const events: EventSignal = postgresSignal(sql)
  const deliveries = deliverer({ sql, log, allowLocal: parts.isLocal, ...parts.deliveries })
  const costs = costsOf({ sql, clock: Date.now, chains, prices, log })
  const engine: Engine = {
    sql,
    clock: Date.now,
    chains,
    sender: createSender({
      sql,
      chains: parts.chains,
      onProblem: (chainId, error) => log.warn({ err: error, chain: chainId }, 'the sending queue failed at a step; retrying'),
      onSecondNode: (chainId, { txHash, block }, answer) => {
        metrics.secondNode(chainId, answer)
        if (answer !== 'agrees') log.warn({ chain: chainId, tx: txHash, block }, secondNodeWarnings[answer])
      },
    }),
    prices,
    swap: poolSwap(parts.chains),
    card: parts.card,
    log,
    payUrl,
    policy: {
      ...defaultPolicy(config.paymentWindowMs),
      legGas: (asset) => costs.of(asset, 'leg'),
      refundGas: (asset) => costs.of(asset, 'refund'),
    },
    transferCents: costs.transferCents,
    minimum: costs.minimum,
    gasPerHour: config.gasPerHour,
    effects: [orderEffects, invoiceEffects],
    notifyLog: () => {
      events.notify()
      deliveries.wake()
    },
  }
  return {
    engine,
    events,
    deliveries,
    costs,
    x402: createX402({ engine, chains: parts.chains, ...config.x402, ...parts.x402 }),
    keys: keysOf(sql, elapsed),
    findTransaction: transactionFinder(engine),
    findCurrencies: currencyFinder(engine),
    limits: {
      calls: limiter({ perSecond: config.callsPerSecond, burst: config.callBurst }, elapsed),
      misses: limiter({ perSecond: 0.5, burst: 30 }, elapsed),
      lookups: limiter({ perSecond: config.lookupsPerSecond, burst: config.lookupBurst }, elapsed),
    },
  }
}
