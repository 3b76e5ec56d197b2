import * as fc from 'fast-check'
import type { Hex } from 'viem'
import { expect, test } from 'vitest'
import { feeTiers } from '../../server/chains/evm/exchange/exchange.ts'
import { decodeRouterCall, encodeRouterCall, type RouterCall } from '../../server/chains/evm/exchange/router-call.ts'
import { hopsOf, packedPath, parseRoute, reversed, type Route, routeName, unpackedPath } from '../../server/chains/evm/exchange/route.ts'

const anyAddress = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}`)
const anyFee = fc.oneof(fc.constantFrom(...feeTiers), fc.integer({ min: 1, max: 2 ** 24 - 1 }))
const routeOf = (hops: number): fc.Arbitrary<Route> =>
  fc
    .tuple(fc.array(anyAddress, { minLength: hops + 1, maxLength: hops + 1 }), fc.array(anyFee, { minLength: hops, maxLength: hops }))
    .map(([[first, ...others], fees]) => ({ tokens: [first!, ...others], fees }))
const anyRoute = fc.oneof(routeOf(1), routeOf(2))
const uint = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n })

const anyCall: fc.Arbitrary<RouterCall> = fc
  .record({
    route: fc.oneof(routeOf(0), anyRoute),
    native: fc.constantFrom('in', 'out', 'neither'),
    amountIn: uint,
    leastOut: uint,
    recipient: anyAddress,
    deadline: uint,
  })
  .map(({ route, native, ...rest }) => {
    const isWrap = route.fees.length === 0
    const isNativeIn = native === 'in' || (isWrap && native === 'neither')
    return {
      ...rest,
      route,
      tokenIn: isNativeIn ? null : route.tokens[0],
      tokenOut: native === 'out' ? null : route.tokens.at(-1)!,
    }
  })

test('property: a route survives its name and its path, and a path its way back', () => {
  fc.assert(
    fc.property(anyRoute, (route) => {
      expect(parseRoute(routeName(route))).toEqual(route)
      expect(unpackedPath(packedPath(route))).toEqual(route)
      expect(reversed(reversed(route))).toEqual(route)
      expect(hopsOf(reversed(route))).toEqual(
        hopsOf(route)
          .map(({ from, to, fee }) => ({ from: to, to: from, fee }))
          .toReversed(),
      )
    }),
  )
})

test('property: the router’s call says what it was made of, and nothing that differs in one byte does', () => {
  fc.assert(
    fc.property(anyCall, fc.nat(), fc.integer({ min: 1, max: 255 }), (call, at, change) => {
      const data = encodeRouterCall(call)
      expect(decodeRouterCall(data)).toEqual(call)
      const bytes = Buffer.from(data.slice(2), 'hex')
      bytes[at % bytes.length]! ^= change
      const other = decodeRouterCall(`0x${bytes.toString('hex')}`)
      expect(other).not.toEqual(call)
      // What can still be read is another call in full, never the same with something hidden in it.
      if (other) expect(encodeRouterCall(other)).toBe(`0x${bytes.toString('hex')}`)
    }),
  )
})

test('property: no bytes make the decoder throw', () => {
  const head = encodeRouterCall({
    tokenIn: null,
    tokenOut: `0x${'1'.repeat(40)}`,
    route: { tokens: [`0x${'2'.repeat(40)}`, `0x${'1'.repeat(40)}`], fees: [500] },
    amountIn: 1n,
    leastOut: 1n,
    recipient: `0x${'3'.repeat(40)}`,
    deadline: 1n,
  })
  fc.assert(
    fc.property(fc.nat({ max: head.length }), fc.uint8Array({ maxLength: 400 }), (kept, rest) => {
      const data = `${head.slice(0, Math.max(2, kept - (kept % 2)))}${Buffer.from(rest).toString('hex')}` as Hex
      const call = decodeRouterCall(data)
      if (call) expect(encodeRouterCall(call)).toBe(data)
    }),
  )
})

test.each([
  ['', 'nothing'],
  ['0x12', 'half a token'],
  [`0x${'1'.repeat(40)}/500`, 'a fee that leads nowhere'],
  [`0x${'1'.repeat(40)}/0/0x${'2'.repeat(40)}`, 'a fee of nothing'],
  [`0x${'1'.repeat(40)}/16777216/0x${'2'.repeat(40)}`, 'a fee that no pool has'],
  [`0x${'A'.repeat(40)}/500/0x${'2'.repeat(40)}`, 'a token in another case'],
  [Array.from({ length: 4 }, (_, at) => `0x${String(at).repeat(40)}`).join('/500/'), 'three pools'],
])('error: %s is no route: %s', (text) => {
  expect(parseRoute(text)).toBeUndefined()
})
