import { forEachConcurrently } from '../../lib/for-each-concurrently.ts'
import { pause } from '../../lib/pause.ts'
import type { ChainId } from '../../../src/wire/chain.ts'
import type { FeedTools, Follower, Judge, Position, ReplacedTransfer, SeenTransfer, Verdict } from '../feed.ts'
import type { Block } from './block.ts'
import { advanceCursor, type BlockCursor, readBlockCursor, rewindCursor, storedBlocks, storedHashes } from './block-cursor.ts'
import { confirmationsAt } from './final-block.ts'

/** What following needs of a chain of blocks, which all have numbers in a row and name their parents. */
export interface BlockSource {
  readonly chainId: ChainId
  /** No transfer of an ordinary payment needs more, so the first block that is stored lies this deep. */
  readonly confirmations: number
  readonly pollMs: number
  /** One scan covers at most this many blocks. */
  readonly maxRange: number
  head(signal: AbortSignal): Promise<Block>
  /** Reads the present canonical block of that number, or undefined past the head. */
  block(number: number, signal: AbortSignal): Promise<Block | undefined>
  scan(from: number, to: number, signal: AbortSignal, filterOurs: FilterOurs): Promise<ScannedBlocks>
}

export type FilterOurs = (addresses: readonly string[]) => Promise<ReadonlySet<string>>

export interface ScannedBlocks {
  readonly blocks: readonly Block[]
  readonly transfers: readonly ScannedTransfer[]
  /** Reported together with the transfers. */
  readonly replaced?: readonly ReplacedTransfer[]
  /** Called before the report, once it is known that the blocks follow the cursor. */
  readonly keep?: (cursor: BlockCursor) => Promise<void>
  /** Called after the report and before the cursor advances. */
  readonly settle?: (cursor: BlockCursor) => Promise<void>
}

export type ScannedTransfer = Omit<SeenTransfer, 'confirmations'> & { readonly at: Position }

const requestsAtOnce = 8

const positionOf = ({ number, hash }: Block): Position => ({ height: number, id: hash })

/** A transfer has the confirmations that the newest known head gives it. */
export const withConfirmations = (transfer: ScannedTransfer, head: number): SeenTransfer => ({
  ...transfer,
  confirmations: confirmationsAt(transfer.at.height, head),
})

/**
 * Follows a chain of blocks from a stored cursor. Every step may be repeated: transfers are reported before the cursor advances, and after a
 * reorganisation they are dropped before it goes back.
 */
export function followBlocks(source: BlockSource, tools: FeedTools): Follower {
  let head: Block | undefined
  return async (signal) => {
    const next = await source.head(signal)
    if (next.hash === head?.hash) return pause(source.pollMs, signal)
    head = (await scanOnce(source, tools, next, signal)) ? next : undefined
  }
}

/** Scans at most one range of blocks and returns whether it has reached the head. */
async function scanOnce(source: BlockSource, tools: FeedTools, head: Block, signal: AbortSignal): Promise<boolean> {
  const { sql, observer } = tools
  const cursor = await onCanonicalChain(source, tools, head, signal)
  if (cursor === undefined) {
    await pause(source.pollMs, signal)
    return false
  }
  const to = Math.min(head.number, cursor.block + source.maxRange)
  if (to > cursor.block) {
    const { blocks, transfers, replaced, keep, settle } = await source.scan(cursor.block + 1, to, signal, observer.ours)
    if (blocks[0]?.parentHash !== cursor.hash) return false
    await keep?.(cursor)
    await observer.arrived(
      transfers.map((transfer) => withConfirmations(transfer, head.number)),
      replaced,
    )
    await settle?.(cursor)
    await advanceCursor(sql, source.chainId, cursor, blocks)
  }
  if (to < head.number) return false
  await observer.review(positionOf(head), judgeAt(source, tools, head, signal), signal)
  return true
}

/** Returns the cursor, moved back to the last canonical block after a reorganisation, or undefined if the node lags behind it. */
async function onCanonicalChain(
  source: BlockSource,
  { sql, log, observer }: FeedTools,
  head: Block,
  signal: AbortSignal,
): Promise<BlockCursor | undefined> {
  const { chainId } = source
  const cursor = await readBlockCursor(sql, chainId)
  if (!cursor) {
    // The first stored block is a final one, so that an ordinary reorganisation leaves a common block to go back to.
    const first = (await source.block(Math.max(0, head.number - source.confirmations), signal)) ?? head
    await advanceCursor(sql, chainId, undefined, [first])
    return readBlockCursor(sql, chainId)
  }
  const canonicalAt = (number: number) => (number === head.number ? head : source.block(number, signal))
  // Nearly always the cursor still stands, and the other stored blocks need not be read.
  if (cursor.block <= head.number) {
    const now = await canonicalAt(cursor.block)
    if (!now) return undefined
    if (now.hash === cursor.hash) return cursor
  }
  const known = await storedBlocks(sql, chainId, Math.min(cursor.block - 1, head.number))
  for (const { block, hash } of known) {
    const now = await canonicalAt(block)
    if (!now) return undefined
    if (now.hash !== hash) continue
    // The node's head is one of the blocks that were read before, so the node is behind and nothing was reorganised.
    if (block === head.number) return undefined
    log.warn({ chain: chainId, from: cursor.block, to: block }, 'a chain was reorganised; going back to the last common block')
    // Transfers are dropped before the cursor moves, so that a crash in between repeats both.
    await observer.removedAfter({ height: block, id: hash }, signal)
    await rewindCursor(sql, chainId, { number: block, hash })
    return { block, hash }
  }
  throw new Error(`chain ${chainId} shares no block with the last ${known.length} that were read: the node is on another chain`)
}

/** Blocks that were read lately are stored. For an older one the node is asked, and for one above the head there is no verdict yet. */
function judgeAt(source: BlockSource, { sql, log }: FeedTools, head: Block, signal: AbortSignal): Judge {
  return async (positions) => {
    const heights = [...new Set(positions.map(({ height }) => height))]
    const canonical = await storedHashes(sql, source.chainId, heights)
    const unread = heights.filter((height) => !canonical.has(height) && height <= head.number)
    await forEachConcurrently(requestsAtOnce, unread, async (height) => {
      try {
        const block = await source.block(height, signal)
        if (block) canonical.set(height, block.hash)
      } catch (error) {
        // A node that no longer answers for old blocks must not stop the chain: only what was in this block goes on waiting.
        signal.throwIfAborted()
        log.warn(
          { err: error, chain: source.chainId, block: height },
          'cannot read the block of a pending transfer; retrying at the next block',
        )
      }
    })
    const verdicts = new Map<string, Verdict>()
    for (const { height, id } of positions) {
      const hash = canonical.get(height)
      if (hash !== undefined) verdicts.set(id, hash === id ? { confirmations: confirmationsAt(height, head.number) } : 'gone')
    }
    return verdicts
  }
}
