import { apply, replay } from '../../../server/orders/model/apply.ts'
import { type Asset, sameAsset } from '../../../server/orders/model/asset.ts'
import type { Command, Outcome, Policy } from '../../../server/orders/model/commands.ts'
import { decide } from '../../../server/orders/model/decide.ts'
import { assetToPrice, needsPrice } from '../../../server/orders/model/repricing.ts'
import { destinationsOf, feeCollectorOn } from '../../../server/orders/model/destination.ts'
import type { Fact } from '../../../server/orders/model/facts.ts'
import { atDeposit, conversionLeft, everReceived, isUnpaid, funding, quoteById, refunded } from '../../../server/orders/model/funding.ts'
import type { Terms } from '../../../server/orders/model/order.ts'
import type { Quote } from '../../../server/orders/model/quote.ts'
import { chainsToReturnOn, type GivenRefundAddress } from '../../../server/orders/model/refund-address.ts'
import type { ChainId } from '../../../src/wire/chain.ts'
import { checked, checkSnapshot, checkWhole, ledgerOf } from './invariants.ts'
import type { ModelChain, Tx } from './model-chain.ts'
import {
  newOrderOf,
  day,
  ether,
  ethereumQuote,
  minute,
  onTwoChains,
  otherPayer,
  plain,
  quoteOf,
  releaseAt,
  shop,
  shopOnEthereum,
  t0,
  usdc,
  usdcOnEthereum,
  usdt,
} from './support.ts'
import type { Setting } from './world-steps.ts'

