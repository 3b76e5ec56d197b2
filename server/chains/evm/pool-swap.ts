import { decodeFunctionResult, encodeFunctionData, type Address, type Hex, multicall3Abi, zeroAddress } from 'viem'
import { ChainUnavailable, type Token } from '../chain.ts'
import type { Swap, SwapAsk, SwapPrice } from '../swap.ts'
import { multicallAddress } from './balances.ts'
import { LocalExchange } from './contracts/artifacts/LocalExchange.ts'
import { ethCall } from './rpc-calls.ts'
import type { Rpc } from './rpc.ts'

/** Only this many tokens, the first of the chain table, can be in the middle of a route, since all routes are priced in one call. */
const maxHubs = 60
/** Each pool on a route takes this fee, in thousandths. */
const poolFee = 3n

const { abi } = LocalExchange
type Path = readonly Address[]

interface Pools {
  readonly rpc: Rpc
  readonly tokens: readonly Token[]
  readonly exchange: string
}

/** Quotes the constant-product pools of a chain's exchange, directly and via one other token, all in one call at one block. */
export const poolSwap = (pools: Pools): Swap => ({
  async quote(ask) {
    const paths = ask.amount > 0n ? pathsOf(pools, ask) : []
    const found = paths.length === 0 ? [] : await prices(pools, paths, ask)
    const isBetter =
      ask.tradeType === 'EXACT_INPUT'
        ? (a: SwapPrice, b: SwapPrice) => a.amountOut > b.amountOut
        : (a: SwapPrice, b: SwapPrice) => a.amountIn < b.amountIn
    return found.reduce<SwapPrice | undefined>((best, price) => (best && !isBetter(price, best) ? best : price), undefined) ?? 'no_route'
  },
})

function pathsOf({ tokens }: Pools, { from, to }: SwapAsk): Path[] {
  const [first, last] = [onChain(from.address), onChain(to.address)]
  if (first === last) return []
  const hubs = tokens.slice(0, maxHubs).map((token) => onChain(token.address))
  return [[first, last], ...hubs.filter((hub) => hub !== first && hub !== last).map((hub) => [first, hub, last])]
}

const onChain = (address: string | null): Address => (address ?? zeroAddress) as Address

const pairsOf = (path: Path): [Address, Address][] =>
  path.slice(1).flatMap((to, index) => (path[index] === undefined ? [] : [[path[index], to]]))

/** Prices each path and reads the reserves of its pools. A path whose call fails is left out: a pool is missing or too small. */
async function prices({ rpc, exchange }: Pools, paths: readonly Path[], ask: SwapAsk): Promise<SwapPrice[]> {
  const functionName = ask.tradeType === 'EXACT_INPUT' ? 'quoteExactIn' : 'quoteExactOut'
  const calls = paths.flatMap((path) => [
    encodeFunctionData({ abi, functionName, args: [path, ask.amount] }),
    ...pairsOf(path).flatMap(([a, b]) => [reserve(a, b), reserve(b, a)]),
  ])
  const aggregate = calls.map((callData) => ({ target: exchange as Address, allowFailure: true, callData }))
  const [data] = await rpc.read(
    ask.signal,
    ethCall(
      { to: multicallAddress, data: encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [aggregate] }) },
      'latest',
    ),
  )
  if (data === '0x') throw new ChainUnavailable(rpc.chainId, 'chain_unavailable', `there is no Multicall3 at ${multicallAddress}.`)
  const results = decodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', data })
  let at = 0
  const next = (): bigint | undefined => {
    const result = results[at++]
    return result?.success && result.returnData.length === 66 ? BigInt(result.returnData) : undefined
  }
  return paths.flatMap((path): SwapPrice[] => {
    const other = next()
    const pools = pairsOf(path).map(() => ({ in: next() ?? 0n, out: next() ?? 0n }))
    if (other === undefined || other === 0n) return []
    const [amountIn, amountOut] = ask.tradeType === 'EXACT_INPUT' ? [ask.amount, other] : [other, ask.amount]
    return [{ amountIn, amountOut, impactBps: impactOf(amountIn, amountOut, pools), route: path }]
  })
}

const reserve = (a: Address, b: Address): Hex => encodeFunctionData({ abi, functionName: 'reserve', args: [a, b] })

/** Compares the price with what infinitely deep pools would give, both after the pools' fees. */
function impactOf(amountIn: bigint, amountOut: bigint, pools: readonly { in: bigint; out: bigint }[]): number {
  const [over, under] = pools.reduce(([o, u], pool) => [o * pool.out * (1_000n - poolFee), u * pool.in * 1_000n], [amountIn, 1n])
  if (over === 0n) return 0
  const lost = over - amountOut * under
  return lost <= 0n ? 0 : Number((lost * 10_000n) / over)
}
