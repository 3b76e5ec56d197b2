import { isDeepStrictEqual } from 'node:util'
import { setTimeout as sleep } from 'node:timers/promises'
import { canonicalToken } from '../../src/wire/addresses/canonical.ts'
import { currencyKey } from '../../src/wire/funds.ts'
import type { Order } from '../../src/wire/order.ts'
import type { Engine } from '../../server/orders/engine.ts'
import { endingOf, endingText } from './ending.ts'
import { localMerchant, type Source } from './merchant.ts'
import type { Network } from './networks/network.ts'
import { type OpenPlay, openPlay, type Play } from './play.ts'
import { CannotPlay } from './cannot-play.ts'
import { orderFor, type Scenario } from './scenario.ts'
import { type Start, createStage, readOrder } from './stage.ts'

export interface PlayerParts {
  readonly engine: Engine
  readonly networks: readonly Network[]
  readonly dropSockets: (orderId: string) => number
}

export interface PlayRequest {
  readonly scenario: Scenario
  /** Without an id, an order is created for the play. */
  readonly orderId?: string
  /** Without one, it is the network on which the order is paid, or the first on which the scenario can happen. */
  readonly chainId?: number
  readonly lookMs?: number
}

/** Plays scenarios, one per order: a second request for an order returns the play that it had, while that is among the newest 500. */
export interface Player {
  play(request: PlayRequest): Play
  of(orderId: string): Play | undefined
  find(orderId: string): Promise<Order | undefined>
  /** Returns the network on which the scenario would be played, if there is one. */
  networkFor(scenario: Scenario, order: Order, chainId?: number): Network | undefined
  /** Aborts running plays, which restore what they changed. */
  stop(): Promise<void>
}

const lookMs = 2_500
const maxRemembered = 500
const endsWithinMs = 60_000

export function createPlayer({ engine, networks, dropSockets }: PlayerParts): Player {
  const merchant = localMerchant(() => engine.payUrl)
  const byOrder = new Map<string, Play>()
  const running = new Set<Promise<void>>()
  const stopping = new AbortController()
  const { signal } = stopping

  const remember = (orderId: string, play: Play) => {
    byOrder.set(orderId, play)
    const [oldest] = byOrder.keys()
    if (byOrder.size > maxRemembered && oldest !== undefined) byOrder.delete(oldest)
  }

  const run = async (play: OpenPlay, { scenario, orderId, chainId, lookMs: look = lookMs }: PlayRequest): Promise<void> => {
    const order = orderId === undefined ? await merchant.createOrder(orderFor(scenario)) : await readOrder(engine, orderId)
    if (!order) throw new CannotPlay('There is no such order.')
    remember(order.id, play)
    const network = networkFor(networks, scenario, order, chainId)
    const view = new URLSearchParams({ simulate: scenario.name, ...(network && currencyIn(network, scenario, order)) })
    play.emit({ at: 'order', id: order.id, url: `${order.hosted_url}?${view}` })
    if (!playable.has(order.status)) throw new CannotPlay(`The order is ${order.status}: nothing can be played on it any more.`)
    if (!network) throw new CannotPlay(`"${scenario.title}" cannot happen on this network.`)
    // Whoever opened the page sees its initial state before anything happens.
    await sleep(look, undefined, { signal })
    await merchant.instruct(order.id, sourceOf(scenario, order, network))
    const instructed = (await readOrder(engine, order.id)) ?? order
    const say = (text: string) => play.emit({ at: 'step', text })
    const stage = createStage({ engine, networks, dropSockets, lookMs: look, signal, say }, instructed)
    await scenario.play(stage)
    play.emit({ at: 'reached', text: await reached(order.id, scenario, stage) })
  }

  /** Waits for the ending, since the service may need a moment after the last step. */
  const reached = async (orderId: string, scenario: Scenario, start: Start): Promise<string> => {
    const wanted = scenario.ends(start)
    const end = performance.now() + endsWithinMs
    for (;;) {
      const order = await readOrder(engine, orderId)
      if (order && isDeepStrictEqual(endingOf(order), wanted)) return endingText(wanted, order)
      if (order && performance.now() > end)
        throw new CannotPlay(`It should have ended as ${endingText(wanted, order)}; it is ${endingText(endingOf(order), order)}.`)
      await sleep(120, undefined, { signal })
    }
  }

  const failureText = (error: unknown): string => {
    if (signal.aborted) return 'The service is stopping.'
    if (!(error instanceof CannotPlay)) engine.log.error({ err: error }, 'a scenario failed')
    return error instanceof Error ? error.message : String(error)
  }

  return {
    play(request) {
      const known = request.orderId === undefined ? undefined : byOrder.get(request.orderId)
      if (known) return known
      const play = openPlay(request.scenario.name)
      if (request.orderId !== undefined) remember(request.orderId, play)
      const done = run(play, request)
        .catch((error: unknown) => play.emit({ at: 'failed', text: failureText(error) }))
        .finally(() => running.delete(done))
      running.add(done)
      return play
    },
    of: (orderId) => byOrder.get(orderId),
    find: (orderId) => readOrder(engine, orderId),
    networkFor: (scenario, order, chainId) => networkFor(networks, scenario, order, chainId),
    async stop() {
      stopping.abort()
      await Promise.allSettled(running)
    },
  }
}

const playable: ReadonlySet<Order['status']> = new Set(['PENDING', 'AWAITING_PAYMENT', 'PARTIAL_PAYMENT', 'EXPIRED'])

function networkFor(networks: readonly Network[], { families }: Scenario, order: Order, asked?: number): Network | undefined {
  const paidOn = order.payment?.input?.currency.chain_id
  const wanted = asked === undefined ? [paidOn, order.fulfillment.asset.chain_id, ...networks.map(({ chainId }) => chainId)] : [asked]
  return wanted.flatMap((id) => networks.filter(({ chainId }) => chainId === id)).find(({ family }) => families.includes(family))
}

/** The page shows the order's default currency until the link names another. */
function currencyIn(network: Network, scenario: Scenario, order: Order): Readonly<Record<string, string>> {
  const { currency } = sourceOf(scenario, order, network)
  return network.chainId === order.fulfillment.asset.chain_id ? {} : { currency: currencyKey(currency) }
}

/** What the payer has chosen on this network stays. Otherwise the order's first currency there is paid. */
function sourceOf({ way }: Scenario, { payment, fulfillment: { asset }, settlements }: Order, { chainId }: Network): Source {
  const chosen = payment?.input?.currency
  const first = settlements?.find(({ chain_id: id }) => id === chainId)?.currency ?? asset
  const { address } = chosen?.chain_id === chainId ? chosen : first
  return {
    currency: { chain_id: chainId, address: way === 'coin' ? null : canonicalToken(chainId, address) },
    payment_rail: way === 'card' ? 'FIAT' : 'CRYPTO',
  }
}
