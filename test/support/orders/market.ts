import { erc20Abi, type Address, type Hex } from 'viem'
import type { LocalAccount } from '../../../local/chains/accounts.ts'
import { tradeCall } from '../../../local/chains/trade.ts'
import { exchange } from '../../../local/chains/uniswap.ts'
import type { TestChain } from '../../chains/support.ts'

/** Sells enough of one token for another in the chain's pool to move the price. Null is the coin. */
export async function sell(chain: TestChain, from: LocalAccount, sold: string | null, bought: string | null, amount: bigint): Promise<Hex> {
  const [token, into] = [sold, bought].map((address) => address?.toLowerCase() ?? null) as [string | null, string | null]
  if (token !== null)
    await chain.call(from, { address: token, abi: erc20Abi, functionName: 'approve', args: [exchange.router as Address, amount] })
  return chain.send(from, tradeCall({ sold: token, bought: into, amount, to: from.address }))
}
