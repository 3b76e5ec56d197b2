import { isSignature } from '@solana/kit'
import type { ChainId } from '../../../src/wire/chain.ts'
import { ChainUnavailable } from '../chain.ts'
import type { Feed, FeedTools, Follower, Judge, SeenTransfer, Verdict } from '../feed.ts'
import {
  accountsNamed,
  accountsToRead,
  isBehind,
  newestAccounts,
  noteRead,
  noteReported,
  noteSlot,
  readSlot,
  type WatchedAccount,
} from './accounts.ts'
import {
  type Account,
  accountsCall,
  type Listed,
  mostAccounts,
  mostListed,
  mostStatuses,
  signaturesCall,
  slotCall,
  type Status,
  statusesCall,
  transactionCall,
} from './calls.ts'
import { doorbell, mostRinging } from './doorbell.ts'
import type { SolanaToken } from './mints.ts'
import type { SolanaRpc } from './rpc-client.ts'
import { balanceAfter, transfersOf } from './transfers.ts'

export interface FeedConfig {
  readonly chainId: ChainId
  readonly tokens: readonly SolanaToken[]
  /** What the cluster calls final is, and until then so many less one are counted at most. */
  readonly confirmations: number
  readonly slotSeconds: number
  readonly pollMs: number
  /** Nodes at these say when an account has changed. */
  readonly wsUrls: readonly string[]
}

const transactionsPerStep = 20
/** Rings within this time are answered together, and within a tenth of the time between two polls where that is less. */
const ringGapMs = 100
/** Who sends very many small payments to an address delays only what is paid to that address. */
const changedPerStep = 50
const pagesPerStep = 3

/** A lamport balance, or what the amount of a token account says, whose eight bytes begin with the lowest. */
export function amountOf(account: Account, token: string | null): bigint {
  if (!account) return 0n
  if (token === null) return BigInt(account.lamports)
  const bytes = Buffer.from(account.data[0], 'base64')
  return bytes.length < 8 ? 0n : bytes.readBigUInt64LE(0)
}

/**
 * Blocks are not read, since a cluster makes megabytes of them each second. The balances of the accounts are polled, and the transactions of an
 * account whose balance has changed say what has arrived. Seen is what the cluster has confirmed, and final what it has finalized.
 */
