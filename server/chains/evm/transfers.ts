import type { ChainId } from '../../../src/wire/chain.ts'
import type { Block } from '../blocks/block.ts'
import type { ScannedTransfer } from '../blocks/follow-blocks.ts'
import type { Log, Transaction } from './rpc-calls.ts'

export interface ChainTransfer {
  readonly chainId: ChainId
  readonly txHash: string
  /** The index counts the logs of the block. Native coin has no log, so its index is -1. */
  readonly logIndex: number
  readonly token: string | null
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly block: number
  readonly blockHash: string
  readonly timestamp: number
}

/** keccak256("Transfer(address,address,uint256)") */
export const transferTopic = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef'

/** NFT transfers have four topics. Transfers of zero serve address poisoning, and those to oneself add no money. None of them counts. */
export function tokenTransfer(chainId: ChainId, log: Log, block: Block): ChainTransfer | undefined {
  const [topic, from, to] = log.topics
  if (topic !== transferTopic || log.topics.length !== 3 || log.data.length !== 66) return undefined
  const amount = BigInt(log.data)
  if (amount === 0n || from === to) return undefined
  return {
    chainId,
    txHash: log.transactionHash,
    logIndex: log.logIndex,
    token: log.address,
    from: addressOfTopic(from!),
    to: addressOfTopic(to!),
    amount,
    block: block.number,
    blockHash: block.hash,
    timestamp: block.timestamp,
  }
}

/** Returns the coin that a transaction itself carries. The caller must check the receipt, since it moved only if that succeeded. */
export function nativeTransfer(chainId: ChainId, transaction: Transaction, block: Block): ChainTransfer | undefined {
  const { hash, from, to, value } = transaction
  if (value === 0n || !to || from === to) return undefined
  return {
    chainId,
    txHash: hash,
    logIndex: -1,
    token: null,
    from,
    to,
    amount: value,
    block: block.number,
    blockHash: block.hash,
    timestamp: block.timestamp,
  }
}

/** Keys are stored with every order, so their text must never change. */
export const scannedTransfer = ({
  chainId,
  txHash,
  logIndex,
  token,
  to,
  amount,
  block,
  blockHash,
  timestamp,
}: ChainTransfer): Omit<ScannedTransfer, 'needed'> => ({
  chainId,
  key: `${chainId}:${txHash}:${logIndex}`,
  txHash,
  token,
  to,
  amount,
  seenAt: timestamp * 1000,
  at: { height: block, id: blockHash },
})

const addressOfTopic = (topic: string) => `0x${topic.slice(26)}`
