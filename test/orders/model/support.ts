import { expect } from 'vitest'
import { depositOf } from '../../../server/chains/evm/deposits.ts'
import { apply } from '../../../server/orders/model/apply.ts'
import type { Asset } from '../../../server/orders/model/asset.ts'
import type { Arrival, Command, Outcome, RefundAsked, Policy } from '../../../server/orders/model/commands.ts'
import { decide } from '../../../server/orders/model/decide.ts'
import { destinationsOf } from '../../../server/orders/model/destination.ts'
import type { NewOrder, Fact } from '../../../server/orders/model/facts.ts'
import { funding } from '../../../server/orders/model/funding.ts'
import type { Destination, Order, PlannedLeg, Settlement, Terms } from '../../../server/orders/model/order.ts'
import type { Quote } from '../../../server/orders/model/quote.ts'
import type { GivenRefundAddress } from '../../../server/orders/model/refund-address.ts'
import type { ChainId } from '../../../src/wire/chain.ts'
import type { OrderTerms } from '../../../src/wire/terms/order-terms.ts'
import { checked } from './invariants.ts'

export const minute = 60_000
export const day = 24 * 60 * minute
export const t0 = Date.parse('2026-05-12T14:00:00Z')

export const usdc: Asset = {
  chainId: 8453,
  address: '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  symbol: 'USDC',
  name: 'USD Coin',
  decimals: 6,
}
export const usdt: Asset = {
  chainId: 8453,
  address: '0xfde4c96c8593536e31f229ea8f37b2ada2699bb2',
  symbol: 'USDT',
  name: 'Tether USD',
  decimals: 6,
}
export const usdcOnEthereum: Asset = { ...usdc, chainId: 1, address: '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48' }
export const ether: Asset = { chainId: 8453, address: null, symbol: 'ETH', name: 'Ether', decimals: 18 }

export const shop = '0x1111111111111111111111111111111111111111'
export const collector = '0x2222222222222222222222222222222222222222'
export const shopOnEthereum = '0x5555555555555555555555555555555555555555'
export const collectorOnEthereum = '0x6666666666666666666666666666666666666666'
export const payer = '0x3333333333333333333333333333333333333333'
export const otherPayer = '0x4444444444444444444444444444444444444444'
export const guardian = '0x7777777777777777777777777777777777777777'
const factory = '0x8888888888888888888888888888888888888888'

export const policy: Policy = {
  paymentWindowMs: 30 * minute,
  extensionMs: 30 * minute,
  extensionOpensMs: 5 * minute,
  maxExtensions: 3,
  retryAfterMs: [minute, 10 * minute],
  sightHoldsMs: 24 * 60 * 60_000,
  conversionAttempts: 2,
  remindAfterMs: 7 * day,
  claimForMs: 60 * minute,
  closesBeforeReleaseMs: 3 * day,
  refundGas: () => 5n,
  leastLeg: () => 1n,
}

/** A quote of 1000 units, of which the shop gets 990. */
export const quoteOf = (more: Partial<Quote> = {}): Quote => ({
  id: 0,
  source: usdc,
  asset: usdc,
  tradeType: 'EXACT_OUTPUT',
  slippageBps: 100,
  input: { base: 990n, custom: 6n, protocol: 3n, relayer: 1n, gas: 0n, total: 1000n },
  output: 990n,
  fees: { custom: 6n, protocol: 3n, relayer: 1n, gas: 0n },
  sourceUsd: '1',
  assetUsd: '1',
  expiresAt: t0 + day,
  moves: false,
  ...more,
})

/** An order may also settle in this destination, where it is quoted as in the default one. */
export const onEthereum: Destination = { asset: usdcOnEthereum, recipient: shopOnEthereum, feeCollector: collectorOnEthereum }
export function ethereumQuote(more: Partial<Quote> = {}): Quote {
  const { asset, ...payees } = onEthereum
  return quoteOf({ id: 1, source: asset, asset, ...payees, ...more })
}

/** The same order quoted in ether. */
export const etherQuote = (total = 5000n): Quote =>
  quoteOf({ source: ether, sourceUsd: '3000', moves: true, input: { base: total, custom: 0n, protocol: 0n, relayer: 0n, gas: 0n, total } })

const termsOf = (more: Partial<Terms> = {}): Terms => ({
  mode: 'SALE',
  amount: '0.00099',
  asset: usdc,
  recipient: shop,
  tradeType: 'EXACT_OUTPUT',
  slippageBps: 100,
  fees: { customBps: 60, protocolBps: 30, relayerUsd: '0.000001', gasUsd: '0' },
  feeCollector: collector,
  toleranceBps: 0,
  metadata: {},
  settings: { card_payments: false, hide_footer: false },
  ...more,
})

/** These terms let an order settle on either of two chains. */
export const onTwoChains = (asset = usdc): Partial<Terms> => ({
  asset,
  destinations: [{ asset, recipient: shop, feeCollector: collector }, onEthereum],
})

