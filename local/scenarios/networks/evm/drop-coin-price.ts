import { encodeFunctionData, erc20Abi, type Address } from 'viem'
import * as z from 'zod/mini'
import type { LocalChains } from '../../../chains.ts'
import { dollar } from '../../../chains/tokens.ts'
import { tradeCall } from '../../../chains/trade.ts'
import { exchange } from '../../../chains/uniswap.ts'
import type { Money } from '../network.ts'
import { waitUntilMined } from './blocks-by-hand.ts'
import type { EvmPayer } from './create-payers.ts'

const coins = 250n * 10n ** 18n
const Quantity = z.string().check(z.regex(/^0x[0-9a-f]+$/))

/** Lowers a coin's price by about 5 %. The returned function restores it by buying the coin back, except for the pool's fee. */
export async function dropCoinPrice(
  chains: LocalChains,
  chainId: number,
  payerWith: (money: Money) => Promise<EvmPayer>,
): Promise<() => Promise<void>> {
  const trader = await payerWith({ chainId, token: null, raw: coins })
  const address = trader.address as Address
  const send = async (call: Parameters<EvmPayer['send']>[0]) => waitUntilMined(chains, chainId, await trader.send(call))
  await send(tradeCall({ sold: null, bought: dollar.address, amount: coins, to: address }))
  return async () => {
    const anvil = chains.anvils.find((node) => node.chainId === chainId)
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] })
    const [held] = (await anvil?.ask(['eth_call', { to: dollar.address, data }, 'latest'])) ?? []
    const dollars = BigInt(z.parse(Quantity, held))
    await send({
      to: dollar.address,
      data: encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [exchange.router as Address, dollars] }),
    })
    await send(tradeCall({ sold: dollar.address, bought: null, amount: dollars, to: address }))
  }
}
