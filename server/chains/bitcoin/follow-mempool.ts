import type { FeedTools, Position } from '../feed.ts'
import type { BitcoinConfig } from './bitcoin-config.ts'
import { keepWaiting, markReplaced, type WaitingTransaction, waitingTransactions } from './coins.ts'
import { isReplacedBy, replacedTransfers, replacementsOf, waitingBySpending } from './conflicts.ts'
import { type PayingTransaction, paymentsOf, transfersOf, unplaced } from './payments.ts'
import { parseTransaction, type RawTransaction } from './raw-transaction.ts'
import { isReward } from './scan-blocks.ts'
import { scriptAddress } from './script-address.ts'
import type { BitcoinSource } from './source.ts'

export interface MempoolFollower {
  /** Reads what is new while the chain's head is the last block that was read, and otherwise nothing. */
  step(at: Position, signal: AbortSignal): Promise<void>
  /** Reports our transactions that wait once more at the next step, because orders may have lost them. */
  lookAgain(): void
}

/** A mempool may hold 100,000 transactions when a service starts. They are read over many steps, so that blocks are not delayed. */
const readAtOnce = 400
/** One step looks up this many outputs of our transactions that are missing from the mempool, and the next step goes on after them. */
const lookedUpAtOnce = 1_000
/** Nodes relay no chain of waiting transactions that is longer than this. */
const mostAncestors = 64

/**
 * Reports payments that wait for a block, and those of them that another transaction has replaced. A mempool is one node's view: what is
 * missing from it without a conflict may be mined all the same, so nothing is reported about it.
 */