/** How a contract binds the money of an order. Its caps allow any fee unless a story says otherwise. */
export interface Binding {
  readonly maxFeeBps?: number
  readonly maxFeeFlat?: bigint
  /** Null if nobody can sign for refunds and conversions. */
  readonly guard?: string | null
}

export const releaseAt = t0 + 30 * day

export function boundTerms(
  terms: Partial<Terms> = {},
  { maxFeeBps = 10_000, maxFeeFlat = 0n, guard = guardian }: Binding = {},
): OrderTerms {
  const [first, ...others] = destinationsOf(termsOf(terms)).map(({ asset, recipient, feeCollector }) => ({
    chainId: asset.chainId,
    token: asset.address,
    recipient,
    feeCollector,
    maxFeeBps,
    maxFeeFlat,
  }))
  const ask = { orderId: 'ord_1', destinations: [first!, ...others] as const, releaseAt: releaseAt / 1000 }
  return depositOf(factory, { ...ask, ...(guard !== null && { guard }) }).terms
}

export const newOrderOf = (
  terms: Partial<Terms> = {},
  quote: Quote = quoteOf(),
  otherQuotes: readonly Quote[] = [],
  binding: Binding | 'none' = {},
): NewOrder => ({
  id: 'ord_1',
  organizationId: 'org_1',
  organizationName: 'Northwind Coffee',
  isLive: false,
  deposits: { evm: '0xdddddddddddddddddddddddddddddddddddddddd' },
  ...(binding !== 'none' && { depositTerms: boundTerms(terms, binding) }),
  hostedUrl: 'http://localhost:4020/pay/ord_1',
  expiresAt: t0 + day,
  terms: termsOf(terms),
  quote,
  ...(otherQuotes.length > 0 && { otherQuotes }),
})

interface Logged {
  readonly fact: Fact
  readonly at: number
}

export interface Story {
  readonly order: Order
  readonly log: readonly Logged[]
  readonly now: number
  /** Returns the statuses since the last call. */
  statuses(): string[]
  /** Expects the command to be accepted and returns its facts. A repeat must change nothing. */
  handle(command: Command): readonly Fact[]
  /** Expects the command to be refused and returns the code. */
  refused(command: Command): string
  wait(ms: number): void
  tick(): readonly Fact[]
  choose(more?: Partial<Extract<Command, { type: 'choose' }>>): readonly Fact[]
  /** Reports a transfer in the newest block. */
  see(amount: bigint, more?: Partial<Arrival>): Arrival
  /** Advances the head until everything seen is confirmed. */
  confirm(): readonly Fact[]
  pay(amount: bigint, more?: Partial<Arrival>): Arrival
  vanish(...transfers: Arrival[]): readonly Fact[]
  settle(outcome?: Outcome['state'], paid?: (role: string) => boolean): void
  refund(amount: bigint, more?: Partial<RefundAsked>): void
  /** Somebody else settles or releases this much. Returns the id of the move. */
  theyMove(toRecipient: bigint, fee?: bigint, asset?: Asset): string
  lose(id: string): readonly Fact[]
  refundOutcome(outcome?: Outcome['state'], paid?: readonly boolean[], id?: string): readonly Fact[]
}

export const running = (order: Order): Settlement | undefined =>
  order.settlements.find((settlement) => settlement.state !== 'confirmed' && settlement.state !== 'failed')

interface Given {
  readonly quote?: Quote
  readonly otherQuotes?: readonly Quote[]
  readonly costs?: Policy
  /** `none` for an order of an earlier release, which has no terms. */
  readonly binding?: Binding | 'none'
}

