import { checkSpends, checkTransaction, findCoins, isFinal, isMature } from './check-transaction.ts'
import { medianTime, type Block, type Chain, type Coin } from './chain.ts'
import { checkStandard, feeAt, minRelayRate, mostAncestors, mostMempoolBytes } from './policy.ts'
import type { Rejection } from './rejection.ts'
import { checkReplacement } from './replacement.ts'
import { transactionsOf } from './block.ts'
import { isCoinbase, outpoint, type Transaction } from './transaction.ts'
import { verifyInputs } from './verify-input.ts'

export interface Entry {
  readonly transaction: Transaction
  readonly fee: bigint
  /** When it was accepted, in Unix seconds. */
  readonly time: number
  /** The height of the tip when it was accepted. */
  readonly height: number
  /** Whether it was submitted by a call and was not in a block before. */
  readonly isUnbroadcast: boolean
}

export interface Accepted {
  readonly entry: Entry
  /** What it replaces, with everything that spends it. */
  readonly replaced: ReadonlySet<Entry>
}

export interface Mempool {
  get(txid: string): Entry | undefined
  entries(): IterableIterator<Entry>
  size(): number
  /** The sum of the virtual sizes. */
  vsize(): number
  /** Counts what was accepted, and what was removed other than by a block. */
  sequence(): number
  spender(outpoint: string): Entry | undefined
  parents(entry: Entry): Entry[]
  children(entry: Entry): Entry[]
  /** All that it spends from here, directly or not, without itself. */
  ancestors(entry: Entry): Set<Entry>
  descendants(entry: Entry): Set<Entry>
  coin(outpoint: string): Coin | undefined
  /** Says whether a transaction would be accepted, without a change. */
  check(transaction: Transaction): Accepted | Rejection
  add(accepted: Accepted): void
}

interface Leniency {
  /** What was in a block or here before is not asked for a fee again, and its signatures are known to be right. */
  readonly isKnown?: boolean
}

