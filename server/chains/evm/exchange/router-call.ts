import { decodeFunctionData, encodeFunctionData, parseAbi, type Address, type Hex } from 'viem'
import { packedPath, type Route, unpackedPath } from './route.ts'

/**
 * What the router is asked to do. The router has many more functions, and takes any calls in any order. The guard signs for no others than these:
 *
 * - token for token: `exactInput`
 * - coin for token: `exactInput`, which wraps what was sent, and `refundETH`, or what the pools did not take would be anybody's
 * - token for coin: `exactInput` to the router itself, and `unwrapWETH9`
 * - wrapping and unwrapping alone: `wrapETH` and `sweepToken`, `pull` and `unwrapWETH9`
 *
 * All of them in `multicall` with a deadline, after which the router refuses.
 */
export interface RouterCall {
  /** Null is the native coin. */
  readonly tokenIn: string | null
  readonly tokenOut: string | null
  readonly route: Route
  readonly amountIn: bigint
  readonly leastOut: bigint
  readonly recipient: string
  /** Unix seconds. */
  readonly deadline: bigint
}

const abi = parseAbi([
  'function multicall(uint256 deadline, bytes[] data) payable returns (bytes[])',
  'struct ExactInput { bytes path; address recipient; uint256 amountIn; uint256 amountOutMinimum; }',
  'function exactInput(ExactInput params) payable returns (uint256 amountOut)',
  'function refundETH() payable',
  'function unwrapWETH9(uint256 amountMinimum, address recipient) payable',
  'function wrapETH(uint256 value) payable',
  'function sweepToken(address token, uint256 amountMinimum, address recipient) payable',
  'function pull(address token, uint256 value) payable',
])

/** The router takes this for itself. */
const routerItself: Address = '0x0000000000000000000000000000000000000002'

export function encodeRouterCall(call: RouterCall): Hex {
  return encodeFunctionData({ abi, functionName: 'multicall', args: [call.deadline, partsOf(call)] })
}

function partsOf({ tokenIn, tokenOut, route, amountIn, leastOut, recipient }: RouterCall): Hex[] {
  const to = recipient as Address
  const unwrap = encodeFunctionData({ abi, functionName: 'unwrapWETH9', args: [leastOut, to] })
  if (route.fees.length === 0) {
    const wrapped = route.tokens[0] as Address
    return tokenIn === null
      ? [
          encodeFunctionData({ abi, functionName: 'wrapETH', args: [amountIn] }),
          encodeFunctionData({ abi, functionName: 'sweepToken', args: [wrapped, leastOut, to] }),
        ]
      : [encodeFunctionData({ abi, functionName: 'pull', args: [wrapped, amountIn] }), unwrap]
  }
  const params = {
    path: packedPath(route),
    recipient: tokenOut === null ? routerItself : to,
    amountIn,
    amountOutMinimum: leastOut,
  }
  return [
    encodeFunctionData({ abi, functionName: 'exactInput', args: [params] }),
    ...(tokenIn === null ? [encodeFunctionData({ abi, functionName: 'refundETH' })] : []),
    ...(tokenOut === null ? [unwrap] : []),
  ]
}

/** Returns undefined for anything but what `encodeRouterCall` returns, to the last byte. */
export function decodeRouterCall(data: Hex): RouterCall | undefined {
  const call = read(data)
  return call && encodeRouterCall(call) === data ? call : undefined
}

function read(data: Hex): RouterCall | undefined {
  try {
    const outer = decodeFunctionData({ abi, data })
    if (outer.functionName !== 'multicall') return undefined
    const [deadline, [first, second, ...more]] = outer.args
    if (!first || more.length > 0) return undefined
    const then = second && decodeFunctionData({ abi, data: second })
    const read = readParts(decodeFunctionData({ abi, data: first }), then)
    return read && { ...read, deadline }
  } catch {
    return undefined
  }
}

type Part = ReturnType<typeof decodeFunctionData<typeof abi>>

function readParts(first: Part, then: Part | undefined): Omit<RouterCall, 'deadline'> | undefined {
  const lower = (address: string) => address.toLowerCase()
  switch (first.functionName) {
    case 'wrapETH': {
      if (then?.functionName !== 'sweepToken') return undefined
      const [token, leastOut, recipient] = then.args
      const wrapped = lower(token)
      const route: Route = { tokens: [wrapped], fees: [] }
      return { tokenIn: null, tokenOut: wrapped, route, amountIn: first.args[0], leastOut, recipient: lower(recipient) }
    }
    case 'pull': {
      if (then?.functionName !== 'unwrapWETH9') return undefined
      const [token, amountIn] = first.args
      const [leastOut, recipient] = then.args
      const wrapped = lower(token)
      return { tokenIn: wrapped, tokenOut: null, route: { tokens: [wrapped], fees: [] }, amountIn, leastOut, recipient: lower(recipient) }
    }
    case 'exactInput': {
      const [{ path, recipient, amountIn, amountOutMinimum: leastOut }] = first.args
      const route = unpackedPath(path)
      const [tokenIn, tokenOut] = [route?.tokens[0], route?.tokens.at(-1)]
      if (!route || tokenIn === undefined || tokenOut === undefined) return undefined
      const shared = { route, amountIn, leastOut }
      if (!then) return { ...shared, tokenIn, tokenOut, recipient: lower(recipient) }
      if (then.functionName === 'refundETH') return { ...shared, tokenIn: null, tokenOut, recipient: lower(recipient) }
      if (then.functionName !== 'unwrapWETH9') return undefined
      return { ...shared, tokenIn, tokenOut: null, recipient: lower(then.args[1]) }
    }
    default:
      return undefined
  }
}
