import { encodeAbiParameters, getCreate2Address, keccak256, type Address, type Hex } from 'viem'
import type { Exchange } from './exchange.ts'

/** The hash of a pool's init code, which the router has in its own code too. test/chains/uniswap-swap.test.ts compares it with the package. */
export const poolCodeHash: Hex = '0xe34f199b19b2b4f47f68442619d555527d244f78a3297ea89325f843f87b8b54'

export interface Hop {
  readonly from: string
  readonly to: string
  readonly fee: number
}

export function poolAddress({ factory }: Pick<Exchange, 'factory'>, { from, to, fee }: Hop): string {
  const [token0, token1] = from < to ? [from, to] : [to, from]
  const salt = keccak256(
    encodeAbiParameters([{ type: 'address' }, { type: 'address' }, { type: 'uint24' }], [token0 as Address, token1 as Address, fee]),
  )
  return getCreate2Address({ from: factory as Address, salt, bytecodeHash: poolCodeHash }).toLowerCase()
}

/** A pool's present price is the square root of token1 in token0, times 2^96. Returns how many of `to` one of `from` is worth, without the fee. */
export function midPrice({ from, to }: Pick<Hop, 'from' | 'to'>, squareRoot: bigint): { readonly over: bigint; readonly under: bigint } {
  const [price, one] = [squareRoot * squareRoot, 1n << 192n]
  return from < to ? { over: price, under: one } : { over: one, under: price }
}
