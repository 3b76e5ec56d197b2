import type { Receipt } from '../chain.ts'
import type { NodeReceipt } from './asks.ts'

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
