import { decodeHeader, genesis, hashOf, transactionsOf, type Header } from './block.ts'
import { checkSpends, checkTransaction, findCoins, isFinal, isMature } from './check-transaction.ts'
import type { Rejection } from './rejection.ts'
import { isUnspendable } from './script.ts'
import { isCoinbase, outpoint, type Transaction } from './transaction.ts'
import { verifyInputs } from './verify-input.ts'

/** An output that is not spent yet. */
export interface Coin {
  readonly amount: bigint
  readonly script: Uint8Array
  readonly height: number
  readonly isCoinbase: boolean
}

export interface Block {
  readonly hash: string
  readonly height: number
  readonly header: Header
  readonly parent: Block | undefined
  readonly raw: Uint8Array
  /** Of two chains of equal length the one whose block arrived first wins. */
  readonly order: number
  isInvalid: boolean
  /** The coins that it spent, in order. It is set while and after the block is connected. */
  spent: readonly Coin[]
}

/** What was undone and done to move to another tip. */
export interface Move {
  readonly disconnected: readonly Block[]
  readonly connected: readonly Block[]
}

export interface Chain {
  tip(): Block
  /** The block of the active chain at this height. */
  at(height: number): Block | undefined
  find(hash: string): Block | undefined
  isActive(block: Block): boolean
  coin(outpoint: string): Coin | undefined
  coins(): IterableIterator<[outpoint: string, coin: Coin]>
  coinCount(): number
  /** The sum of the sizes of all blocks. */
  size(): number
  /** Checks a block on the tip, signatures included, without adding it. */
  check(raw: Uint8Array): Rejection | undefined
  /** Adds a block whose parent is known and whose signatures were verified, in the mempool or by `check`. */
  add(raw: Uint8Array): void
  /** Goes back block by block, as a real node does, and then moves to the best other chain. */
  invalidate(block: Block): void
  reconsider(block: Block): void
  /** Calls the listener after each move. */
  subscribe(listener: (move: Move) => void): void
}

const halvingInterval = 150
export const subsidyAt = (height: number): bigint =>
  height >= halvingInterval * 64 ? 0n : 5_000_000_000n >> BigInt(Math.floor(height / halvingInterval))

/** The middle of the last eleven times. Lock times compare with it, and each block must be later (BIP 113). */
export function medianTime(block: Block): number {
  const times: number[] = []
  for (let at: Block | undefined = block; at && times.length < 11; at = at.parent) times.push(at.header.time)
  return times.sort((a, b) => a - b)[times.length >> 1]!
}