export function followMempool(
  config: Pick<BitcoinConfig, 'chainId' | 'network' | 'confirmations'>,
  source: BitcoinSource,
  { sql, observer }: Pick<FeedTools, 'sql' | 'observer'>,
): MempoolFollower {
  const { chainId } = config
  const addressOf = scriptAddress(config.network)
  /** What has been read and still waits. */
  const known = new Set<string>()
  let isLookingAgain = false
  let lookedUp = 0

  async function read(txids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, RawTransaction>> {
    const found = new Map<string, RawTransaction>()
    if (txids.length === 0) return found
    for (const [txid, raw] of await source.transactions(txids, signal)) {
      const transaction = parseTransaction(raw)
      if (transaction?.txid === txid) found.set(txid, transaction)
    }
    return found
  }

  /** Takes turns if many are missing. */
  function next(missing: readonly WaitingTransaction[]): readonly WaitingTransaction[] {
    const chosen: WaitingTransaction[] = []
    let outpoints = 0
    for (let i = 0; i < missing.length && outpoints < lookedUpAtOnce; i++) {
      const each = missing[(lookedUp + i) % missing.length]!
      chosen.push(each)
      outpoints += each.outpoints.length
    }
    lookedUp = missing.length === 0 ? 0 : (lookedUp + chosen.length) % missing.length
    return chosen
  }

  /** Asks which waiting transactions spend what the missing ones would have spent. */
  async function spendersOf(missing: readonly WaitingTransaction[], signal: AbortSignal): Promise<readonly string[]> {
    const outpoints = [...new Set(missing.flatMap((each) => each.outpoints))].filter((outpoint) => !isReward(outpoint))
    if (outpoints.length === 0) return []
    const spenders = await source.spenders(outpoints, signal)
    return [...new Set(spenders.flatMap((spender) => spender ?? []))]
  }

  /** Lists what a transaction and its parents that wait spend. */
  async function outpointsOf(transaction: RawTransaction, waiting: ReadonlySet<string>, signal: AbortSignal): Promise<readonly string[]> {
    const outpoints = new Set(transaction.inputs)
    const visited = new Set([transaction.txid])
    for (let level = [transaction]; level.length > 0;) {
      const parents = new Set(level.flatMap(({ inputs }) => inputs.map((input) => input.slice(0, 64))))
      const unread = [...parents].filter((txid) => waiting.has(txid) && !visited.has(txid)).slice(0, mostAncestors - visited.size)
      for (const txid of unread) visited.add(txid)
      level = [...(await read(unread, signal)).values()]
      for (const { inputs } of level) for (const input of inputs) outpoints.add(input)
    }
    return [...outpoints]
  }

  async function payingOf(
    transactions: readonly RawTransaction[],
    waiting: ReadonlySet<string>,
    signal: AbortSignal,
  ): Promise<readonly PayingTransaction[]> {
    const candidates = transactions.map((transaction) => ({ transaction, payments: paymentsOf(transaction, addressOf) }))
    const addresses = [...new Set(candidates.flatMap(({ payments }) => payments.map(({ address }) => address)))]
    if (addresses.length === 0) return []
    const ours = await observer.ours(addresses)
    const paying: PayingTransaction[] = []
    for (const { transaction, payments } of candidates) {
      const toUs = payments.filter(({ address }) => ours.has(address))
      if (toUs.length === 0) continue
      paying.push({ ...transaction, outpoints: await outpointsOf(transaction, waiting, signal), payments: toUs })
    }
    return paying
  }

  async function step(at: Position, signal: AbortSignal): Promise<void> {
    const isHead = async () => (await source.head(signal)).hash === at.id
    if (!(await isHead())) return
    const waiting = await source.waiting(signal)
    const ours = await waitingTransactions(sql, chainId, at.height)
    for (const txid of known) if (!waiting.has(txid)) known.delete(txid)
    if (isLookingAgain) for (const { txid } of ours) known.delete(txid)
    const missing = ours.filter(({ txid }) => !waiting.has(txid))
    const unread = firstOf(waiting, (txid) => !known.has(txid), readAtOnce)
    const spenders = await spendersOf(next(missing), signal)
    // A replacement is read with what it replaces, even if its turn comes later or has passed.
    const transactions = [...(await read([...new Set([...spenders, ...unread])], signal)).values()]
    const replaced = conflictsOf(missing, transactions)
    const reported = new Set([...unread, ...replaced.values()])
    const paying = await payingOf(
      transactions.filter(({ txid }) => reported.has(txid)),
      waiting,
      signal,
    )
    // A transaction that has left the mempool for a block is not missing, so what is missing counts only if no block came meanwhile.
    if (!(await isHead())) return reportNew(paying, ours, at, signal)
    isLookingAgain = false
    const cursor = { block: at.height, hash: at.id }
    await keepWaiting(sql, chainId, cursor, paying)
    if (paying.length > 0 || replaced.size > 0) {
      const transfers = paying.flatMap((transaction) => unplaced(transfersOf(config, transaction)))
      await observer.arrived(transfers, replacedTransfers(chainId, replaced))
    }
    await markReplaced(sql, chainId, cursor, replacementsOf(replaced))
    for (const txid of unread) known.add(txid)
  }

  /**
   * Where blocks follow each other fast, one comes during most steps, and payments must be seen all the same. What still waits after the block was
   * not in it, and is reported unless it may replace something, which the next step finds out.
   */
  async function reportNew(
    paying: readonly PayingTransaction[],
    ours: readonly WaitingTransaction[],
    { height, id }: Position,
    signal: AbortSignal,
  ): Promise<void> {
    const waiting = paying.length > 0 ? await source.waiting(signal) : new Set()
    const waitingFor = waitingBySpending(ours)
    const mayReplace = ({ txid, outpoints }: PayingTransaction) =>
      outpoints.some((outpoint) => waitingFor(outpoint).some((other) => isReplacedBy(other, txid)))
    const added = paying.filter((each) => waiting.has(each.txid) && !known.has(each.txid) && !mayReplace(each))
    if (added.length === 0) return
    await keepWaiting(sql, chainId, { block: height, hash: id }, added)
    await observer.arrived(added.flatMap((transaction) => unplaced(transfersOf(config, transaction))))
    for (const { txid } of added) known.add(txid)
  }

  return { step, lookAgain: () => void (isLookingAgain = true) }
}

/** The spending transaction itself shows what it spends, so a node that merely names a spender is not trusted. */
function conflictsOf(
  missing: readonly WaitingTransaction[],
  transactions: readonly RawTransaction[],
): ReadonlyMap<WaitingTransaction, string> {
  const waitingFor = waitingBySpending(missing)
  const replaced = new Map<WaitingTransaction, string>()
  for (const { txid, inputs } of transactions)
    for (const input of inputs) for (const waiting of waitingFor(input)) if (isReplacedBy(waiting, txid)) replaced.set(waiting, txid)
  return replaced
}

function firstOf<T>(items: Iterable<T>, isChosen: (item: T) => boolean, most: number): readonly T[] {
  const chosen: T[] = []
  for (const item of items) {
    if (chosen.length >= most) break
    if (isChosen(item)) chosen.push(item)
  }
  return chosen
}
