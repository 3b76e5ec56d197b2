import { ChainUnavailable } from '../chain.ts'
import type { Block } from '../blocks/block.ts'
import type { FilterOurs, ScannedBlocks, ScannedTransfer } from '../blocks/follow-blocks.ts'
import type { Sql } from '../../database/connect.ts'
import type { BitcoinConfig } from './bitcoin-config.ts'
import {
  type BlockCoins,
  keepBlocks,
  markReplaced,
  type Replacement,
  type Spend,
  type WaitingTransaction,
  waitingTransactions,
} from './coins.ts'
import { isReplacedBy, replacedTransfers, waitingBySpending } from './conflicts.ts'
import { type PayingTransaction, paymentsOf, placedAt, transfersOf } from './payments.ts'
import { parseBlock, type RawBlock } from './raw-block.ts'
import type { RawTransaction } from './raw-transaction.ts'
import { scriptAddress } from './script-address.ts'
import type { BitcoinSource } from './source.ts'

export interface ScanTools {
  readonly config: Pick<BitcoinConfig, 'chainId' | 'network' | 'confirmations'>
  readonly source: BitcoinSource
  readonly sql: Sql
}

/** Reads whole blocks: what they pay to our addresses, which of our coins they spend, and which waiting payments can never follow them. */
export async function scanBlocks(
  { config, source, sql }: ScanTools,
  { from, to }: { readonly from: number; readonly to: number },
  signal: AbortSignal,
  filterOurs: FilterOurs,
): Promise<ScannedBlocks> {
  const { chainId } = config
  const addressOf = scriptAddress(config.network)
  const waitingFor = waitingBySpending(await waitingTransactions(sql, chainId, from - 1, { alsoReplaced: true }))
  const blocks: Block[] = []
  const kept: BlockCoins[] = []
  const transfers: ScannedTransfer[] = []
  const replaced = new Map<WaitingTransaction, string>()
  const replacements: Replacement[] = []
  for (let height = from; height <= to; height++) {
    const block = await source.block(height, signal)
    const before = blocks.at(-1)
    if (!block || (before && block.parentHash !== before.hash))
      throw new ChainUnavailable(chainId, 'chain_inconsistent', `blocks ${from} to ${to} changed while they were read.`)
    const { transactions } = await readBlock(chainId, source, block, signal)
    const candidates = transactions.map((transaction) => ({ transaction, payments: paymentsOf(transaction, addressOf) }))
    const ours = await filterOurs([...new Set(candidates.flatMap(({ payments }) => payments.map(({ address }) => address)))])
    const paying = candidates.flatMap(({ transaction, payments }): readonly PayingTransaction[] => {
      const toUs = payments.filter(({ address }) => ours.has(address))
      return toUs.length === 0 ? [] : [{ ...transaction, outpoints: outpointsOf(transaction, height), payments: toUs }]
    })
    const spends: Spend[] = []
    for (const transaction of transactions) {
      for (const outpoint of transaction.inputs) spends.push({ outpoint, by: transaction.txid })
      for (const outpoint of outpointsOf(transaction, height))
        for (const waiting of waitingFor(outpoint)) {
          if (!isReplacedBy(waiting, transaction.txid)) continue
          replaced.set(waiting, transaction.txid)
          replacements.push({ txid: waiting.txid, by: transaction.txid, at: { height, hash: block.hash } })
        }
    }
    const at = { height, id: block.hash }
    transfers.push(...paying.flatMap((transaction) => placedAt(transfersOf(config, transaction), at)))
    kept.push({ height, hash: block.hash, paying, spends })
    blocks.push(block)
  }
  return {
    blocks,
    transfers,
    replaced: replacedTransfers(chainId, replaced),
    keep: (cursor) => keepBlocks(sql, chainId, cursor, kept),
    settle: (cursor) => markReplaced(sql, chainId, cursor, replacements),
  }
}

/** A reward spends nothing, and excludes every other reward of its height, so one that a reorganisation has removed never returns. */
const outpointsOf = ({ isCoinbase, inputs }: RawTransaction, height: number): readonly string[] =>
  isCoinbase ? [rewardOf(height)] : inputs

const rewardOf = (height: number): string => `reward:${height}`
export const isReward = (outpoint: string): boolean => outpoint.startsWith('reward:')

/** A source is not trusted: the bytes have to be a block that has this hash and commits to all its transactions. */
export async function readBlock(
  chainId: number,
  source: BitcoinSource,
  { hash }: Pick<Block, 'hash'>,
  signal: AbortSignal,
): Promise<RawBlock> {
  const block = parseBlock(await source.rawBlock(hash, signal))
  if (block?.hash === hash) return block
  throw new ChainUnavailable(chainId, 'chain_inconsistent', `${source.name} answered with other bytes than those of block ${hash}.`)
}
