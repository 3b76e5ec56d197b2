import type { SolanaConfig } from './solana-config.ts'
import { recentFeesCall } from './calls.ts'
import type { SolanaRpc } from './rpc-client.ts'

/** Each block names the least that it was paid for a compute unit. Three of four recent blocks were content with this price or less. */
export async function currentUnitPrice(
  rpc: SolanaRpc,
  { unitPrice: { least, most } }: Pick<SolanaConfig, 'unitPrice'>,
  signal: AbortSignal,
): Promise<bigint> {
  const [recent] = await rpc.read(signal, recentFeesCall())
  const prices = recent.map(({ prioritizationFee }) => prioritizationFee).toSorted((a, b) => a - b)
  return bounded(BigInt(prices[Math.floor(prices.length * 0.75)] ?? 0), least, most)
}

/** A transaction that no block has taken before it expired is signed anew at twice the price, within the same bounds. */
export const raised = (price: bigint, failures: number, most: bigint): bigint => bounded(price << BigInt(Math.min(failures, 20)), 0n, most)

const bounded = (price: bigint, least: bigint, most: bigint): bigint => (price > most ? most : price > least ? price : least)
