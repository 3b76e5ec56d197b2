import { decodeFunctionData, erc20Abi, type Address, type Hex } from 'viem'
import { conversionMove } from '../../server/chains/evm/conversion.ts'
import { LocalExchange } from '../../server/chains/evm/contracts/artifacts/LocalExchange.ts'
import { type Coin, swapOn } from '../../server/chains/swap.ts'
import { alice, signal, startTestChain } from './support.ts'
import { swapContract } from '../contracts/swap.ts'

const { abi } = LocalExchange

swapContract('pools of an exchange', async () => {
  const test = await startTestChain()
  const { chain } = test
  const coin = (symbol: string): Coin => ({ chainId: 8453, address: symbol === 'ETH' ? null : test.token(symbol) })
  const swap = swapOn(new Map([[chain.id, chain]]))
  const balance = async (address: string | null) =>
    (await chain.balances([alice.address], address, (await chain.head(signal)).number, signal))[0]!
  return {
    swap,
    direct: { from: coin('USDC'), to: coin('DAI'), amount: 1_000n * 10n ** 6n, large: 1_000_000n * 10n ** 6n },
    twoHops: { from: coin('USDT'), to: coin('DAI'), amount: 10n ** 9n },
    tooMuch: 20_000_000n * 10n ** 18n,
    elsewhere: { chainId: 1, address: null },
    unknown: { chainId: 8453, address: `0x${'12'.repeat(20)}` },
    async trade(from, to, amountIn, minOut, { route }) {
      const call = conversionMove(chain.config, { route, amountIn, minOut }, alice.address)
      const { functionName, args } = decodeFunctionData({ abi, data: call.data as Hex })
      await test.call(alice, {
        address: from.address ?? '',
        abi: erc20Abi,
        functionName: 'approve',
        args: [call.router as Address, amountIn],
      })
      const before = await balance(to.address)
      const hash = await test.call(alice, { address: call.router, abi, functionName, args: args as readonly unknown[] })
      const [receipt] = await test.anvil.ask(['eth_getTransactionReceipt', hash])
      if ((receipt as { status: string }).status !== '0x1') throw new Error('undone')
      return (await balance(to.address)) - before
    },
    silence: () => test.stop(),
    stop: () => test.stop(),
  }
})
