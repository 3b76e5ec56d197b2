import type { Asset } from '../../../server/orders/model/asset.ts'
import type { Policy } from '../../../server/orders/model/commands.ts'
import type { Transfer } from '../../../server/orders/model/order.ts'
import { type Conditions, modelChain, type ModelChain } from './model-chain.ts'
import { collector, collectorOnEthereum, day, minute, otherPayer, payer, policy, shop, shopOnEthereum, t0 } from './support.ts'
import { type Send, type WorldOrder, worldOrder } from './world-order.ts'
import type { Setting, Step } from './world-steps.ts'

const isStanding = (chain: ModelChain, { block, blockHash }: Transfer): boolean =>
  block !== undefined && chain.at(block)?.hash === blockHash

/** Several orders on two chains with one service, and everything that can happen to them step by step. */
export function world(setting: Setting) {
  const { needed } = setting
  const costs: Policy = {
    ...policy,
    refundGas: () => BigInt(setting.refundGas),
    leastLeg: () => BigInt(setting.leastLeg),
  }
  const chains: readonly [ModelChain, ModelChain] = [modelChain(8453), modelChain(1)]
  const refusing = new Set<string>()
  const seenBlocks = new Set<string>()
  const cursors = new Map<number, { number: number; hash: string }>()
  let now = t0
  let price = 1000n
  let isPriceKnown = true
  let isGuardSigning = true
  let count = 0

  const conditions = (): Conditions => ({ refusing, price })
  const chainOf = (asset: Asset): ModelChain => (asset.chainId === 1 ? chains[1] : chains[0])
  const orders = Array.from({ length: setting.orders }, (_, index) =>
    worldOrder(index, { setting, policy: costs, now: () => now, price: () => (isPriceKnown ? price : undefined), chainOf }),
  )
  const orderOf = (who: number): WorldOrder => orders[who % orders.length]!
  const sends = (): Send[] => orders.flatMap((order) => order.sends)

  /** Scans for one order: reports new transfers, dropped ones and the new head. */
  const lookFor = (worldOrder: WorldOrder, chain: ModelChain, from: number, isDropFirst: boolean): void => {
    const head = chain.head().number
    const drop = () => {
      const keys = worldOrder.order.transfers
        .filter((each) => each.state !== 'dropped' && each.asset.chainId === chain.chainId && !isStanding(chain, each))
        .map(({ key }) => key)
      if (keys.length > 0) worldOrder.handle({ type: 'vanished', keys })
    }
    if (isDropFirst) drop()
    for (const { key, tx, block } of chain.sights(worldOrder.deposit, from + 1)) {
      const { asset, hash: txHash, amount } = tx
      const confirmations = head - block.number + 1
      const transfer = { key, asset, txHash, amount, block: block.number, blockHash: block.hash, seenAt: now, confirmations, needed }
      const quote = worldOrder.priceOf(asset)
      worldOrder.handle({ type: 'arrived', transfers: [transfer], quotes: quote && [quote] })
    }
    if (!isDropFirst) drop()
    const progress = worldOrder.order.transfers
      .filter((each) => each.asset.chainId === chain.chainId && isStanding(chain, each))
      .map(({ block = head, blockHash: id = '' }) => ({ id, confirmations: head - block + 1 }))
    worldOrder.handle({ type: 'progress', chainId: chain.chainId === 1 ? 1 : 8453, progress })
  }

  /** A crash in the middle does not move the cursor, so facts are reported again. */
  const look = (chain: ModelChain, isDropFirst: boolean, crashAfter = Infinity): void => {
    let from = Math.min(cursors.get(chain.chainId)?.number ?? 100, chain.head().number)
    // Like the service, the scan returns to the last block that still exists.
    while (from > 100 && chain.at(from) && !seenBlocks.has(chain.at(from)!.hash)) from--
    for (const order of orders.slice(0, crashAfter)) lookFor(order, chain, from, isDropFirst)
    if (crashAfter < orders.length) return
    for (const block of chain.blocks) seenBlocks.add(block.hash)
    cursors.set(chain.chainId, chain.head())
  }

  const sweep = (isEager: boolean): void => {
    const [chain] = chains
    const head = chain.head()
    if (!isEager && cursors.get(chain.chainId)?.hash !== head.hash) return
    const final = chain.at(head.number - needed + 1)
    if (!final) return
    for (const order of orders) {
      // Coin that is back at an address because a reorganisation has undone what moved it is not new money.
      order.loseStrangers(chain)
      const asset = order.assets.find(({ address, chainId }) => address === null && chainId === chain.chainId)
      if (!asset || asset !== order.source) continue
      const balance = chain.balance(order.deposit, asset, final.number)
      const seen = { asset, balance, at: { height: final.number, id: final.hash }, needed }
      order.handle({ type: 'balance', ...seen, quote: order.priceOf(asset) })
    }
  }

  const follow = (send: Send): void => {
    if (send.reported === 'over' || send.reported === 'nothing') return
    const { order, tx } = send
    const chain = chainOf(tx.asset)
    const block = chain.blockOf(tx.hash)
    if (!block) {
      if (send.reported === 'mined') {
        send.reported = 'broadcast'
        order.report(send, { state: 'unmined' })
      }
      return
    }
    if (chain.head().number - block.number + 1 >= needed) {
      send.reported = 'over'
      chain.finalize(block.number)
      const result = chain.result(tx.hash)!
      if (result.isUndone) {
        // What others have done with the guard's signature is recorded before the failure of our own transaction.
        order.reportStrangers(chain, true)
        if (result.isAboveCap && !order.wasRobbed()) throw new Error('a settlement was planned whose fee is above the cap')
        return order.report(send, { state: 'failed', reason: 'The transaction was reverted by the chain.' })
      }
      const swapped = tx.kind === 'settle' && tx.swap && { swapped: result.swapped }
      const paid = result.legs.map(({ isPaid }) => isPaid)
      return order.report(send, { state: 'confirmed', txHash: tx.hash, block: block.number, paid, ...swapped })
    }
    if (send.reported === 'broadcast') {
      send.reported = 'mined'
      order.report(send, { state: 'mined', txHash: tx.hash })
    }
  }

  /** The signed bytes are stored before the broadcast so that a crash resends the same ones. */
  const send = (crash?: 'sign' | 'broadcast'): void => {
    const unsent = sends().filter((send) => send.reported === 'nothing')
    const isSigned = ({ tx }: Send) => isGuardSigning || (tx.kind === 'settle' && !tx.swap)
    const next = unsent.find((send) => isSigned(send) || chainOf(send.tx.asset).knows(send.tx.hash))
    for (const waiting of unsent) if (!isSigned(waiting) && waiting !== next) waiting.order.report(waiting, { state: 'waiting' })
    if (!next || crash === 'sign') return
    chainOf(next.tx.asset).submit(next.tx)
    if (crash === 'broadcast') return
    next.reported = 'broadcast'
    next.order.report(next, { state: 'broadcast', txHash: next.tx.hash })
  }

  /** Only a send that never reached the chain can be refused. After a crash between broadcast and report it no longer can. */
  const refuseNext = (): void => {
    const next = sends().find((send) => send.reported === 'nothing')
    if (!next || chainOf(next.tx.asset).knows(next.tx.hash)) return
    const chain = chainOf(next.tx.asset)
    const { nonce } = next.tx
    if (nonce !== undefined && chain.isUsed(nonce)) {
      if (!chain.isUsed(nonce, chain.head().number - needed + 1)) return
      next.order.reportStrangers(chain, true)
    }
    next.reported = 'over'
    next.order.report(next, { state: 'failed', reason: 'It would fail.' })
  }

  const crash = (during: 'look' | 'sign' | 'broadcast' | 'nothing', after: number): void => {
    if (during === 'look') for (const chain of chains) look(chain, true, after % orders.length)
    else if (during !== 'nothing') send(during)
    for (const order of orders) order.restart()
  }

  const pay = ({ who, asset, amount, isSilent }: Extract<Step, { do: 'pay' }>): void => {
    const order = orderOf(who)
    const paid = order.assets[asset] ?? order.source
    count++
    chainOf(paid).submit({
      kind: 'transfer',
      hash: `0x${count.toString().padStart(64, '0')}`,
      to: order.deposit,
      asset: paid,
      amount: BigInt(amount),
      isSilent: isSilent && paid.address === null && paid === order.source,
    })
  }

  const merchant = ({ who, isPaid }: Extract<Step, { do: 'merchant' }>): void => {
    const worldOrder = orderOf(who)
    const pending = worldOrder.order.refunds.find((each) => each.from === 'order' && each.state === 'pending')
    if (!pending) return
    const outcome = isPaid
      ? { state: 'confirmed' as const, txHash: '0xm', paid: [true] }
      : { state: 'failed' as const, reason: 'Not sent.' }
    worldOrder.handle({ type: 'refund_outcome', id: pending.id, outcome })
  }

  const take = (step: Step): void => {
    switch (step.do) {
      case 'pay':
        return pay(step)
      case 'mine':
        return chains.forEach((chain) => chain.mine(conditions(), step.shift, step.most))
      case 'reorg':
        return chains.forEach((chain) => {
          chain.reorg(step.depth, step.isLost)
          for (let index = 0; index < step.depth; index++) chain.mine(conditions(), 0, step.isLost ? 9 : 0)
        })
      case 'turn':
        return turn()
      case 'look':
        for (const chain of chains) {
          look(chain, step.isDropFirst)
          if (step.isTwice) look(chain, step.isDropFirst)
        }
        return
      case 'sweep':
        return sweep(step.isEager)
      case 'send':
        return step.isRefused ? refuseNext() : send()
      case 'report':
        return sends().forEach(follow)
      case 'wait':
        now += step.minutes * minute
        return
      case 'tick':
        return orders.forEach((order) => order.tick())
      case 'choose': {
        const worldOrder = orderOf(step.who)
        const elsewhere = setting.second === 'none' ? worldOrder.source : worldOrder.assets[2]
        const source = [worldOrder.source, worldOrder.assets[3], elsewhere][step.asset] ?? worldOrder.source
        return worldOrder.choose(source, step.slippage, step.isSigned, [undefined, payer, otherPayer][step.address])
      }
      case 'give address':
        return orderOf(step.who).giveAddress([payer, otherPayer][step.address] ?? payer, step.isSigned)
      case 'extend':
        return orderOf(step.who).extend()
      case 'accept':
        return void orderOf(step.who).handle({ type: 'accept_early', txHash: '0xe' })
      case 'authorize': {
        const worldOrder = orderOf(step.who)
        return void worldOrder.handle(
          step.isGood ? { type: 'authorized', quoteId: worldOrder.order.activeQuote } : { type: 'unauthorized' },
        )
      }
      case 'refund': {
        const worldOrder = orderOf(step.who)
        return worldOrder.refund(worldOrder.assets[step.asset] ?? worldOrder.source, BigInt(step.percent))
      }
      case 'merchant':
        return merchant(step)
      case 'refuse': {
        const who = [shop, collector, payer, otherPayer, shopOnEthereum, collectorOnEthereum][step.whom] ?? shop
        if (!refusing.delete(who)) refusing.add(who)
        return
      }
      case 'steal': {
        if (step.payment > 0) {
          const asset = step.place === 1 && setting.second !== 'none' ? 2 : 3
          pay({ do: 'pay', who: step.who, amount: step.payment, asset, isSilent: false })
          mineAll(1)
        }
        orderOf(step.who).steal(step.place, BigInt(step.percent), BigInt(step.feePercent))
        return followStrangers(step.after)
      }
      case 'use':
        if (isGuardSigning) orderOf(step.who).useSignature()
        return followStrangers(step.after)
      case 'release': {
        const worldOrder = orderOf(step.who)
        worldOrder.release(worldOrder.assets[step.asset] ?? worldOrder.source)
        return followStrangers(step.after)
      }
      case 'strangers':
        return reportStrangers(step.isLostFirst)
      case 'guard':
        isGuardSigning = step.isSigning
        return
      case 'price':
        price = BigInt(step.price)
        isPriceKnown = step.isKnown
        return
      case 'crash':
        return crash(step.during, step.after)
      default:
        return step satisfies never
    }
  }

  const reportStrangers = (isLostFirst: boolean): void => {
    for (const order of orders) for (const chain of chains) order.reportStrangers(chain, isLostFirst)
  }

  const mineAll = (count: number): void => {
    for (let index = 0; index < count; index++) for (const chain of chains) chain.mine(conditions(), 0)
  }

  const followStrangers = (after: Extract<Step, { do: 'release' }>['after']): void => {
    if (after === 'mined') return
    mineAll(needed)
    reportStrangers(true)
    if (after === 'reported') return
    for (const chain of chains) chain.reorg(needed, true)
    reportStrangers(true)
  }

  const turn = (): void => {
    for (let index = 0; index < orders.length; index++) send()
    mineAll(needed)
    for (const chain of chains) look(chain, true)
    reportStrangers(true)
    sends().forEach(follow)
  }

  /** Runs chains and service without new input until nothing changes. */
  const settleDown = (): void => {
    refusing.clear()
    isGuardSigning = true
    // Signatures expire within minutes, so by now each has moved its money or never will.
    for (const order of orders) order.handle({ type: 'unauthorized' })
    const versions = () => orders.reduce((sum, order) => sum + order.order.version, 0)
    for (let idleRounds = 0, round = 0; idleRounds < 3; round++) {
      if (round > 80) throw new Error('the world does not come to rest')
      const before = versions()
      turn()
      sweep(false)
      // Later rounds are longer, so that the day of repricing part payments passes.
      now += (round < 10 ? 11 : 61) * minute
      for (const order of orders) order.tick()
      const isBusy = versions() !== before || sends().some((send) => send.reported !== 'over') || chains.some((chain) => chain.isWaiting())
      idleRounds = isBusy ? 0 : idleRounds + 1
    }
    now += day
    const before = versions()
    for (const order of orders) order.tick()
    // A day later the rest of a payment may have been priced anew, and be covered now.
    if (versions() !== before) settleDown()
  }

  return {
    take,
    orders,
    settleDown,
    checkRest: () => orders.forEach((order) => order.checkRest()),
  }
}