export function story(
  terms: Partial<Terms> = {},
  { quote = quoteOf(), otherQuotes = [], costs = policy, binding = {} }: Given = {},
): Story {
  const created: Fact = { type: 'created', order: newOrderOf(terms, quote, otherQuotes, binding) }
  const log: Logged[] = [{ fact: created, at: t0 }]
  let order = apply(undefined, created, t0)
  let now = t0
  let head = 100
  let count = 0
  let moves = 0
  let shown = 0

  const handle: Story['handle'] = (command) => {
    const decision = decide(order, command, costs, now)
    if (!decision.ok) throw new Error(`refused: ${decision.refusal.message}`)
    order = checked(order, command, decision.facts, log, now)
    const again = decide(order, command, costs, now)
    expect(again.ok ? again.facts : [], `${command.type} handled twice`).toEqual([])
    return decision.facts
  }

  const self: Story = {
    get order() {
      return order
    },
    get now() {
      return now
    },
    log,
    statuses() {
      const all = log.slice(shown).flatMap(({ fact }) => (fact.type === 'became' ? [fact.status] : []))
      shown = log.length
      return all
    },
    handle,
    refused(command) {
      const decision = decide(order, command, costs, now)
      if (decision.ok) throw new Error(`accepted: ${decision.facts.map((fact) => fact.type).join()}`)
      return decision.refusal.code
    },
    wait(ms) {
      now += ms
    },
    tick: () => handle({ type: 'tick' }),
    choose: (more = {}) => handle({ type: 'choose', source: usdc, quote: quoteOf(), signed: false, ...more }),
    see(amount, more = {}) {
      head++
      count++
      const txHash = `0x${count.toString().padStart(64, '0')}`
      const asset = more.asset ?? terms.asset ?? usdc
      const block = more.block ?? head
      const transfer: Arrival = {
        key: `${asset.chainId}:${txHash}:0`,
        asset,
        txHash,
        amount,
        block,
        blockHash: `b${block}`,
        seenAt: now,
        confirmations: Math.max(0, head - block + 1),
        needed: 3,
        ...more,
      }
      handle({ type: 'arrived', transfers: [transfer] })
      return transfer
    },
    confirm() {
      head += 3
      const chains = [...new Set(order.transfers.map((transfer) => transfer.asset.chainId))]
      const confirmations = new Map(
        order.transfers.map(({ block = head + 1, blockHash = '' }) => [blockHash, Math.max(0, head - block + 1)]),
      )
      const progress = [...confirmations].map(([id, confirmations]) => ({ id, confirmations }))
      return chains.flatMap((chainId) => handle({ type: 'progress', chainId, progress }))
    },
    pay(amount, more) {
      const transfer = self.see(amount, more)
      self.confirm()
      return transfer
    },
    vanish: (...transfers) => handle({ type: 'vanished', keys: transfers.map((transfer) => transfer.key) }),
    settle(outcome = 'confirmed', paid = () => true) {
      const settlementRunning = running(order)
      if (!settlementRunning) throw new Error('no settlement is running')
      const report = (next: Outcome) => handle({ type: 'settlement', id: settlementRunning.id, outcome: next })
      const txHash = `0x5e77${settlementRunning.id}`
      if (outcome === 'failed') return void report({ state: 'failed', reason: 'The token refused.' })
      report({ state: 'broadcast', txHash })
      if (outcome === 'broadcast') return
      report({ state: 'mined', txHash })
      if (outcome === 'unmined') report({ state: 'unmined' })
      // The contract tries the fee's leg only after the recipient's has succeeded.
      const isPaid = (role: string) => paid('recipient') && paid(role)
      if (outcome === 'confirmed') report({ state: 'confirmed', txHash, paid: settlementRunning.legs.map(({ role }) => isPaid(role)) })
    },
    refund(amount, more = {}) {
      const id = `r${order.refunds.length + 1}`
      handle({
        type: 'refund',
        refund: {
          id,
          asset: usdc,
          amount,
          gas: costs.refundGas(usdc),
          address: payer,
          from: 'deposit',
          refundOrderId: `ord_${id}`,
          ...more,
        },
      })
    },
    theyMove(toRecipient, fee = 0n, asset = terms.asset ?? usdc) {
      moves++
      const id = `f${moves}`
      const legs: PlannedLeg[] = [{ role: 'recipient', to: shop, amount: toRecipient }]
      if (fee > 0n) legs.push({ role: 'fees', to: collector, amount: fee })
      handle({ type: 'found', id, asset, legs, txHash: `0xf0${moves}`, block: head + 1 })
      return id
    },
    lose: (id) => handle({ type: 'lost', id }),
    refundOutcome(
      outcome = 'confirmed',
      paid = [true, true],
      id = order.refunds.findLast((refund) => refund.state === 'pending')?.id ?? 'none',
    ) {
      const txHash = `0x4ef0${id}`
      if (outcome === 'failed') return handle({ type: 'refund_outcome', id, outcome: { state: 'failed', reason: 'The address refused.' } })
      if (outcome === 'confirmed') return handle({ type: 'refund_outcome', id, outcome: { state: 'confirmed', txHash, paid } })
      return handle({ type: 'refund_outcome', id, outcome: outcome === 'unmined' ? { state: 'unmined' } : { state: outcome, txHash } })
    },
  }
  return self
}

/** A refund address without a contract, as payers give them. */
export const plain = (address: string, chainId: ChainId = 8453): GivenRefundAddress => ({ address, chainId, isPlain: true })

/** Starts an order that has instructions. */
export function awaiting(terms: Partial<Terms> = {}, refundAddress?: string, given: Given = {}): Story {
  const sale = story(terms, given)
  const { source = usdc } = given.quote ?? {}
  sale.choose({ source, quote: given.quote ?? quoteOf(), refundAddress: refundAddress === undefined ? undefined : plain(refundAddress) })
  sale.statuses()
  return sale
}

export function completed(refundAddress?: string, paid = 1000n, given: Given = {}): Story {
  const story = awaiting({}, refundAddress, given)
  story.pay(paid)
  story.settle()
  story.statuses()
  return story
}

export function stateOf({ order }: Story, { key }: Arrival): string {
  const { state, reason } = order.transfers.find((transfer) => transfer.key === key) ?? { state: 'unknown', reason: undefined }
  return reason ? `${state}: ${reason}` : state
}

export function money({ order }: Story) {
  const { required, received, remaining, seen } = funding(order)
  return { required, received, remaining, seen }
}

/** The legs of the latest settlement by role. */
export const legsOf = ({ order }: Story): Record<string, bigint> =>
  Object.fromEntries(order.settlements.at(-1)?.legs.map((leg) => [leg.role, leg.amount]) ?? [])
