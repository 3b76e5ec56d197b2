import * as z from 'zod'
import type { RpcCall } from './rpc.ts'
import { ChainUnavailable } from '../chain.ts'
import type { Receipt } from './receipt.ts'

/** Each JSON-RPC call below has a schema for its result, which also converts addresses and hashes to lower case. */

const hex = z
  .string()
  .regex(/^0x[0-9a-fA-F]*$/)
  .transform((text) => text.toLowerCase() as `0x${string}`)
const quantity = z
  .string()
  .regex(/^0x[0-9a-fA-F]+$/)
  .transform(BigInt)
const whole = quantity.transform(Number)

const header = { number: whole, hash: hex, parentHash: hex, timestamp: whole }
const Header = z.object({ ...header, gasLimit: quantity, baseFeePerGas: quantity.nullish() })
export type Header = z.output<typeof Header>

const Transaction = z.object({ hash: hex, from: hex, to: hex.nullish(), value: quantity, nonce: whole })
export type Transaction = z.output<typeof Transaction>
const FullBlock = z.object({ ...header, transactions: z.array(Transaction) })
export type FullBlock = z.output<typeof FullBlock>

const Log = z.object({
  address: hex,
  topics: z.array(hex),
  data: hex,
  blockNumber: whole,
  blockHash: hex,
  transactionHash: hex,
  logIndex: whole,
  removed: z.boolean().nullish(),
})
export type Log = z.output<typeof Log>

const NodeReceipt = z.object({
  transactionHash: hex,
  blockNumber: whole,
  blockHash: hex,
  status: quantity,
  gasUsed: quantity,
  effectiveGasPrice: quantity.nullish(),
  /** OP-stack chains charge for publishing to Ethereum on top of gas. */
  l1Fee: quantity.nullish(),
  logs: z.array(Log),
})
export type NodeReceipt = z.output<typeof NodeReceipt>

const rpcCall = <T>(method: string, params: readonly unknown[], answer: z.ZodType<T>): RpcCall<T> => ({ method, params, answer })

export type BlockTag = number | 'latest' | 'pending'
const tag = (block: BlockTag) => (typeof block === 'number' ? numberToHex(block) : block)
export const numberToHex = (value: number | bigint) => `0x${value.toString(16)}`

export const chainIdCall = () => rpcCall('eth_chainId', [], whole)
export const headerCall = (block: BlockTag) => rpcCall('eth_getBlockByNumber', [tag(block), false], Header.nullable())
export const fullBlockCall = (block: number) => rpcCall('eth_getBlockByNumber', [tag(block), true], FullBlock.nullable())
export const receiptCall = (hash: string) => rpcCall('eth_getTransactionReceipt', [hash], NodeReceipt.nullable())
export const transactionCall = (hash: string) => rpcCall('eth_getTransactionByHash', [hash], Transaction.nullable())
export const codeCall = (address: string) => rpcCall('eth_getCode', [address, 'latest'], hex)
export const nonceCall = (address: string, block: BlockTag) => rpcCall('eth_getTransactionCount', [address, tag(block)], whole)
export const balanceCall = (address: string) => rpcCall('eth_getBalance', [address, 'latest'], quantity)
/** Without `gas` only the node's own limit applies, so a call to a payer's contract must set it. Without `to` the data is creation code. */
export const ethCall = ({ from, to, data, gas }: { from?: string; to?: string; data: string; gas?: bigint }, block: BlockTag) =>
  rpcCall(
    'eth_call',
    [{ ...(from && { from }), ...(to && { to }), data, ...(gas === undefined ? {} : { gas: numberToHex(gas) }) }, tag(block)],
    hex,
  )
/** With `gas` a call that needs more fails, which bounds how long the node runs it. */
export const gasCall = (
  { from, to, data, value, gas }: { from: string; to: string; data: string; value: bigint; gas?: bigint },
  block: BlockTag,
) =>
  rpcCall(
    'eth_estimateGas',
    [{ from, to, data, value: numberToHex(value), ...(gas === undefined ? {} : { gas: numberToHex(gas) }) }, tag(block)],
    quantity,
  )
export const priorityCall = () => rpcCall('eth_maxPriorityFeePerGas', [], quantity)
export const broadcastCall = (raw: string) => rpcCall('eth_sendRawTransaction', [raw], hex)
/** A log matches if its first topic is one of these. */
export interface LogFilter {
  readonly from: number
  readonly to: number
  readonly addresses: readonly string[]
  readonly topics: readonly string[]
}
export const logsCall = (filter: LogFilter) =>
  rpcCall(
    'eth_getLogs',
    [{ fromBlock: tag(filter.from), toBlock: tag(filter.to), address: filter.addresses, topics: [filter.topics] }],
    z.array(Log),
  )

export function requireHead(chainId: number, head: Header | null): Header {
  if (!head) throw new ChainUnavailable(chainId, 'chain_unavailable', 'the node has no blocks.')
  return head
}

export const receiptOf = (receipt: NodeReceipt): Receipt => ({
  txHash: receipt.transactionHash,
  block: receipt.blockNumber,
  blockHash: receipt.blockHash,
  ok: receipt.status === 1n,
  gasUsed: receipt.gasUsed,
  gasPrice: receipt.effectiveGasPrice ?? 0n,
  ...(receipt.l1Fee && { extraFee: receipt.l1Fee }),
  logs: receipt.logs.map(({ address, topics, data, logIndex }) => ({ address, topics, data, logIndex })),
})
