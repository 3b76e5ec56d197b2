import * as fc from 'fast-check'
import { apply } from '../../server/domain/apply.ts'
import { type Asset, sameAsset } from '../../server/domain/asset.ts'
import type { Command, Outcome, Rules } from '../../server/domain/commands.ts'
import { decide } from '../../server/domain/decide.ts'
import type { Fact } from '../../server/domain/facts.ts'
import { atDeposit, everReceived, receivedAssets, refunded } from '../../server/domain/funding.ts'
import type { Terms } from '../../server/domain/order.ts'
import { checked, checkSnapshot, checkWhole, ledgerOf } from './invariants.ts'
import { modelChain, type ModelChain } from './modelChain.ts'
import {
  birthOf,
  collector,
  day,
  ether,
  minute,
  otherPayer,
  payer,
  quoteOf,
  rules,
  shop,
  t0,
  usdc,
  usdcOnEthereum,
  usdt,
} from './support.ts'

/** One order, two chains, and everything that can happen to them, one step at a time. */
export type Step =
  | { readonly do: 'pay'; readonly amount: number; readonly asset: number; readonly isSilent: boolean }
  | { readonly do: 'mine'; readonly shift: number; readonly most: number }
  | { readonly do: 'reorg'; readonly depth: number; readonly isLost: boolean }
  /** The chains and the service go on for a while, undisturbed. */
  | { readonly do: 'turn' }
  | { readonly do: 'look'; readonly isDropFirst: boolean; readonly isTwice: boolean }
  | { readonly do: 'sweep'; readonly isEager: boolean }
  | { readonly do: 'send'; readonly isRefused: boolean }
  | { readonly do: 'report' }
  | { readonly do: 'wait'; readonly minutes: number }
  | { readonly do: 'tick' }
  | { readonly do: 'choose'; readonly address: number; readonly isSigned: boolean; readonly slippage: number }
  | { readonly do: 'extend' }
  | { readonly do: 'accept' }
  | { readonly do: 'authorize'; readonly isGood: boolean }
  | { readonly do: 'refund'; readonly percent: number; readonly asset: number }
  | { readonly do: 'merchant'; readonly isPaid: boolean }
  | { readonly do: 'refuse'; readonly who: number }

const amounts = fc.oneof(
  fc.constantFrom(1000, 1000, 500, 500, 370, 630, 999, 1001, 1002, 1003, 1006, 1500),
  fc.integer({ min: 1, max: 2500 }),
)

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant('pay' as const),
      amount: amounts,
      asset: fc.constantFrom(0, 0, 0, 0, 1, 2),
      isSilent: fc.constantFrom(false, false, true),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({ do: fc.constant('mine' as const), shift: fc.constantFrom(0, 0, 0, 1), most: fc.constantFrom(0, 1, 9, 9) }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('reorg' as const), depth: fc.integer({ min: 1, max: 5 }), isLost: fc.boolean() }) },
  { weight: 8, arbitrary: fc.record({ do: fc.constant('turn' as const) }) },
  { weight: 9, arbitrary: fc.record({ do: fc.constant('look' as const), isDropFirst: fc.boolean(), isTwice: fc.boolean() }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('sweep' as const), isEager: fc.boolean() }) },
  { weight: 5, arbitrary: fc.record({ do: fc.constant('send' as const), isRefused: fc.constantFrom(false, false, false, true) }) },
  { weight: 7, arbitrary: fc.record({ do: fc.constant('report' as const) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('wait' as const), minutes: fc.constantFrom(1, 10, 26, 31, 24 * 60, 9 * 24 * 60) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('tick' as const) }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('choose' as const),
      address: fc.constantFrom(0, 1, 1, 2),
      isSigned: fc.boolean(),
      slippage: fc.constantFrom(100, 100, 50),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('extend' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('accept' as const) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('authorize' as const), isGood: fc.boolean() }) },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant('refund' as const),
      percent: fc.constantFrom(100, 100, 100, 50, 30),
      asset: fc.constantFrom(0, 0, 1, 2),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant('merchant' as const), isPaid: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant('refuse' as const), who: fc.integer({ min: 0, max: 3 }) }) },
)

