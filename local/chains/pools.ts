import { encodeFunctionData, parseAbi, type Address } from 'viem'
import { dai, dollar, tether, wrapped } from './tokens.ts'
import { positions, uniswapFactory } from './uniswap.ts'

const abi = parseAbi([
  'function enableFeeAmount(uint24 fee, int24 tickSpacing)',
  'function approve(address spender, uint256 amount)',
  'function createAndInitializePoolIfNecessary(address token0, address token1, uint24 fee, uint160 sqrtPriceX96) payable returns (address pool)',
  'struct MintParams { address token0; address token1; uint24 fee; int24 tickLower; int24 tickUpper; uint256 amount0Desired; uint256 amount1Desired; uint256 amount0Min; uint256 amount1Min; address recipient; uint256 deadline; }',
  'function mint(MintParams params) payable returns (uint256 tokenId, uint128 liquidity, uint256 amount0, uint256 amount1)',
])

export interface Step {
  readonly to: string
  readonly data: string
  readonly value?: bigint
  readonly gas?: bigint
}

/** Governance has added the tier of 0.01 % to the three that a new factory knows. */
export const enableLowestTier: Step = {
  to: uniswapFactory.address,
  data: encodeFunctionData({ abi, functionName: 'enableFeeAmount', args: [100, 1] }),
}

export interface Pool {
  readonly a: string
  readonly amountA: bigint
  readonly b: string
  readonly amountB: bigint
  /** In millionths. */
  readonly fee: 100 | 500 | 3_000 | 10_000
}

/** The amounts set the first prices. */
export const pools: readonly Pool[] = [
  { a: dollar.address, amountA: 10_000_000n * 10n ** 6n, b: tether.address, amountB: 10_000_000n * 10n ** 6n, fee: 100 },
  { a: dollar.address, amountA: 10_000_000n * 10n ** 6n, b: dai.address, amountB: 10_000_000n * 10n ** 18n, fee: 100 },
  { a: dollar.address, amountA: 25_000_000n * 10n ** 6n, b: wrapped.address, amountB: 10_000n * 10n ** 18n, fee: 500 },
]

const spacings = { 100: 1, 500: 10, 3_000: 60, 10_000: 200 } as const
const maxTick = 887_272

/** The amounts set the pool's price, and are spread over all prices. `provider` owns them and the position. */
export function poolSteps({ a, amountA, b, amountB, fee }: Pool, provider: string): Step[] {
  const [[token0, amount0], [token1, amount1]] =
    a.toLowerCase() < b.toLowerCase()
      ? [
          [a, amountA],
          [b, amountB],
        ]
      : [
          [b, amountB],
          [a, amountA],
        ]
  const [first, second] = [token0 as Address, token1 as Address]
  const tick = Math.floor(maxTick / spacings[fee]) * spacings[fee]
  const allow = (to: string, amount: bigint): Step => ({
    to,
    data: encodeFunctionData({ abi, functionName: 'approve', args: [positions.address as Address, amount] }),
  })
  return [
    {
      to: positions.address,
      gas: 6_000_000n,
      data: encodeFunctionData({
        abi,
        functionName: 'createAndInitializePoolIfNecessary',
        args: [first, second, fee, squareRoot((amount1 << 192n) / amount0)],
      }),
    },
    allow(token0, amount0),
    allow(token1, amount1),
    {
      to: positions.address,
      gas: 1_000_000n,
      data: encodeFunctionData({
        abi,
        functionName: 'mint',
        args: [
          {
            token0: first,
            token1: second,
            fee,
            tickLower: -tick,
            tickUpper: tick,
            amount0Desired: amount0,
            amount1Desired: amount1,
            amount0Min: 0n,
            amount1Min: 0n,
            recipient: provider as Address,
            deadline: 2n ** 64n,
          },
        ],
      }),
    },
    // What the position did not need must not stay allowed, or a token like Tether would refuse the next pool.
    allow(token0, 0n),
    allow(token1, 0n),
  ]
}

/** Rounds down (Newton's method). */
function squareRoot(value: bigint): bigint {
  let root = 1n << BigInt((value.toString(2).length + 1) >> 1)
  for (let next = (root + value / root) >> 1n; next < root; next = (root + value / root) >> 1n) root = next
  return root
}
