import { ChainUnavailable } from '../chain.ts'
import type { EvmConfig } from './evm-config.ts'
import { headerCall, receiptCall, transactionCall } from './rpc-calls.ts'
import { blockOf } from './blocks.ts'
import type { Rpc } from './rpc.ts'
import type { Scan } from './scan.ts'
import { nativeTransfer, tokenTransfer } from './transfers.ts'

/** Returns undefined if the transaction is not mined. Coin that a contract forwards is not found, since it shows only in balances. */
export async function transaction(rpc: Rpc, config: EvmConfig, hash: string, signal: AbortSignal): Promise<Scan | undefined> {
  if (!/^0x[0-9a-f]{64}$/.test(hash)) return undefined
  const [receipt, sent] = await rpc.read(signal, receiptCall(hash), transactionCall(hash))
  if (!receipt || !sent) return undefined
  const [header] = await rpc.read(signal, headerCall(receipt.blockNumber))
  if (header?.hash !== receipt.blockHash) {
    throw new ChainUnavailable(rpc.chainId, 'chain_inconsistent', `${hash} is not in the block that its receipt names.`)
  }
  const block = blockOf(header)
  if (receipt.status !== 1n) return { blocks: [block], transfers: [] }
  const tokens = new Set(config.tokens.map((token) => token.address))
  const native = nativeTransfer(config.chainId, sent, block)
  const logs = receipt.logs.filter((log) => tokens.has(log.address)).flatMap((log) => tokenTransfer(config.chainId, log, block) ?? [])
  return { blocks: [block], transfers: native ? [native, ...logs] : logs }
}
