import { encodeFunctionData, erc20Abi, zeroAddress, type Address } from 'viem'
import * as z from 'zod/mini'
import { LocalExchange } from '../../../../server/chains/evm/contracts/artifacts/LocalExchange.ts'
import type { LocalChains } from '../../../chains.ts'
import { dollar, exchange } from '../../../chains/tokens.ts'
import type { Money } from '../network.ts'
import { waitUntilMined } from './blocks-by-hand.ts'
import type { EvmPayer } from './create-payers.ts'

const coins = 250n * 10n ** 18n
const Quantity = z.string().check(z.regex(/^0x[0-9a-f]+$/))

/** Lowers a coin's price by about 5 %. The returned function restores it by buying the coin back, except for the exchange's fee. */
export async function dropCoinPrice(
  chains: LocalChains,
  chainId: number,
  payerWith: (money: Money) => Promise<EvmPayer>,
): Promise<() => Promise<void>> {
  const trader = await payerWith({ chainId, token: null, raw: coins })
  const address = trader.address as Address
  const swap = (path: readonly Address[], amount: bigint, value?: bigint) =>
    trader.send({
      to: exchange.address,
      value,
      data: encodeFunctionData({ abi: LocalExchange.abi, functionName: 'swapExactIn', args: [path, amount, 0n, address] }),
    })
  const bothWays = [zeroAddress, dollar.address as Address]
  await waitUntilMined(chains, chainId, await swap(bothWays, coins, coins))
  return async () => {
    const anvil = chains.anvils.find((node) => node.chainId === chainId)
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] })
    const [held] = (await anvil?.ask(['eth_call', { to: dollar.address, data }, 'latest'])) ?? []
    const dollars = BigInt(z.parse(Quantity, held))
    const allow = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args: [exchange.address as Address, dollars] })
    await waitUntilMined(chains, chainId, await trader.send({ to: dollar.address, data: allow }))
    await waitUntilMined(chains, chainId, await swap(bothWays.toReversed(), dollars))
  }
}
