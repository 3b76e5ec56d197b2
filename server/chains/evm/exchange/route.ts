/** The tokens of the pools that a conversion goes through, and the fee tier between each two. Coin that is only wrapped or unwrapped has one token. */
export interface Route {
  readonly tokens: readonly [string, ...string[]]
  readonly fees: readonly number[]
}

/** More pools cost more gas and more fees than they save. */
const mostHops = 2
const address = /^0x[0-9a-f]{40}$/
const fee = /^[1-9]\d{0,7}$/

/** "token/fee/token/fee/token", as it is stored. */
export const routeName = ({ tokens: [first, ...others], fees }: Route): string =>
  [first, ...others.flatMap((token, at) => [String(fees[at]), token])].join('/')

export function parseRoute(text: string): Route | undefined {
  const parts = text.split('/')
  const tokens = parts.filter((_, at) => at % 2 === 0)
  const fees = parts.filter((_, at) => at % 2 === 1)
  const [first, ...others] = tokens
  const isWhole = tokens.length === fees.length + 1 && fees.length <= mostHops
  if (first === undefined || !isWhole || !tokens.every((token) => address.test(token)) || !fees.every((tier) => fee.test(tier)))
    return undefined
  const route: Route = { tokens: [first, ...others], fees: fees.map(Number) }
  return route.fees.every((tier) => tier < 2 ** 24) ? route : undefined
}

/** Uniswap's packed path: 20 bytes of a token, 3 of a fee, 20 of the next token, … */
export const packedPath = ({ tokens: [first, ...others], fees }: Route): `0x${string}` =>
  `0x${[first.slice(2), ...others.flatMap((token, at) => [(fees[at] ?? 0).toString(16).padStart(6, '0'), token.slice(2)])].join('')}`

export function unpackedPath(path: string): Route | undefined {
  const hops = (path.length - 2 - 40) / 46
  if (!Number.isInteger(hops) || hops < 1 || hops > mostHops || !/^0x[0-9a-f]*$/.test(path)) return undefined
  const starts = Array.from({ length: hops }, (_, hop) => 2 + hop * 46)
  return {
    tokens: [`0x${path.slice(2, 42)}`, ...starts.map((start) => `0x${path.slice(start + 46, start + 86)}`)],
    fees: starts.map((start) => Number.parseInt(path.slice(start + 40, start + 46), 16)),
  }
}

/** The quoter wants the path of an exact output from its end. */
export function reversed({ tokens, fees }: Route): Route {
  const [last, ...others] = tokens.toReversed()
  return { tokens: [last ?? tokens[0], ...others], fees: fees.toReversed() }
}

/** The pools of a route, in order. */
export const hopsOf = ({ tokens, fees }: Route): readonly { readonly from: string; readonly to: string; readonly fee: number }[] =>
  fees.map((tier, at) => ({ from: tokens[at] ?? tokens[0], to: tokens[at + 1] ?? tokens[0], fee: tier }))
