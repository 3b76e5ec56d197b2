import { createRequire } from 'node:module'
import { erc20Abi, keccak256, parseAbi, type Address, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { poolSteps, type Pool } from '../../local/chains/pools.ts'
import { exchange, uniswapFactory, positions } from '../../local/chains/uniswap.ts'
import { encodeRouterCall } from '../../server/chains/evm/exchange/router-call.ts'
import { poolAddress, poolCodeHash } from '../../server/chains/evm/exchange/pool.ts'
import { type PricedRoute, quoteRoutes } from '../../server/chains/evm/exchange/quote-routes.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { type Coin, type SwapAsk, swapOn } from '../../server/chains/swap.ts'
import { swapContract } from '../contracts/swap.ts'
import { sell } from '../support/orders/market.ts'
import { alice, owner, signal, startTestChain, type TestChain } from './support.ts'

const far = 2n ** 40n
const coinOf =
  (chain: TestChain) =>
  (symbol: string): Coin => ({ chainId: 8453, address: symbol === 'ETH' ? null : chain.token(symbol) })

const routesOf = ({ chain, config }: TestChain, ask: Omit<SwapAsk, 'signal'>) =>
  quoteRoutes({ ...config, rpc: chain.rpc, exchange: config.exchange! }, { ...ask, signal })

const balanceOf = async ({ chain }: TestChain, account: string, address: string | null) =>
  (await chain.balances([account], address, (await chain.head(signal)).number, signal))[0]!

/** Converts by this route as the router's caller. Rejects when the router reverts. */
async function take(
  chain: TestChain,
  from: Coin,
  to: Coin,
  { amountIn, route }: Pick<PricedRoute, 'amountIn' | 'route'>,
  leastOut: bigint,
) {
  const recipient = '0x00000000000000000000000000000000000e7c00'
  const call = { tokenIn: from.address, tokenOut: to.address, route, amountIn, leastOut, recipient, deadline: far }
  if (from.address !== null)
    await chain.call(alice, { address: from.address, abi: erc20Abi, functionName: 'approve', args: [exchange.router, amountIn] })
  const before = await balanceOf(chain, recipient, to.address)
  const hash = await chain.send(alice, {
    to: exchange.router,
    data: encodeRouterCall(call),
    value: from.address === null ? amountIn : 0n,
  })
  const [receipt] = await chain.anvil.ask(['eth_getTransactionReceipt', hash])
  if ((receipt as { status: string }).status !== '0x1') throw new Error('undone')
  return { out: (await balanceOf(chain, recipient, to.address)) - before, gasUsed: Number((receipt as { gasUsed: string }).gasUsed) }
}

swapContract('Uniswap v3', async () => {
  const chain = await startTestChain()
  const coin = coinOf(chain)
  return {
    swap: swapOn(new Map([[chain.chain.id, chain.chain]])),
    direct: { from: coin('USDC'), to: coin('DAI'), amount: 1_000n * 10n ** 6n, large: 1_000_000n * 10n ** 6n },
    twoHops: { from: coin('USDT'), to: coin('DAI'), amount: 10n ** 9n },
    tooMuch: 20_000_000n * 10n ** 18n,
    elsewhere: { chainId: 1, address: null },
    unknown: { chainId: 8453, address: `0x${'12'.repeat(20)}` },
    async trade(from, to, amountIn, minOut) {
      const [best] = await routesOf(chain, { from, to, amount: amountIn, tradeType: 'EXACT_INPUT' })
      return (await take(chain, from, to, best!, minOut)).out
    },
    silence: () => chain.stop(),
    stop: () => chain.stop(),
  }
})

describe('Uniswap v3', () => {
  let chain: TestChain
  let coin: ReturnType<typeof coinOf>
  beforeAll(async () => {
    chain = await startTestChain()
    coin = coinOf(chain)
  })
  afterAll(() => chain?.stop())

  const routes = (from: string, to: string, amount: bigint, tradeType: SwapAsk['tradeType'] = 'EXACT_INPUT') =>
    routesOf(chain, { from: coin(from), to: coin(to), amount, tradeType })
  /** Adds a pool with the owner's tokens. */
  async function add(pool: Pool): Promise<void> {
    await chain.anvil.ask(['anvil_impersonateAccount', owner.address])
    for (const { to, data, gas = 300_000n } of poolSteps(pool, owner.address)) {
      const [hash] = await chain.anvil.ask(['eth_sendTransaction', { from: owner.address, to, data, gas: `0x${gas.toString(16)}` }])
      await chain.mine()
      const [receipt] = await chain.anvil.ask(['eth_getTransactionReceipt', hash])
      expect((receipt as { status: string }).status).toBe('0x1')
    }
    await chain.anvil.ask(['anvil_stopImpersonatingAccount', owner.address])
  }

  test('default: pools are at the addresses that follow from their tokens and fee', async () => {
    const { bytecode } = createRequire(import.meta.url)('@uniswap/v3-core/artifacts/contracts/UniswapV3Pool.sol/UniswapV3Pool.json') as {
      bytecode: Hex
    }
    expect(keccak256(bytecode)).toBe(poolCodeHash)
    const [usdc, dai] = [chain.token('USDC'), chain.token('DAI')]
    const [answer] = await chain.anvil.ask([
      'eth_call',
      {
        to: uniswapFactory.address,
        data: `0x1698ee82${[usdc, dai].map((token) => token.slice(2).padStart(64, '0')).join('')}${(100).toString(16).padStart(64, '0')}`,
      },
      'latest',
    ])
    expect(`0x${String(answer).slice(26)}`).toBe(poolAddress(exchange, { from: dai, to: usdc, fee: 100 }))
  })

  test.each([
    ['coin for a token', 'ETH', 'USDC', 10n ** 18n],
    ['a token for coin', 'USDC', 'ETH', 2_500n * 10n ** 6n],
    ['coin for a token, over two pools', 'ETH', 'DAI', 10n ** 18n],
    ['a token for coin, over two pools', 'USDT', 'ETH', 2_500n * 10n ** 6n],
    ['wrapped coin for a token', 'WETH', 'USDC', 10n ** 18n],
    ['coin for wrapped coin', 'ETH', 'WETH', 10n ** 18n],
    ['wrapped coin for coin', 'WETH', 'ETH', 10n ** 18n],
  ])('behavior: converts %s, in either trade type, and leaves nothing at the router', async (_, from, to, amount) => {
    const [price] = await routes(from, to, amount)
    const { out, gasUsed } = await take(chain, coin(from), coin(to), price!, price!.amountOut)
    expect(out).toBe(price!.amountOut)
    expect(gasUsed).toBeLessThan(400_000)
    const [other] = await routes(from, to, out, 'EXACT_OUTPUT')
    expect((await take(chain, coin(from), coin(to), other!, out)).out).toBeGreaterThanOrEqual(out)
    for (const symbol of ['ETH', 'WETH', from, to]) expect(await balanceOf(chain, exchange.router, coin(symbol).address)).toBe(0n)
  })

  test('behavior: wrapping costs nothing and moves no price', async () => {
    for (const [from, to] of [
      ['ETH', 'WETH'],
      ['WETH', 'ETH'],
    ] as const)
      expect(
        await chain.chain.swap!.quote({ from: coin(from), to: coin(to), amount: 7n, tradeType: 'EXACT_OUTPUT', signal }),
      ).toMatchObject({
        amountIn: 7n,
        amountOut: 7n,
        impactBps: 0,
      })
  })

  test('behavior: the impact is the distance from the price at which the pools stand, without their fees', async () => {
    const [small] = await routes('ETH', 'DAI', 10n ** 15n)
    expect(small!.impactBps).toBe(0)
    // 500 of 10,000 coins: their price falls to 1 / 1.05 on average.
    const [large] = await routes('ETH', 'USDC', 500n * 10n ** 18n)
    expect(large!.impactBps).toBeGreaterThan(470)
    expect(large!.impactBps).toBeLessThan(480)
  })

  test('behavior: of several pools the best is taken, and one without depth never', async () => {
    const before = (await routes('USDC', 'USDT', 10n ** 9n))[0]!
    expect(before.route.fees).toEqual([100])
    // It gives two for one, as far as its hundred dollars go.
    await add({ a: chain.token('USDC'), amountA: 100n * 10n ** 6n, b: chain.token('USDT'), amountB: 200n * 10n ** 6n, fee: 10_000 })
    expect((await routes('USDC', 'USDT', 10n ** 6n))[0]!.route.fees).toEqual([10_000])
    const [best, ...others] = await routes('USDC', 'USDT', 10n ** 9n)
    expect(best).toEqual(before)
    expect(others.find(({ route }) => route.fees[0] === 10_000)!.impactBps).toBeGreaterThan(8_000)
    await expect(
      take(
        chain,
        coin('USDC'),
        coin('USDT'),
        others.find(({ route }) => route.fees[0] === 10_000)!,
        best!.amountOut,
      ),
    ).rejects.toThrow('undone')
  })

  test('behavior: pools without liquidity use up no gas of the others', async () => {
    const abi = parseAbi([
      'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) returns (address)',
    ])
    const tokens = ['USDC', 'USDT', 'DAI', 'WETH'].map((symbol) => chain.token(symbol)).toSorted()
    for (const [at, token0] of tokens.entries())
      for (const token1 of tokens.slice(at + 1)) {
        const args = [token0, token1, 100, 2n ** 96n]
        await chain.call(owner, { address: positions.address, abi, functionName: 'createAndInitializePoolIfNecessary', args })
      }
    const [price] = await routes('DAI', 'WETH', 2_500n * 10n ** 18n)
    expect(price!.route.fees).toEqual([100, 500])
    const [other] = await routes('USDT', 'ETH', 10n ** 18n, 'EXACT_OUTPUT')
    expect(other!.route.tokens).toHaveLength(3)
    expect(await routes('USDT', 'ETH', 10n ** 24n, 'EXACT_OUTPUT')).toEqual([])
  })

  test('behavior: a price that has moved since is refused by the least output', async () => {
    const [price] = await routes('DAI', 'USDC', 1_000n * 10n ** 18n)
    await sell(chain, owner, chain.token('DAI'), chain.token('USDC'), 100_000n * 10n ** 18n)
    await expect(take(chain, coin('DAI'), coin('USDC'), price!, (price!.amountOut * 99n) / 100n)).rejects.toThrow('undone')
    const [now] = await routes('DAI', 'USDC', 1_000n * 10n ** 18n)
    expect((await take(chain, coin('DAI'), coin('USDC'), now!, now!.amountOut)).out).toBe(now!.amountOut)
  })

  test('error: without the leave of the factory’s owner there is no route', async () => {
    const set = (allowed: boolean) =>
      chain.call(owner, {
        address: chain.config.factory.address,
        abi: TillFactory.abi,
        functionName: 'setRouter',
        args: [exchange.router as Address, allowed],
      })
    await set(false)
    for (const [from, to] of [
      ['USDC', 'DAI'],
      ['ETH', 'WETH'],
    ] as const)
      expect(await routes(from, to, 10n ** 6n)).toEqual([])
    await set(true)
    expect(await routes('USDC', 'DAI', 10n ** 6n)).not.toEqual([])
  })
})