/** A transaction in the sending queue, which survives every crash. */
export interface Send {
  readonly kind: 'settlement' | 'refund'
  readonly id: string
  readonly order: WorldOrder
  readonly tx: Extract<Tx, { kind: 'settle' | 'refund' }>
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

/** One of the payers has a contract for an address. */
const givenAs = (address: string, chainId: ChainId): GivenRefundAddress => ({ ...plain(address, chainId), isPlain: address !== otherPayer })

/** One order in the model: its log, its account on the chains, and its invariants. */
export function worldOrder(index: number, { setting, policy, now, price, chainOf }: Surroundings) {
  const { caps } = setting
  const binding = { maxFeeBps: Number(caps.bps), maxFeeFlat: caps.flat, ...(!setting.hasGuard && { guard: null }) }
  const asset = setting.isNative && !setting.isConverting ? ether : usdc
  const source = setting.isConverting ? (setting.isNative ? ether : usdt) : asset
  /** Payments may come in the source, another token, a token on another chain, or the settlement asset. */
  const assets = [source, source === usdt ? ether : usdt, usdcOnEthereum, asset] as const
  const deposit = `deposit ${index}`
  const direct = quoteOf({ source: asset, asset })
  /** The order may settle on Ethereum as well. */
  const elsewhere = setting.second === 'none' ? undefined : ethereumQuote({ moves: setting.second === 'moves' })
  const terms: Partial<Terms> = { ...(elsewhere && onTwoChains(asset)), asset, toleranceBps: setting.toleranceBps }
  const otherQuotes = elsewhere ? [{ ...elsewhere, expiresAt: t0 + (elsewhere.moves ? 30 * minute : day) }] : []
  const created: Fact = { type: 'created', order: { ...newOrderOf(terms, direct, otherQuotes, binding), id: `ord_${index}` } }
  const log = [{ fact: created, at: t0 }]
  const sends: Send[] = []
  let order = apply(undefined, created, t0)
  let thefts = 0
  let uses = 0
  /** The strangers' moves that were reported, with their chains. A restarted service reads them again. */
  const found = new Map<string, ModelChain>()

  /** Returns today's quote in this source. */
  const quoteNow = (of: Asset, slippageBps = 100): Quote | undefined => {
    if (sameAsset(of, asset)) return { ...direct, slippageBps }
    const today = price()
    if (today === undefined) return undefined
    if (elsewhere && sameAsset(of, elsewhere.source)) return { ...elsewhere, slippageBps }
    const total = (1000n * 1010n) / today + 1n
    const input = { base: total, custom: 0n, protocol: 0n, relayer: 0n, gas: 0n, total }
    return { ...direct, source: of, slippageBps, input, moves: true }
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

  const checkSendable = (of: Asset, to: string, amount: bigint): void => {
    if (amount < policy.leastLeg(of, to)) throw new Error(`${amount} ${of.symbol} was planned, and the chain cannot send so little`)
  }

  /** Enqueues the sends that the service enqueues in the transaction that records the fact. */
  const enqueueSends = (fact: Fact): void => {
    const common = (id: string) => ({ hash: `0xsend${index}${id}`, from: deposit, isForeign: false }) as const
    const enqueue = (kind: Send['kind'], id: string, tx: Send['tx']) => sends.push({ kind, id, order: self, tx, reported: 'nothing' })
    if (fact.type === 'settlement_planned') {
      const { id, token, swap, legs } = fact
      const [recipient, fee = { to: 'nobody', amount: 0n }] = legs
      if (recipient?.role !== 'recipient' || legs.length > 2) throw new Error('a settlement pays the recipient and at most one fee')
      if (recipient.amount <= 0n) throw new Error('the recipient gets nothing')
      if (swap && !setting.hasGuard) throw new Error('a conversion was planned, and nobody can sign for it')
      const conversion = swap && { swap, nonce: `${index} ${id}` }
      enqueue('settlement', id, { ...common(id), kind: 'settle', asset: token, recipient, fee, caps, ...conversion })
    }
    if (fact.type === 'refund_planned' && fact.refund.from === 'deposit') {
      const { id, gas, amount, address, asset: token } = fact.refund
      const legs = [
        { to: address, amount: amount - gas },
        ...(gas > 0n ? [{ to: feeCollectorOn(order.terms, token.chainId), amount: gas }] : []),
      ]
      if (!setting.hasGuard) throw new Error('a refund was planned, and nobody can sign for it')
      for (const { to, amount: part } of legs) checkSendable(token, to, part)
      enqueue('refund', id, { ...common(id), kind: 'refund', asset: token, legs, nonce: `${index} ${id}` })
    }
  }

  /** Somebody with an operator's key settles a part of what is at the address, with some fee. */
  const steal = (place: number, percent: bigint, feePercent: bigint): void => {
    const destinations = destinationsOf(order.terms)
    const { asset: of, recipient, feeCollector } = destinations[place % destinations.length]!
    const moved = (chainOf(of).balance(deposit, of) * percent) / 100n
    const fee = (((moved * caps.bps) / 10_000n + caps.flat) * feePercent) / 100n
    if (moved <= fee) return
    thefts++
    const legs = { recipient: { to: recipient, amount: moved - fee }, fee: { to: feeCollector, amount: fee } }
    chainOf(of).submit({ kind: 'settle', hash: `0xtheft${index}-${thefts}`, from: deposit, isForeign: true, asset: of, ...legs, caps })
  }

  /** Somebody with an operator's key sends what the guard has signed for us, if it has signed anything. */
  const useSignature = (): void => {
    const send = sends.findLast(({ tx, reported }) => tx.nonce !== undefined && reported !== 'over')
    if (!send) return
    uses++
    chainOf(send.tx.asset).submit({ ...send.tx, hash: `0xuse${index}-${uses}`, isForeign: true })
  }

  /** After the release time everything may go to the recipients. */
  const release = (of: Asset): void => {
    if (now() < releaseAt) return
    const bound = destinationsOf(order.terms).find(({ asset: settled }) => sameAsset(settled, of))
    thefts++
    const to = bound?.recipient ?? shop
    chainOf(of).submit({ kind: 'release', hash: `0xrelease${index}-${thefts}`, from: deposit, isForeign: true, asset: of, to })
  }

  const strangersOn = (chain: ModelChain) =>
    chain.strangers(deposit).map(({ tx, block }) => ({ tx, block, id: `${tx.hash} in ${block.hash}` }))

  /** Reports which of the strangers' moves a reorganisation has undone. */
  const loseStrangers = (chain: ModelChain): void => {
    const standing = new Set(strangersOn(chain).map(({ id }) => id))
    for (const [id, { chainId }] of found)
      if (chainId === chain.chainId && !standing.has(id)) {
        handle({ type: 'lost', id })
        found.delete(id)
      }
  }

  const reportStrangers = (chain: ModelChain, isLostFirst: boolean): void => {
    if (isLostFirst) loseStrangers(chain)
    for (const { tx, block, id } of strangersOn(chain)) {
      const result = chain.result(tx.hash)
      if (chain.head().number - block.number + 1 < setting.needed || !result || result.isUndone) continue
      const legs = result.legs.flatMap(({ to, amount, isPaid }, place) =>
        isPaid && amount > 0n ? [{ role: place === 0 ? ('recipient' as const) : ('fees' as const), to, amount }] : [],
      )
      const swap = tx.kind === 'settle' && tx.swap && { ...tx.swap, swapped: result.swapped }
      if (legs.length === 0 && !swap) continue
      const move = { id, asset: tx.asset, txHash: tx.hash, block: block.number }
      if (tx.kind === 'refund') handle({ type: 'found_refund', ...move, legs: legs.map(({ to, amount }) => ({ to, amount })) })
      else handle({ type: 'found', ...move, legs, ...(swap && { swap }) })
      found.set(id, chain)
    }
    if (!isLostFirst) loseStrangers(chain)
  }

  /** Refunds as the API does: from the deposit address while it has enough, otherwise by the merchant. */
  const refund = (of: Asset, percent: bigint): void => {
    const { asset: settled } = funding(order).quote
    const became = sameAsset(of, settled) && order.status === 'FAILED' ? conversionLeft(order, asset) : 0n
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
    const recipients = [
      { of: asset, recipient: shop },
      { of: usdcOnEthereum, recipient: elsewhere ? shopOnEthereum : shop },
    ]
    for (const { of, recipient } of recipients) {
      const moved = booked('fees', of) + booked('recipient', of)
      if (booked('fees', of) > (thefts === 0 ? 10n : (moved * caps.bps) / 10_000n + caps.flat))
        throw new Error(`fees were paid twice: ${booked('fees', of)}`)
      const shopGot = chainOf(of).balance(`${recipient} from ${deposit}`, of)
      const legs = order.settlements
        .filter(({ token }) => sameAsset(token, of))
        .flatMap(({ legs: planned, paid }) => planned.filter(({ role }, place) => role === 'recipient' && paid?.[place]))
      const reported = legs.reduce((sum, leg) => sum + leg.amount, 0n)
      if (shopGot !== reported) throw new Error(`the shop got ${shopGot} ${of.symbol} on ${of.chainId}, the order says ${reported}`)
    }
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
    const paidBy = (isForeign: boolean) =>
      order.settlements
        .filter((settlement) => settlement.state === 'confirmed' && (settlement.isForeign === true) === isForeign)
        .flatMap(({ token, legs, paid }) =>
          legs.filter(({ role }, i) => role === 'recipient' && paid?.[i]).map(({ amount }) => ({ token, amount })),
        )
    const { quote } = funding(order)
    const isPaidByOthers =
      paidBy(true).reduce((total, { token, amount }) => (sameAsset(token, quote.asset) ? total + amount : total), 0n) >= quote.output
    const isPaid = paidBy(false).length > 0 || isPaidByOthers
    const isOver =
      status === 'EXPIRED' || status === 'PARTIAL_PAYMENT' || status === 'COMPLETED' || status === 'FAILED' || status === 'REFUNDED'
    if (!isOver) throw new Error(`it came to rest as ${status}`)
    if (order.waitsForGuard) throw new Error('it waits for the guard')
    if (status === 'COMPLETED' && !isPaid && paidBy(true).length === 0) throw new Error('completed, and the recipient got nothing')
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
    steal,
    release,
    useSignature,
    loseStrangers,
    reportStrangers,
    wasRobbed: () => thefts > 0,
    choose(of: Asset, slippageBps: number, signed: boolean, refundAddress: string | undefined): void {
      const quote = quoteNow(of, slippageBps)
      const given = refundAddress === undefined ? undefined : givenAs(refundAddress, of.chainId)
      if (quote) handle({ type: 'choose', source: of, quote, signed, refundAddress: given })
    },
    giveAddress: (address: string, signed: boolean): void =>
      void handle({ type: 'give_refund_address', refundAddress: givenAs(address, chainsToReturnOn(order).at(-1)!), signed }),
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
