import { readBlockCursor } from '../blocks/block-cursor.ts'
import { type BlockSource, followBlocks, withConfirmations } from '../blocks/follow-blocks.ts'
import { ChainUnavailable } from '../chain.ts'
import type { Feed, Follower, FeedTools, Observer, Position, SeenTransfer } from '../feed.ts'
import { Hash } from './answers.ts'
import type { BitcoinConfig } from './bitcoin-config.ts'
import { undoAbove } from './coins.ts'
import { confirmationsFor } from './confirmations.ts'
import { followMempool } from './follow-mempool.ts'
import { paymentsOf, placedAt, transfersOf, unplaced } from './payments.ts'
import { parseTransaction } from './raw-transaction.ts'
import { readBlock, scanBlocks } from './scan-blocks.ts'
import { scriptAddress } from './script-address.ts'
import { seenNow } from './seen-now.ts'
import type { BitcoinSource } from './source.ts'

/** Blocks are read whole, up to 4 MB each, so a step reads few of them. */
const blocksPerStep = 8

export function bitcoinFeed(config: BitcoinConfig, source: BitcoinSource): Feed {
  const { chainId, pollMs } = config
  const most = Math.max(...config.confirmations.map(({ blocks }) => blocks))
  const addressOf = scriptAddress(config.network)

  async function lookUp(txHash: string, signal: AbortSignal): Promise<readonly SeenTransfer[] | undefined> {
    const found = Hash.safeParse(txHash).success ? await source.find(txHash, signal) : undefined
    const transaction = found && parseTransaction(found.raw)
    if (transaction?.txid !== txHash) return undefined
    const transfers = transfersOf(config, { ...transaction, payments: paymentsOf(transaction, addressOf) })
    if (!found?.at || transfers.length === 0) return unplaced(transfers)
    const { height, hash } = found.at
    const [head, block] = await Promise.all([source.head(signal), source.block(height, signal)])
    const contents = block?.hash === hash ? await readBlock(chainId, source, block, signal) : undefined
    if (!contents?.transactions.some(({ txid }) => txid === txHash))
      throw new ChainUnavailable(chainId, 'chain_inconsistent', `${source.name} names a block for ${txHash} that does not contain it.`)
    return placedAt(transfers, { height, id: hash }).map((transfer) => withConfirmations(transfer, head.number))
  }

  return {
    follower: (tools) => follower(tools),
    lookUp,
    stands: async ({ height, id }, signal) => (await source.block(height, signal))?.hash === id,
    confirmationsFor: (_token, amount) => confirmationsFor(config, amount),
    secondsToFinal: (_token, amount) => confirmationsFor(config, amount) * config.blockSeconds,
    status: async (sql, signal) => {
      const head = await source.head(signal)
      return { newest: head.number, read: (await readBlockCursor(sql, chainId))?.block }
    },
  }

  /** Takes a step along the blocks and, once all of them are read, one through the mempool. */
  function follower(tools: FeedTools): Follower {
    const { sql, log } = tools
    const observer: Observer = {
      ...tools.observer,
      arrived: async (transfers, replaced) => tools.observer.arrived(await seenNow(sql, transfers), replaced),
    }
    let reached: Position | undefined
    const mempool = followMempool(config, source, { sql, observer })
    const blocks: BlockSource = {
      chainId,
      confirmations: most,
      pollMs,
      maxRange: blocksPerStep,
      head: source.head,
      block: source.block,
      scan: (from, to, signal, filterOurs) => scanBlocks({ config, source, sql }, { from, to }, signal, filterOurs),
    }
    const watched: Observer = {
      ours: observer.ours,
      arrived: observer.arrived,
      async removedAfter(last, signal) {
        reached = undefined
        mempool.lookAgain()
        await undoAbove(sql, chainId, last.height)
        await observer.removedAfter(last, signal, { stayPending: true })
      },
      async review(newest, judge, signal) {
        await observer.review(
          newest,
          async (positions) => {
            const verdicts = await judge(positions)
            // A payment from a block that the follower never read is dropped here, and may wait all the same.
            if ([...verdicts.values()].includes('gone')) mempool.lookAgain()
            return verdicts
          },
          signal,
        )
        reached = newest
      },
    }
    const follow = followBlocks(blocks, { sql, log, observer: watched })
    return async (signal) => {
      await follow(signal)
      if (reached && !signal.aborted) await mempool.step(reached, signal)
    }
  }
}
