import { apply, replay } from '../../../server/orders/model/apply.ts'
import { type Asset, sameAsset } from '../../../server/orders/model/asset.ts'
import type { Command, Outcome, Policy } from '../../../server/orders/model/commands.ts'
import { decide } from '../../../server/orders/model/decide.ts'
import { assetToPrice, needsPrice } from '../../../server/orders/model/repricing.ts'
import type { Fact } from '../../../server/orders/model/facts.ts'
import { atDeposit, conversionLeft, everReceived, isUnpaid, quoteById, refunded } from '../../../server/orders/model/funding.ts'
import type { Terms } from '../../../server/orders/model/order.ts'
import type { Quote } from '../../../server/orders/model/quote.ts'
import { checked, checkSnapshot, checkWhole, ledgerOf } from './invariants.ts'
import type { ModelChain, Tx } from './model-chain.ts'
import { newOrderOf, collector, ether, otherPayer, quoteOf, shop, t0, usdc, usdcOnEthereum, usdt } from './support.ts'
import type { Setting } from './world-steps.ts'

/** A transaction in the sending queue, which survives every crash. */
export interface Send {
  readonly kind: 'settlement' | 'refund'
  readonly id: string
  readonly order: WorldOrder
  readonly tx: Extract<Tx, { kind: 'send' }>
  reported: 'nothing' | 'broadcast' | 'mined' | 'over'
}

export interface Surroundings {
  readonly setting: Setting
  readonly policy: Policy
  now(): number
  /** What 1000 units convert to, or undefined while there is no price. */
  price(): bigint | undefined
  chainOf(asset: Asset): ModelChain
}