export interface Setting {
  readonly isNative: boolean
  readonly needed: number
  readonly toleranceBps: number
  readonly legGas: number
  readonly refundGas: number
}

export const setting: fc.Arbitrary<Setting> = fc.record({
  isNative: fc.boolean(),
  needed: fc.integer({ min: 1, max: 6 }),
  toleranceBps: fc.constantFrom(0, 0, 10, 5000, 10_000),
  legGas: fc.constantFrom(0, 2),
  refundGas: fc.constantFrom(0, 5),
})

export const steps = (maxLength: number): fc.Arbitrary<Step[]> => fc.array(step, { minLength: 3, maxLength, size: 'max' })

interface Send {
  readonly kind: 'settlement' | 'refund'
  readonly id: string
  readonly asset: Asset
  readonly legs: readonly { readonly to: string; readonly amount: bigint }[]
  hash?: string
  told: 'nothing' | 'broadcast' | 'mined' | 'over'
}

export const world = ({ isNative, needed, toleranceBps, legGas, refundGas }: Setting) => {
  const asset = isNative ? ether : usdc
  const assets = [asset, usdt, usdcOnEthereum] as const
  const quote = quoteOf({ source: asset, asset })
  const costs: Rules = { ...rules, legGas: BigInt(legGas), refundGas: BigInt(refundGas) }
  const terms: Partial<Terms> = { asset, toleranceBps }
  const created: Fact = { type: 'created', order: birthOf(terms, quote) }
  const log = [{ fact: created, at: t0 }]
  const chains: readonly [ModelChain, ModelChain] = [modelChain(8453), modelChain(1)]
  const refusing = new Set<string>()
  const sends: Send[] = []
  const cursors = new Map<number, { number: number; hash: string }>()
  let order = apply(undefined, created, t0)
  let now = t0
  let count = 0
  const chainOf = (one: Asset): ModelChain => (one.chainId === 1 ? chains[1] : chains[0])

  const tell = (command: Command): boolean => {
    const decision = decide(order, command, costs, now)
    if (!decision.ok) return false
    if (decision.facts.length === 0) return true
    order = checked(order, command, decision.facts, log, now)
    checkSnapshot(order)
    for (const fact of decision.facts) obey(fact)
    const again = decide(order, command, costs, now)
    if (again.ok && again.facts.length > 0)
      throw new Error(`${command.type} told twice made ${again.facts.map((fact) => fact.type).join()}`)
    return true
  }

  /** What the service would put into its sending queue. */
  const obey = (fact: Fact): void => {
    if (fact.type === 'settlement_planned')
      sends.push({ kind: 'settlement', id: fact.id, asset: fact.token, legs: fact.legs, told: 'nothing' })
    if (fact.type === 'refund_planned' && fact.refund.from === 'deposit') {
      const { id, gas, amount, address, asset: token } = fact.refund
      const legs = [{ to: address, amount: amount - gas }, ...(gas > 0n ? [{ to: collector, amount: gas }] : [])]
      sends.push({ kind: 'refund', id, asset: token, legs, told: 'nothing' })
    }
  }

  const report = (send: Send, outcome: Outcome) =>
    tell({ type: send.kind === 'settlement' ? 'settlement' : 'refund_outcome', id: send.id, outcome })

  /** The watcher: everything in blocks it has not seen, everything it knows that is gone, and how deep the rest is. */
  const look = (chain: ModelChain, isDropFirst: boolean): void => {
    const drop = () => {
      const keys = order.transfers
        .filter((one) => one.state !== 'dropped' && one.asset.chainId === chain.chainId && chain.at(one.block)?.hash !== one.blockHash)
        .map((one) => one.key)
      if (keys.length > 0) tell({ type: 'vanished', keys })
    }
    const head = chain.head().number
    const cursor = cursors.get(chain.chainId)
    // As the service does: back to the last block that is still there, then forward.
    let from = Math.min(cursor?.number ?? 100, head)
    while (from > 100 && chain.at(from) && !seenBlocks.has(chain.at(from)!.hash)) from--
    if (isDropFirst) drop()
    for (const { key, tx, block } of chain.sights(from + 1)) {
      tell({
        type: 'arrived',
        transfer: {
          key,
          asset: tx.asset,
          txHash: tx.hash,
          amount: tx.amount,
          block: block.number,
          blockHash: block.hash,
          seenAt: now,
          needed,
        },
        head,
      })
    }
    if (!isDropFirst) drop()
    for (const block of chain.blocks) seenBlocks.add(block.hash)
    cursors.set(chain.chainId, chain.head())
    tell({ type: 'block', chainId: chain.chainId === 1 ? 1 : 8453, head })
  }
  const seenBlocks = new Set<string>()

  const sweep = (isEager: boolean): void => {
    const [chain] = chains
    const head = chain.head()
    if (!isEager && cursors.get(chain.chainId)?.hash !== head.hash) return
    const final = chain.at(head.number - needed + 1)
    if (!isNative || !final) return
    tell({
      type: 'balance',
      asset,
      balance: chain.balance(asset, final.number),
      block: final.number,
      blockHash: final.hash,
      needed,
      head: head.number,
    })
  }

  const follow = (send: Send): void => {
    if (!send.hash || send.told === 'over') return
    const chain = chainOf(send.asset)
    const block = chain.blockOf(send.hash)
    if (!block) {
      if (send.told === 'mined') {
        send.told = 'broadcast'
        report(send, { state: 'unmined' })
      }
      return
    }
    if (chain.head().number - block.number + 1 >= needed) {
      send.told = 'over'
      chain.finalize(block.number)
      report(send, { state: 'confirmed', txHash: send.hash, paid: chain.paid(send.hash) ?? [] })
    } else if (send.told === 'broadcast') {
      send.told = 'mined'
      report(send, { state: 'mined', txHash: send.hash })
    }
  }

  const take = (one: Step): void => {
    switch (one.do) {
      case 'pay': {
        const paid = assets[one.asset] ?? asset
        count++
        chainOf(paid).submit({
          kind: 'transfer',
          hash: `0x${count.toString().padStart(64, '0')}`,
          asset: paid,
          amount: BigInt(one.amount),
          isSilent: one.isSilent && paid.address === null,
        })
        return
      }
      case 'mine':
        return chains.forEach((chain) => chain.mine(refusing, one.shift, one.most))
      case 'reorg':
        return chains.forEach((chain) => {
          chain.reorg(one.depth, one.isLost)
          for (let index = 0; index < one.depth; index++) chain.mine(refusing, 0, one.isLost ? 9 : 0)
        })
      case 'turn':
        return turn()
      case 'look':
        for (const chain of chains) {
          look(chain, one.isDropFirst)
          if (one.isTwice) look(chain, one.isDropFirst)
        }
        return
      case 'sweep':
        return sweep(one.isEager)
      case 'send': {
        const send = sends.find((each) => each.told === 'nothing')
        if (!send) return
        if (one.isRefused) {
          send.told = 'over'
          report(send, { state: 'failed', reason: 'It would fail.' })
          return
        }
        send.told = 'broadcast'
        send.hash = `0xsend${send.id}`
        chainOf(send.asset).submit({ kind: 'send', hash: send.hash, asset: send.asset, legs: send.legs })
        report(send, { state: 'broadcast', txHash: send.hash })
        return
      }
      case 'report':
        return sends.forEach(follow)
      case 'wait':
        now += one.minutes * minute
        return
      case 'tick':
        tell({ type: 'tick' })
        return
      case 'choose':
        tell({
          type: 'choose',
          source: asset,
          quote: { ...quote, slippageBps: one.slippage },
          signed: one.isSigned,
          refundAddress: [undefined, payer, otherPayer][one.address],
        })
        return
      case 'extend':
        tell({ type: 'extend', quote })
        return
      case 'accept':
        tell({ type: 'accept_early', txHash: '0xe' })
        return
      case 'authorize':
        tell(one.isGood ? { type: 'authorized', quoteId: order.activeQuote } : { type: 'unauthorized' })
        return
      case 'refund':
        return refund(assets[one.asset] ?? asset, BigInt(one.percent))
      case 'merchant': {
        const pending = order.refunds.find((each) => each.from === 'order' && each.state === 'pending')
        if (pending)
          tell({
            type: 'refund_outcome',
            id: pending.id,
            outcome: one.isPaid ? { state: 'confirmed', txHash: '0xm', paid: [true] } : { state: 'failed', reason: 'Not sent.' },
          })
        return
      }
      case 'refuse': {
        const who = [shop, collector, payer, otherPayer][one.who] ?? shop
        if (!refusing.delete(who)) refusing.add(who)
        return
      }
      default:
        return one satisfies never
    }
  }

  /** As the API asks for it: from the deposit address while enough is there, else by the merchant. */
  const refund = (of: Asset, percent: bigint): void => {
    const amount = ((everReceived(order, of) - refunded(order, of)) * percent) / 100n
    if (amount <= 0n) return
    const from = atDeposit(order, of) >= amount ? 'deposit' : 'order'
    tell({
      type: 'refund',
      refund: {
        id: `r${order.refunds.length + 1}`,
        asset: of,
        amount,
        gas: costs.refundGas,
        address: otherPayer,
        from,
        refundOrderId: 'ord_2',
      },
    })
  }

  const turn = (): void => {
    take({ do: 'send', isRefused: false })
    for (let index = 0; index < needed; index++) take({ do: 'mine', shift: 0, most: 9 })
    take({ do: 'look', isDropFirst: true, isTwice: false })
    take({ do: 'report' })
  }

  /** Nobody acts any more; chains and service come to rest. */
  const settleDown = (): void => {
    refusing.clear()
    for (let quiet = 0, round = 0; quiet < 3; round++) {
      if (round > 60) throw new Error('the world does not come to rest')
      const before = order.version
      turn()
      sweep(false)
      now += 11 * minute
      take({ do: 'tick' })
      const isBusy = order.version !== before || sends.some((one) => one.told !== 'over') || chains.some((chain) => chain.isWaiting())
      quiet = isBusy ? 0 : quiet + 1
    }
    now += day
    take({ do: 'tick' })
  }

  /** What must be true of a world at rest. */
  const checkRest = (): void => {
    checkWhole(order, log)
    const books = ledgerOf(log)
    for (const one of assets) {
      const booked = books.get(`deposit ${one.chainId} ${one.address}`) ?? 0n
      const real = chainOf(one).balance(one)
      if (booked !== real) throw new Error(`${real} ${one.symbol} is at the deposit address, the books say ${booked}`)
      if (refunded(order, one) > everReceived(order, one)) throw new Error(`more ${one.symbol} went back than came`)
    }
    for (const one of order.transfers) {
      const isOpen = order.status === 'PARTIAL_PAYMENT' && one.state === 'confirmed'
      if (!isOpen && one.state !== 'applied' && one.state !== 'refunded' && one.state !== 'held' && one.state !== 'dropped')
        throw new Error(`a transfer ended ${one.state} on an order that is ${order.status}`)
      if (one.state === 'held' && !one.reason) throw new Error('held without a reason')
    }
    const shopGot = chains[0].receivedBy(shop)
    const planned = order.settlements.filter((one) => one.paid?.[0]).map((one) => one.legs[0]?.amount ?? 0n)
    if (shopGot !== (planned[0] ?? 0n)) throw new Error(`the shop got ${shopGot}, the order says ${planned.join()}`)
    const isPaid = planned.length > 0
    const status = order.status
    const isOver =
      status === 'EXPIRED' || status === 'PARTIAL_PAYMENT' || status === 'COMPLETED' || status === 'FAILED' || status === 'REFUNDED'
    if (!isOver) throw new Error(`it came to rest as ${status}`)
    if (status === 'COMPLETED' && !isPaid) throw new Error('completed, and the recipient got nothing')
    if (isPaid && status !== 'COMPLETED' && status !== 'REFUNDED') throw new Error(`the recipient was paid, and the order is ${status}`)
    if (status === 'EXPIRED' && receivedAssets(order).some((one) => sameAsset(one, asset)))
      throw new Error('expired with money that counts')
    const feesPaid = books.get(`fees ${asset.chainId} ${asset.address}`) ?? 0n
    if (feesPaid > 10n) throw new Error(`fees were paid twice: ${feesPaid}`)
    if (status === 'REFUNDED' && order.transfers.some((one) => one.state === 'held' && one.reason === 'settlement_failed'))
      throw new Error('refunded, and still holding')
  }

  return {
    take,
    log,
    settleDown,
    checkRest,
    get order() {
      return order
    },
  }
}
