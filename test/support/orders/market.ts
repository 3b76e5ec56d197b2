import { erc20Abi, type Address } from 'viem'
import { LocalExchange } from '../../../server/chains/evm/contracts/artifacts/LocalExchange.ts'
import type { LocalAccount } from '../../../local/chains/accounts.ts'
import type { TestChain } from '../../chains/support.ts'

/** Sells enough of one token for another on the chain's exchange to move the price. */
export async function sell(chain: TestChain, from: LocalAccount, sold: string, bought: string, amount: bigint): Promise<void> {
  const exchange = chain.config.exchange as Address
  await chain.call(from, { address: sold, abi: erc20Abi, functionName: 'approve', args: [exchange, amount] })
  await chain.call(from, {
    address: exchange,
    abi: LocalExchange.abi,
    functionName: 'swapExactIn',
    args: [[sold, bought], amount, 0n, from.address],
  })
}
