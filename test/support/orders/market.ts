import { erc20Abi, type Address } from 'viem'
import type { LocalAccount } from '../../../local/chains/accounts.ts'
import { tradeCall } from '../../../local/chains/trade.ts'
import { exchange } from '../../../local/chains/uniswap.ts'
import type { TestChain } from '../../chains/support.ts'

/** Sells enough of one token for another in the chain's pool to move the price. */
export async function sell(chain: TestChain, from: LocalAccount, sold: string, bought: string, amount: bigint): Promise<void> {
  const token = sold.toLowerCase()
  await chain.call(from, { address: token, abi: erc20Abi, functionName: 'approve', args: [exchange.router as Address, amount] })
  await chain.send(from, tradeCall({ sold: token, bought: bought.toLowerCase(), amount, to: from.address }))
}