export function solanaFeed(config: FeedConfig, rpc: SolanaRpc): Feed {
  const { chainId, confirmations: needed } = config

  /** Counts what a vote of the cluster has made final as final, and never anything before. */
  const confirmationsOf = ({ confirmations, confirmationStatus }: NonNullable<Status>): number =>
    confirmationStatus === 'finalized' ? needed : Math.min(confirmations ?? 0, needed - 1)

  async function statusesOf(signatures: readonly string[], signal: AbortSignal): Promise<Judged> {
    const statuses = new Map<string, Status>()
    let finalSlot = Infinity
    for (let start = 0; start < signatures.length; start += mostStatuses) {
      const part = signatures.slice(start, start + mostStatuses)
      // One request asks for both, so that the node that lacks a transaction is the one that says how far it is.
      const [slot, { value }] = await rpc.read(signal, slotCall('finalized'), statusesCall(part))
      finalSlot = Math.min(finalSlot, slot)
      part.forEach((signature, i) => statuses.set(signature, value[i] ?? null))
    }
    return { statuses, finalSlot }
  }

  /** A transaction that is not in the blocks up to a final one beyond its own slot is not part of the chain, or is in another block. */
  const judge =
    (signal: AbortSignal): Judge =>
    async (positions) => {
      const known = positions.filter(({ id }) => isSignature(id))
      const { statuses, finalSlot } = await statusesOf([...new Set(known.map(({ id }) => id))], signal)
      const verdicts = new Map<string, Verdict>()
      for (const { height, id } of positions) {
        const status = statuses.get(id)
        if (status && status.err === undefined) verdicts.set(id, { confirmations: confirmationsOf(status) })
        else if (height <= finalSlot) verdicts.set(id, 'gone')
      }
      return verdicts
    }

  async function lookUp(txHash: string, signal: AbortSignal) {
    if (!isSignature(txHash)) return undefined
    const [found, { value }] = await rpc.read(signal, transactionCall(txHash), statusesCall([txHash]))
    const [status] = value
    if (!found || !status) return undefined
    const transfers = await transfersOf(config, found)
    return transfers.map((transfer) => ({ ...transfer, confirmations: confirmationsOf(status) }))
  }

  return {
    follower,
    lookUp,
    /** A transaction that a fork has moved to another slot is the same payment, and stands. */
    async stands({ id }, signal) {
      if (!isSignature(id)) return false
      const [{ value }] = await rpc.read(signal, statusesCall([id]))
      return value[0] !== null
    },
    confirmationsFor: () => needed,
    secondsToFinal: () => needed * config.slotSeconds,
    status: async (sql, signal) => {
      const [newest] = await rpc.read(signal, slotCall('confirmed'))
      return { newest, read: await readSlot(sql, chainId) }
    },
  }

  function follower({ sql, log, observer }: FeedTools): Follower {
    let reviewed = -1
    /** What is listed of an account and not reported yet, from the newest. */
    const lists = new Map<string, Listing>()
    /** When an account had its last turn, in steps, if it still needs another. */
    const turns = new Map<string, number>()
    let step = 0
    const bell = doorbell({
      urls: config.wsUrls,
      gapMs: Math.min(ringGapMs, config.pollMs / 10),
      onUnavailable: (details) => log.warn({ chain: chainId, ...details }, 'cannot subscribe to accounts; polling goes on, and retrying'),
    })
    let isOpen = false
    let dueAt = 0
    const leastTried = (changed: readonly Changed[]) =>
      changed.toSorted((a, b) => (turns.get(a.watched.account) ?? 0) - (turns.get(b.watched.account) ?? 0))
    return async (signal) => {
      if (!isOpen) bell.open(signal)
      isOpen = true
      const rung = await bell.wait(dueAt - performance.now(), signal)
      signal.throwIfAborted()
      if (performance.now() < dueAt) return readRung(rung, signal)
      // What has changed may not have been read as a whole, so the next poll follows at once.
      dueAt = (await poll(signal)) ? 0 : performance.now() + config.pollMs
    }

    /** Returns whether there is more to read. */
    async function poll(signal: AbortSignal): Promise<boolean> {
      const [newest] = await rpc.read(signal, slotCall('confirmed'))
      const accounts = await accountsToRead(sql, chainId)
      const changed = await changedOf(accounts, newest, signal)
      for (const each of leastTried(changed).slice(0, changedPerStep)) await reportChanges(each, signal)
      await noteRead(sql, chainId, accounts)
      if (config.wsUrls.length > 0) bell.watch(await newestAccounts(sql, chainId, mostRinging))
      if (newest === reviewed) return false
      await observer.review({ height: newest, id: String(newest) }, judge(signal), signal)
      await noteSlot(sql, chainId, newest)
      reviewed = newest
      return changed.length > 0
    }

    /** What cannot be read now is read by the next poll. */
    async function readRung(rung: ReadonlySet<string>, signal: AbortSignal): Promise<void> {
      if (rung.size === 0) return
      try {
        const changed = await changedOf(await accountsNamed(sql, chainId, [...rung]), 0, signal)
        for (const each of changed.slice(0, changedPerStep)) await reportChanges(each, signal)
      } catch (error) {
        signal.throwIfAborted()
        if (!(error instanceof ChainUnavailable)) throw error
      }
    }

    async function changedOf(accounts: readonly WatchedAccount[], slot: number, signal: AbortSignal): Promise<readonly Changed[]> {
      const changed: Changed[] = []
      for (let start = 0; start < accounts.length; start += mostAccounts) {
        const part = accounts.slice(start, start + mostAccounts)
        const [{ value }] = await rpc.read(
          signal,
          accountsCall(
            part.map(({ account }) => account),
            slot,
          ),
        )
        part.forEach((watched, i) => {
          const amount = amountOf(value[i] ?? null, watched.token)
          if (amount !== watched.amount || isBehind(watched)) changed.push({ watched, amount })
        })
      }
      return changed
    }

    /**
     * What one account's transactions do must not keep the feed from the others. So a node that does not know them is only reported, and an account
     * with very many of them gets a small part of each step.
     */
    async function reportChanges({ watched, amount }: Changed, signal: AbortSignal): Promise<void> {
      const { account } = watched
      turns.set(account, ++step)
      try {
        const listing = await listed(watched, signal)
        if (!listing.isWhole) return void lists.set(account, listing)
        const part = listing.signatures.slice(-transactionsPerStep).toReversed()
        const left = listing.signatures.slice(0, -transactionsPerStep)
        const after = await report(watched, part, signal)
        if (part.length === 0 && (amount < watched.amount || isBehind(watched))) {
          // A fork has removed transactions, some of which may be included again, or it is not known whether a payout was reported. So everything is
          // listed again.
          await noteReported(sql, chainId, account, { amount, last: undefined })
        } else {
          // Another node may have said how much is there than the one that has listed, so only what the transactions explain is noted.
          await noteReported(sql, chainId, account, {
            amount: after ?? watched.amount,
            last: part.at(-1) ?? watched.last,
          })
        }
        if (left.length > 0) return void lists.set(account, { signatures: left, isWhole: true })
        lists.delete(account)
        if (after === amount) turns.delete(account)
      } catch (error) {
        lists.delete(account)
        signal.throwIfAborted()
        if (!(error instanceof ChainUnavailable)) throw error
        log.warn({ err: error, chain: chainId }, 'cannot read the transactions of an account; trying again')
      }
    }

    /** Lists what is new of an account. The newest come first, so nothing is reported before the list is whole. */
    async function listed({ account, last }: WatchedAccount, signal: AbortSignal): Promise<Listing> {
      const known = lists.get(account)
      if (known?.isWhole) return known
      const signatures = [...(known?.signatures ?? [])]
      for (let page = 0; page < pagesPerStep; page++) {
        const [more] = await rpc.read(signal, signaturesCall(account, { until: last?.signature, before: signatures.at(-1)?.signature }))
        signatures.push(...more)
        if (more.length < mostListed) return { signatures, isWhole: true }
      }
      return { signatures, isWhole: false }
    }

    /** Reports what these transactions have brought to the account, and returns what it had after the last one that succeeded. */
    async function report(
      { account, address, token }: WatchedAccount,
      part: readonly Listed[],
      signal: AbortSignal,
    ): Promise<bigint | undefined> {
      const succeeded = part.filter(({ err }) => err === undefined).map(({ signature }) => signature)
      const found = await rpc.read(signal, ...succeeded.map(transactionCall))
      const { statuses } = await statusesOf(succeeded, signal)
      const arrived: SeenTransfer[] = []
      let after: bigint | undefined
      for (const [i, transaction] of found.entries()) {
        const status = statuses.get(succeeded[i]!)
        if (!transaction || !status)
          throw new ChainUnavailable(chainId, 'chain_inconsistent', `a node lists ${succeeded[i]} and does not know it.`)
        after = balanceAfter(transaction, account, token)
        const transfers = await transfersOf(config, transaction)
        const own = transfers.filter((transfer) => transfer.to === address && transfer.token === token)
        arrived.push(...own.map((transfer) => ({ ...transfer, confirmations: confirmationsOf(status) })))
      }
      if (arrived.length > 0) await observer.arrived(arrived)
      return after
    }
  }
}

interface Listing {
  readonly signatures: readonly Listed[]
  readonly isWhole: boolean
}

interface Changed {
  readonly watched: WatchedAccount
  readonly amount: bigint
}

interface Judged {
  readonly statuses: ReadonlyMap<string, Status>
  /** The node that was asked has finalized up to this slot. */
  readonly finalSlot: number
}
