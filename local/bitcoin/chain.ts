import { decodeHeader, genesis, hashOf, transactionsOf, type Header } from './block.ts'
import { checkSpends, checkTransaction } from './check-transaction.ts'
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
  /** Of two chains of equal length the one whose block came first wins. */
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
  /** Checks a block on the tip without adding it. Blocks from our own file were verified before they were written. */
  check(raw: Uint8Array, options?: { readonly isVerified?: boolean }): Rejection | undefined
  /** Adds a block whose parent is known. Returns undefined if the block is known already. */
  add(raw: Uint8Array, options?: { readonly isVerified?: boolean }): Move | undefined
  invalidate(block: Block): Move
  reconsider(block: Block): Move
}

const halvingInterval = 150
export const subsidyAt = (height: number): bigint => (height >= halvingInterval * 64 ? 0n : 5_000_000_000n >> BigInt(Math.floor(height / halvingInterval)))

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
  function connect(raw: Uint8Array, isVerified: boolean): { rejection: Rejection } | { spent: Coin[]; commit: () => void } {
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
    create(reward!)
    for (const transaction of transactions) {
      const spends = checkTransaction(transaction) ?? checkSpends(transaction, { coinOf, height, medianOf })
      if ('reason' in spends) return { rejection: spends }
      const failed = isVerified ? undefined : verifyInputs(transaction, spends.coins)
      if (failed) return { rejection: { reason: `mandatory-script-verify-flag-failed (${failed.failure})` } }
      fees += spends.fee
      for (const input of transaction.inputs) changed.set(outpoint(input), undefined)
      spent.push(...spends.coins)
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

  function disconnect(block: Block): void {
    const spent = [...block.spent]
    for (const transaction of transactionsOf(block.raw).reverse()) {
      for (const index of transaction.outputs.keys()) coins.delete(outpoint({ txid: transaction.txid, index }))
      if (isCoinbase(transaction)) continue
      for (const input of transaction.inputs.toReversed()) coins.set(outpoint(input), spent.pop()!)
    }
    active.pop()
  }

  function best(): Block {
    let found = active[0]!
    for (const block of blocks.values()) if (!block.isInvalid && block.height > found.height) found = block
    return found
  }

  /** Moves to a block's chain. A block that turns out to be invalid on the way is marked so, and the best other chain is taken. */
  function moveTo(target: Block, isVerified: boolean): Move {
    const disconnected: Block[] = []
    const connected: Block[] = []
    const path: Block[] = []
    for (let at = target; !isActive(at); at = at.parent!) path.push(at)
    const fork = (path.at(-1)?.parent ?? target).height
    while (tip().height > fork) {
      disconnected.push(tip())
      disconnect(tip())
    }
    for (const block of path.reverse()) {
      const result = connect(block.raw, isVerified)
      if ('rejection' in result) {
        markInvalid(block)
        const onward = moveTo(best(), isVerified)
        return { disconnected, connected: [...connected, ...onward.connected] }
      }
      result.commit()
      block.spent = result.spent
      active.push(block)
      connected.push(block)
    }
    return { disconnected, connected }
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
    check: (raw, { isVerified = false } = {}) => {
      const result = connect(raw, isVerified)
      return 'rejection' in result ? result.rejection : undefined
    },
    add(raw, { isVerified = false } = {}) {
      if (blocks.has(hashOf(raw))) return undefined
      const parent = blocks.get(decodeHeader(raw).previous)
      if (!parent) return undefined
      const block = index(raw, parent)
      const isLonger = !block.isInvalid && block.height > tip().height
      return isLonger ? moveTo(block, isVerified) : { disconnected: [], connected: [] }
    },
    invalidate(block) {
      markInvalid(block)
      return moveTo(best(), true)
    },
    reconsider(target) {
      for (const block of blocks.values()) if (block === target || (block.parent && isDescendant(block, target))) block.isInvalid = false
      for (let at = target.parent; at; at = at.parent) at.isInvalid = false
      return moveTo(best(), true)
    },
  }
}

function isDescendant(block: Block, ancestor: Block): boolean {
  let at: Block | undefined = block
  while (at && at.height > ancestor.height) at = at.parent
  return at === ancestor
}