/** One order in the model: its log, its account on the chains, and its invariants. */
export function worldOrder(index: number, { setting, policy, now, price, chainOf }: Surroundings) {
  const asset = setting.isNative && !setting.isConverting ? ether : usdc
  const source = setting.isConverting ? (setting.isNative ? ether : usdt) : asset
  /** Payments may come in the source, another token, a token on another chain, or the settlement asset. */
  const assets = [source, source === usdt ? ether : usdt, usdcOnEthereum, asset] as const
  const deposit = `deposit ${index}`
  const direct = quoteOf({ source: asset, asset })
  const terms: Partial<Terms> = { asset, toleranceBps: setting.toleranceBps }
  const created: Fact = { type: 'created', order: { ...newOrderOf(terms, direct), id: `ord_${index}` } }
  const log = [{ fact: created, at: t0 }]
  const sends: Send[] = []
  let order = apply(undefined, created, t0)

  /** Returns today's quote in this source. */
  const quoteNow = (of: Asset, slippageBps = 100): Quote | undefined => {
    if (sameAsset(of, asset)) return { ...direct, slippageBps }
    const today = price()
    if (today === undefined) return undefined
    const total = (1000n * 1010n) / today + 1n
    const input = { base: total, custom: 0n, protocol: 0n, relayer: 0n, gas: 0n, total }
    return { ...direct, source: of, slippageBps, route: ['one', 'other'], input, moves: true }
  }

  const handle = (command: Command): boolean => {
    const decision = decide(order, command, policy, now())
    if (!decision.ok) return false
    if (decision.facts.length === 0) return true
    order = checked(order, command, decision.facts, log, now())
    checkSnapshot(order)
    for (const fact of decision.facts) enqueueSends(fact)
    const again = decide(order, command, policy, now())
    if (again.ok && again.facts.length > 0)
      throw new Error(`${command.type} handled twice made ${again.facts.map((fact) => fact.type).join()}`)
    return true
  }

  /** Enqueues the sends that the service enqueues in the transaction that records the fact. */
  const enqueueSends = (fact: Fact): void => {
    const enqueue = (kind: Send['kind'], id: string, tx: Omit<Send['tx'], 'kind' | 'hash' | 'from'>) =>
      sends.push({ kind, id, order: self, tx: { kind: 'send', hash: `0xsend${index}${id}`, from: deposit, ...tx }, reported: 'nothing' })
    if (fact.type === 'settlement_planned')
      enqueue('settlement', fact.id, { asset: fact.token, legs: fact.legs, ...(fact.swap && { swap: fact.swap }) })
    if (fact.type === 'refund_planned' && fact.refund.from === 'deposit') {
      const { id, gas, amount, address, asset: token } = fact.refund
      const legs = [{ to: address, amount: amount - gas }, ...(gas > 0n ? [{ to: collector, amount: gas }] : [])]
      enqueue('refund', id, { asset: token, legs })
    }
  }

  /** Refunds as the API does: from the deposit address while it has enough, otherwise by the merchant. */
  const refund = (of: Asset, percent: bigint): void => {
    const became = sameAsset(of, asset) && order.status === 'FAILED' ? conversionLeft(order) : 0n
    const amount = ((everReceived(order, of) + became - refunded(order, of)) * percent) / 100n
    if (amount <= 0n) return
    const from = atDeposit(order, of) >= amount ? 'deposit' : 'order'
    const id = `r${order.refunds.length + 1}`
    handle({
      type: 'refund',
      refund: { id, asset: of, amount, gas: policy.refundGas(of), address: otherPayer, from, refundOrderId: `ord_${id}` },
    })
  }

  const checkMoney = (): void => {
    const books = ledgerOf(log)
    const booked = (account: string, of: Asset) => books.get(`${account} ${of.chainId} ${of.address}`) ?? 0n
    for (const asset of assets) {
      const real = chainOf(asset).balance(deposit, asset)
      if (booked('deposit', asset) !== real)
        throw new Error(`${real} ${asset.symbol} is at the deposit address, the books say ${booked('deposit', asset)}`)
      const gained = order.settlements.reduce((sum, each) => sum + (sameAsset(each.token, asset) ? (each.swapped ?? 0n) : 0n), 0n)
      // A refund that the merchant pays may have been asked for before a reorganisation removed the money that it returns.
      const isPaidByMerchant = order.refunds.some((refund) => refund.from === 'order' && sameAsset(refund.asset, asset))
      const removed = order.transfers
        .filter((transfer) => isPaidByMerchant && transfer.state === 'dropped' && sameAsset(transfer.asset, asset))
        .reduce((sum, transfer) => sum + transfer.amount, 0n)
      if (refunded(order, asset) > everReceived(order, asset) + gained + removed)
        throw new Error(`more ${asset.symbol} went back than came`)
    }
    if (booked('fees', asset) > 10n) throw new Error(`fees were paid twice: ${booked('fees', asset)}`)
    const shopGot = chainOf(asset).balance(`${shop} from ${deposit}`, asset)
    const legs = order.settlements.flatMap(({ legs: planned, paid }) =>
      planned.filter((plannedLeg, place) => plannedLeg.role === 'recipient' && paid?.[place]),
    )
    const reported = legs.reduce((sum, leg) => sum + leg.amount, 0n)
    if (shopGot !== reported) throw new Error(`the shop got ${shopGot}, the order says ${reported}`)
  }

  const checkEnd = (): void => {
    for (const transfer of order.transfers) {
      const isOpen = order.status === 'PARTIAL_PAYMENT' && transfer.state === 'confirmed'
      if (
        !isOpen &&
        transfer.state !== 'applied' &&
        transfer.state !== 'refunded' &&
        transfer.state !== 'held' &&
        transfer.state !== 'dropped'
      )
        throw new Error(`a transfer ended ${transfer.state} on an order that is ${order.status}`)
      if (transfer.state === 'held' && !transfer.reason) throw new Error('held without a reason')
    }
    const { status } = order
    const isPaid = order.settlements.some((settlement) => settlement.paid?.[0] && !settlement.isRest)
    const isOver =
      status === 'EXPIRED' || status === 'PARTIAL_PAYMENT' || status === 'COMPLETED' || status === 'FAILED' || status === 'REFUNDED'
    if (!isOver) throw new Error(`it came to rest as ${status}`)
    if (status === 'COMPLETED' && !isPaid) throw new Error('completed, and the recipient got nothing')
    if (isPaid && status !== 'COMPLETED' && status !== 'REFUNDED') throw new Error(`the recipient was paid, and the order is ${status}`)
    if (status === 'EXPIRED' && !isUnpaid(order)) throw new Error('expired with money that counts')
    if (status === 'REFUNDED' && order.transfers.some((transfer) => transfer.state === 'held' && transfer.reason === 'settlement_failed'))
      throw new Error('refunded, and still holding')
  }

  const self = {
    deposit,
    log,
    sends,
    assets,
    source,
    get order() {
      return order
    },
    handle,
    refund,
    choose(of: Asset, slippageBps: number, signed: boolean, refundAddress: string | undefined): void {
      const quote = quoteNow(of, slippageBps)
      if (quote) handle({ type: 'choose', source: of, quote, signed, refundAddress })
    },
    extend(): void {
      const quote = quoteNow(quoteById(order, order.activeQuote).source)
      if (quote) handle({ type: 'extend', quote })
    },
    tick(): void {
      const wanted = assetToPrice(order, now())
      handle({ type: 'tick', quote: wanted && quoteNow(wanted) })
    },
    /** Returns today's quote if the order's own has expired. */
    priceOf: (of: Asset): Quote | undefined => (needsPrice(order, of, now()) ? quoteNow(of) : undefined),
    report(send: Send, outcome: Outcome): void {
      handle({ type: send.kind === 'settlement' ? 'settlement' : 'refund_outcome', id: send.id, outcome })
    },
    /** Rebuilds the order from its log, as a restarted process does. */
    restart(): void {
      order = replay(log) ?? order
    },
    checkRest(): void {
      checkWhole(order, log)
      checkMoney()
      checkEnd()
    },
  }
  return self
}

export type WorldOrder = ReturnType<typeof worldOrder>