/** The transactions that wait for a block, which follow the chain's moves. Everything here is valid on the tip, together with its ancestors here. */
export function createMempool(chain: Chain, clock: () => number): Mempool {
  /** Parents stand before their children. */
  const entries = new Map<string, Entry>()
  const spenders = new Map<string, Entry>()
  let vsize = 0
  let sequence = 1

  const coin = (key: string): Coin | undefined => {
    const [txid = '', index] = key.split(':')
    const output = entries.get(txid)?.transaction.outputs[Number(index)]
    return output ? { ...output, height: chain.tip().height + 1, isCoinbase: false } : chain.coin(key)
  }

  const parents = ({ transaction }: Pick<Entry, 'transaction'>) => [
    ...new Set(transaction.inputs.flatMap(({ txid }) => entries.get(txid) ?? [])),
  ]
  const children = ({ transaction: { txid, outputs } }: Entry) => [
    ...new Set([...outputs.keys()].flatMap((index) => spenders.get(outpoint({ txid, index })) ?? [])),
  ]
  const ancestors = (entry: Pick<Entry, 'transaction'>) => reach(parents(entry), parents)
  const descendants = (entry: Entry) => reach(children(entry), children)

  function insert(entry: Entry): void {
    entries.set(entry.transaction.txid, entry)
    for (const input of entry.transaction.inputs) spenders.set(outpoint(input), entry)
    vsize += entry.transaction.vsize
  }

  function remove(entry: Entry): void {
    entries.delete(entry.transaction.txid)
    for (const input of entry.transaction.inputs) spenders.delete(outpoint(input))
    vsize -= entry.transaction.vsize
  }

  function removeWithDescendants(entry: Entry): void {
    for (const gone of [entry, ...descendants(entry)]) {
      remove(gone)
      sequence++
    }
  }

  function check(transaction: Transaction, { isKnown = false }: Leniency = {}): Accepted | Rejection {
    const { txid, wtxid } = transaction
    const place = {
      height: chain.tip().height + 1,
      medianOf: (height: number) => medianTime(chain.at(height)!),
    }
    const unfit = checkTransaction(transaction) ?? (isKnown ? undefined : checkStandard(transaction))
    if (unfit) return unfit
    if (isCoinbase(transaction)) return { reason: 'coinbase' }
    if (!isFinal(transaction, place)) return { reason: 'non-final' }
    const same = entries.get(txid)
    if (same) return { reason: same.transaction.wtxid === wtxid ? 'txn-already-in-mempool' : 'txn-same-nonwitness-data-in-mempool' }
    const coins = findCoins(transaction, coin)
    if ('reason' in coins) {
      const isMined = transaction.outputs.some((_, index) => chain.coin(outpoint({ txid, index })))
      return isMined ? { reason: 'txn-already-known' } : coins
    }
    if (!isMature(transaction, coins, place)) return { reason: 'non-BIP68-final' }
    const spends = checkSpends(transaction, coins, place.height)
    if ('reason' in spends) return spends
    const tooPoor = isKnown ? undefined : checkFee(transaction, spends.fee)
    if (tooPoor) return tooPoor
    const conflicts = new Set(transaction.inputs.flatMap((input) => spenders.get(outpoint(input)) ?? []))
    const above = ancestors({ transaction })
    const entry: Entry = {
      transaction,
      fee: spends.fee,
      time: Math.floor(clock() / 1000),
      height: chain.tip().height,
      isUnbroadcast: !isKnown,
    }
    const replaced = new Set([...conflicts].flatMap((conflict) => [conflict, ...descendants(conflict)]))
    const refused =
      checkChainLength(above, replaced) ?? checkReplacement({ entry, conflicts, replaced, ancestors: above, parentsOf: parents })
    if (refused) return refused
    const failed = isKnown ? undefined : verifyInputs(transaction, coins)
    if (failed) {
      const where = `input ${failed.input} of ${txid} (wtxid ${wtxid}), spending ${outpoint(transaction.inputs[failed.input]!)}`
      return { reason: `mempool-script-verify-flag-failed (${failed.failure})`, detail: where }
    }
    return { entry, replaced }
  }

  function checkFee({ vsize: needed }: Transaction, fee: bigint): Rejection | undefined {
    if (vsize + needed > mostMempoolBytes) return { reason: 'mempool full' }
    const least = feeAt(minRelayRate, needed)
    return fee < least ? { reason: 'min relay fee not met', detail: `${fee} < ${least}` } : undefined
  }

  /** The limits of relaying keep the cost of finding ancestors and descendants bounded. */
  function checkChainLength(above: ReadonlySet<Entry>, replaced: ReadonlySet<Entry>): Rejection | undefined {
    if (above.size + 1 > mostAncestors)
      return { reason: 'too-long-mempool-chain', detail: `too many unconfirmed ancestors [limit: ${mostAncestors}]` }
    for (const ancestor of above) {
      const below = [...descendants(ancestor)].filter((entry) => !replaced.has(entry))
      if (below.length + 2 > mostAncestors) {
        const detail = `too many descendants for tx ${ancestor.transaction.txid} [limit: ${mostAncestors}]`
        return { reason: 'too-long-mempool-chain', detail }
      }
    }
    return undefined
  }

  function add({ entry, replaced }: Accepted): void {
    for (const old of replaced) {
      remove(old)
      sequence++
    }
    insert(entry)
    sequence++
  }

  function confirm(block: Block): void {
    for (const transaction of transactionsOf(block.raw)) {
      const entry = entries.get(transaction.txid)
      if (entry) remove(entry)
      for (const input of transaction.inputs) {
        const conflict = spenders.get(outpoint(input))
        if (conflict) removeWithDescendants(conflict)
      }
    }
  }

  /** After a reorganisation everything is checked again in an order in which parents stand before their children. */
  function rebuild(disconnected: readonly Block[]): void {
    const before = new Map(entries)
    entries.clear()
    spenders.clear()
    vsize = 0
    const returned = disconnected.toReversed().flatMap(({ raw }) => transactionsOf(raw).slice(1))
    for (const transaction of returned) {
      const result = check(transaction, { isKnown: true })
      if ('entry' in result) add(result)
    }
    for (const [txid, entry] of before) {
      const result = check(entry.transaction, { isKnown: true })
      // What stays keeps the time at which it was accepted.
      if ('entry' in result && result.replaced.size === 0) insert(entry)
      else if (!entries.has(txid)) sequence++
    }
  }

  // What is in the chain's new blocks leaves, and what was only in its old ones returns.
  chain.subscribe(({ disconnected, connected }) => {
    if (disconnected.length > 0) rebuild(disconnected)
    for (const block of connected) confirm(block)
  })

  return {
    get: (txid) => entries.get(txid),
    entries: () => entries.values(),
    size: () => entries.size,
    vsize: () => vsize,
    sequence: () => sequence,
    spender: (key) => spenders.get(key),
    parents,
    children,
    ancestors,
    descendants,
    coin,
    check,
    add,
  }
}

function reach(start: readonly Entry[], next: (entry: Entry) => readonly Entry[]): Set<Entry> {
  const found = new Set(start)
  // A set's iteration also visits what is added meanwhile.
  for (const entry of found) for (const further of next(entry)) found.add(further)
  return found
}