export function createChain(): Chain {
  const blocks = new Map<string, Block>()
  const active: Block[] = []
  const coins = new Map<string, Coin>()
  let size = 0
  let listener: (move: Move) => void = () => {}

  const tip = () => active.at(-1)!
  const isActive = (block: Block) => active[block.height] === block

  function index(raw: Uint8Array, parent: Block | undefined): Block {
    const block: Block = {
      hash: hashOf(raw),
      height: parent ? parent.height + 1 : 0,
      header: decodeHeader(raw),
      parent,
      raw,
      order: blocks.size,
      isInvalid: parent?.isInvalid ?? false,
      spent: [],
    }
    blocks.set(block.hash, block)
    size += raw.length
    return block
  }

  /** Applies a block's transactions to the coins, or changes nothing and says why not. */
  function connect(
    raw: Uint8Array,
    verify: typeof verifyInputs | undefined,
  ): { rejection: Rejection } | { spent: Coin[]; commit: () => void } {
    const height = tip().height + 1
    const changed = new Map<string, Coin | undefined>()
    const coinOf = (key: string) => (changed.has(key) ? changed.get(key) : coins.get(key))
    const medianOf = (ofHeight: number) => medianTime(active[ofHeight]!)
    const spent: Coin[] = []
    let fees = 0n
    const [reward, ...transactions] = transactionsOf(raw)
    const create = (transaction: Transaction) => {
      for (const [index, { amount, script }] of transaction.outputs.entries()) {
        if (isUnspendable(script)) continue
        changed.set(outpoint({ txid: transaction.txid, index }), { amount, script, height, isCoinbase: isCoinbase(transaction) })
      }
    }
    for (const transaction of transactions) {
      const unfit = checkTransaction(transaction)
      if (unfit) return { rejection: unfit }
      if (!isFinal(transaction, { height, medianOf }))
        return { rejection: { reason: 'bad-txns-nonfinal', detail: 'non-final transaction' } }
    }
    create(reward!)
    for (const transaction of transactions) {
      const found = findCoins(transaction, coinOf)
      if ('reason' in found) return { rejection: found }
      const result = checkSpends(transaction, found, height)
      if ('reason' in result) return { rejection: result }
      if (!isMature(transaction, found, { height, medianOf })) {
        const detail = `contains a non-BIP68-final transaction ${transaction.txid}`
        return { rejection: { reason: 'bad-txns-nonfinal', detail } }
      }
      const failed = verify?.(transaction, found)
      if (failed) return { rejection: { reason: `mandatory-script-verify-flag-failed (${failed.failure})` } }
      fees += result.fee
      for (const input of transaction.inputs) changed.set(outpoint(input), undefined)
      spent.push(...found)
      create(transaction)
    }
    const paid = reward!.outputs.reduce((sum, { amount }) => sum + amount, 0n)
    if (paid > subsidyAt(height) + fees) return { rejection: { reason: 'bad-cb-amount' } }
    return {
      spent,
      commit: () => {
        for (const [key, coin] of changed) {
          if (coin) coins.set(key, coin)
          else coins.delete(key)
        }
      },
    }
  }

  function disconnectTip(): Block {
    const block = tip()
    const spent = [...block.spent]
    for (const transaction of transactionsOf(block.raw).toReversed()) {
      for (const index of transaction.outputs.keys()) coins.delete(outpoint({ txid: transaction.txid, index }))
      if (isCoinbase(transaction)) continue
      for (const input of transaction.inputs.toReversed()) coins.set(outpoint(input), spent.pop()!)
    }
    active.pop()
    return block
  }

  function best(): Block {
    let found = active[0]!
    for (const block of blocks.values()) if (!block.isInvalid && block.height > found.height) found = block
    return found
  }

  /** Moves to the best chain. A block that turns out to be invalid on the way is marked so, and the best other chain is taken. */
  function moveToBest(): void {
    const disconnected: Block[] = []
    const connected: Block[] = []
    for (let target = best(); target !== tip(); target = best()) {
      const path: Block[] = []
      for (let at = target; !isActive(at); at = at.parent!) path.push(at)
      const fork = path.at(-1)!.parent!
      while (tip() !== fork) disconnected.push(disconnectTip())
      for (const block of path.toReversed()) {
        const result = connect(block.raw, undefined)
        if ('rejection' in result) {
          markInvalid(block)
          break
        }
        result.commit()
        block.spent = result.spent
        active.push(block)
        connected.push(block)
      }
    }
    listener({ disconnected, connected })
  }

  function markInvalid(target: Block): void {
    // Parents stand before their children in this map.
    for (const block of blocks.values()) if (block === target || block.parent?.isInvalid) block.isInvalid = true
  }

  active.push(index(genesis, undefined))

  return {
    tip,
    at: (height) => active[height],
    find: (hash) => blocks.get(hash),
    isActive,
    coin: (key) => coins.get(key),
    coins: () => coins.entries(),
    coinCount: () => coins.size,
    size: () => size,
    check(raw) {
      const result = connect(raw, verifyInputs)
      return 'rejection' in result ? result.rejection : undefined
    },
    add(raw) {
      const block = index(raw, blocks.get(decodeHeader(raw).previous))
      if (block.height > tip().height) moveToBest()
    },
    invalidate(block) {
      while (isActive(block)) listener({ disconnected: [disconnectTip()], connected: [] })
      markInvalid(block)
      moveToBest()
    },
    reconsider(target) {
      for (const block of blocks.values()) if (isDescendant(block, target)) block.isInvalid = false
      for (let at = target.parent; at; at = at.parent) at.isInvalid = false
      moveToBest()
    },
    subscribe: (subscriber) => void (listener = subscriber),
  }
}

function isDescendant(block: Block, ancestor: Block): boolean {
  let at: Block | undefined = block
  while (at && at.height > ancestor.height) at = at.parent
  return at === ancestor
}
