import { decodeFunctionData, encodeFunctionData, type Address, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Call } from '../../server/chains/evm/call.ts'
import { conversionOf } from '../../server/chains/evm/conversion.ts'
import type { Route } from '../../server/chains/evm/exchange/route.ts'
import type { RouterCall } from '../../server/chains/evm/exchange/router-call.ts'
import { convertCall, refundCall, releaseCall, settleCall, termsSettlement } from '../../server/chains/evm/factory-calls.ts'
import { moveDigest } from '../../server/chains/evm/move-digest.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestRouter } from '../../server/chains/evm/contracts/artifacts/TestRouter.ts'
import { TestTaxToken } from '../../server/chains/evm/contracts/artifacts/TestTaxToken.ts'
import type { Move } from '../../server/chains/guard.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { termsHash } from '../../src/wire/terms/terms-hash.ts'
import { abi, chainId, collector, type FactoryBench, failed, farFuture, names, startFactoryBench } from './factory-support.ts'
import { alice, operator, owner } from './support.ts'

let bench: FactoryBench
let usdc: Address
let usdt: Address
let dai: Address
let weth: Address
let nonces = 1n
beforeAll(async () => {
  bench = await startFactoryBench()
  usdc = bench.setup.token('USDC')
  usdt = bench.setup.token('USDT')
  dai = bench.setup.token('DAI')
  weth = bench.setup.token('WETH')
})
afterAll(() => bench?.setup.stop())

describe('convert', () => {
  const over = (fees: readonly number[], ...tokens: readonly [string, ...string[]]): Route => ({
    tokens: tokens.map((token) => token.toLowerCase()) as unknown as Route['tokens'],
    fees,
  })
  const routed = (recipient: string, amountIn: bigint, leastOut: bigint, more: Partial<RouterCall> = {}) =>
    conversionOf(bench.setup.config.exchange!, {
      tokenIn: usdt,
      tokenOut: usdc,
      route: over([100], usdt, usdc),
      amountIn,
      leastOut,
      recipient,
      deadline: farFuture,
      ...more,
    })
  const moveOf = (address: string, amountIn: bigint, minOut: bigint, fee: bigint): Move => ({
    tokenIn: usdt,
    tokenOut: usdc,
    legs: fee > 0n ? [{ to: collector, amount: fee }] : [],
    conversion: routed(address, amountIn, minOut),
    nonce: nonces++,
    deadline: farFuture,
  })
  const recipientOf = (terms: OrderTerms) => terms.settlements.find((each) => each.chain_id === chainId && each.token !== null)!.recipient
  /** A conversion by a hostile router that the owner has allowed. */
  const hostileTrade = (trade: Record<string, unknown>): Hex =>
    encodeFunctionData({
      abi: TestRouter.abi,
      functionName: 'swap',
      args: [
        {
          tokenIn: usdt,
          amountIn: 0n,
          tokenOut: usdc,
          amountOut: 0n,
          to: alice.address,
          target: `0x${'0'.repeat(40)}`,
          data: '0x',
          ...trade,
        } as never,
      ],
    })
  async function hostileRouter(): Promise<Address> {
    const router = (await bench.setup.deploy(TestRouter)) as Address
    await bench.give(router, usdc, 1_000_000n)
    await bench.send(bench.call('setRouter', [router, true]), owner)
    return router
  }
  const convert = async (terms: OrderTerms, move: Move, options?: Parameters<FactoryBench['send']>[2]) =>
    bench.send(convertCall(terms, chainId, await bench.sign(terms, move)), operator, options)

  test('default: converts what the guard signed for; the recipient gets all that it yields but the fee', async () => {
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    const before = await bench.balance(collector, usdc)
    const sent = await convert(terms, moveOf(address, 1_000_000n, 990_000n, 500n))
    expect(names(sent)).toEqual(['Converted', 'Paid', 'Paid'])
    const amountOut = sent.ok ? (sent.events[0]![1].amountOut as bigint) : 0n
    expect(amountOut).toBeGreaterThanOrEqual(990_000n)
    expect(await bench.balance(recipientOf(terms), usdc)).toBe(amountOut - 500n)
    expect((await bench.balance(collector, usdc)) - before).toBe(500n)
    expect([await bench.balance(address, usdc), await bench.balance(address, usdt)]).toEqual([0n, 0n])
  })

  test.each<[string, () => readonly [string | null, string | null, Route], bigint]>([
    ['coin', () => [null, usdc, over([500], weth, usdc)], 10n ** 15n],
    ['coin over two pools', () => [null, dai, over([500, 100], weth, usdc, dai)], 10n ** 15n],
    ['into coin', () => [usdc, null, over([500], usdc, weth)], 1_000_000n],
    ['into coin over two pools', () => [usdt, null, over([100, 500], usdt, usdc, weth)], 1_000_000n],
    ['coin by wrapping it', () => [null, weth, over([], weth)], 10n ** 15n],
    ['wrapped coin by unwrapping it', () => [weth, null, over([], weth)], 10n ** 15n],
  ])('behavior: converts %s, and leaves what was there before', async (_, of, amountIn) => {
    const [tokenIn, tokenOut, route] = of()
    const destinations = [bench.destination(tokenOut ?? usdc), bench.destination(null)] as const
    const { address, terms } = await bench.holding(tokenIn, amountIn + 5n, { destinations })
    if (tokenOut !== null) await bench.give(address, tokenOut, 7n)
    const { recipient } = termsSettlement({ terms, chainId, token: tokenOut })
    const move: Move = {
      ...moveOf(address, amountIn, 1n, 0n),
      tokenIn,
      tokenOut,
      conversion: routed(address, amountIn, 1n, { tokenIn, tokenOut, route }),
    }
    const sent = await convert(terms, move)
    expect(names(sent)).toEqual(['Converted', 'Paid'])
    const out = sent.ok ? (sent.events[0]![1].amountOut as bigint) : 0n
    if (route.fees.length === 0) expect(out).toBe(amountIn)
    expect(await bench.balance(recipient, tokenOut)).toBe(out)
    expect(await bench.balance(address, tokenIn)).toBe(5n)
    expect(await bench.balance(address, tokenOut)).toBe(tokenOut === null ? 0n : 7n)
    const { router } = bench.setup.config.exchange!
    for (const token of [null, weth, tokenIn, tokenOut]) expect(await bench.balance(router as Address, token)).toBe(0n)
  })

  test('behavior: what the router is asked for too late is not converted', async () => {
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    const late = BigInt((await bench.now()) - 1)
    const move = { ...moveOf(address, 1_000_000n, 1n, 0n), conversion: routed(address, 1_000_000n, 1n, { deadline: late }) }
    expect(names(await convert(terms, move))).toEqual(['NotConverted'])
  })

  test('behavior: a paused dollar, or one that has blacklisted the address, is not converted, and the money stays', async () => {
    const dollar = (functionName: string, ...args: unknown[]) =>
      bench.setup.call(owner, { address: usdc, abi: TestDollar.abi, functionName, args })
    const { address, terms } = await bench.holding(usdc, 1_000_000n, { destinations: [bench.destination(null)] })
    const move = (): Move => {
      const more = { tokenIn: usdc, tokenOut: null }
      return {
        ...moveOf(address, 1n, 1n, 0n),
        ...more,
        conversion: routed(address, 1_000_000n, 1n, { ...more, route: over([500], usdc, weth) }),
      }
    }
    for (const [stop, start, ...args] of [
      ['pause', 'unpause'],
      ['blacklist', 'unBlacklist', address],
    ] as const) {
      await dollar(stop, ...args)
      expect(names(await convert(terms, move()))).toEqual(['NotConverted'])
      await dollar(start, ...args)
      expect(await bench.balance(address, usdc)).toBe(1_000_000n)
    }
    expect(names(await convert(terms, move()))).toEqual(['Converted', 'Paid'])
  })

  test('behavior: a failure leaves the money, consumes the signature and says why', async () => {
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    const move = moveOf(address, 1_000_000n, 1_000_001n, 0n)
    const sent = await convert(terms, move)
    expect(names(sent)).toEqual(['NotConverted'])
    expect(await bench.balance(address, usdt)).toBe(1_000_000n)
    expect(await convert(terms, move)).toEqual(failed('NonceUsed'))
    const [allowance] = await bench.setup.anvil.ask([
      'eth_call',
      bench.call('allowance', [address, bench.setup.config.exchange!.router], { address: usdt, abi: TestDollar.abi }),
      'latest',
    ])
    expect(BigInt(String(allowance))).toBe(0n)
  })

  test.each<[string, (move: Move) => Move]>([
    ['a fee above the cap', (move) => ({ ...move, legs: [{ to: collector, amount: 500_000n }] })],
    ['a fee above what it yields', (move) => ({ ...move, legs: [{ to: collector, amount: 5_000_000n }] })],
    ['a router that the owner has not named', (move) => ({ ...move, conversion: { ...move.conversion!, router: usdc } })],
    [
      'more than there is',
      (move) => ({
        ...move,
        conversion: routed(alice.address, 2_000_000n, 1n),
      }),
    ],
  ])('behavior: %s converts nothing', async (_, change) => {
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    expect(names(await convert(terms, change(moveOf(address, 1_000_000n, 990_000n, 0n))))).toEqual(['NotConverted'])
    expect(await bench.balance(address, usdt)).toBe(1_000_000n)
  })

  test('error: nothing of what was signed can be changed, and a refund’s signature converts nothing', async () => {
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    const move = moveOf(address, 1_000_000n, 990_000n, 500n)
    const { signature } = await bench.sign(terms, move)
    const { conversion } = move
    const theft = routed(alice.address, 1_000_000n, 0n)
    const changes: Partial<Move>[] = [
      { conversion: { ...conversion!, amountIn: 999_999n } },
      { conversion: { ...conversion!, leastOut: 1n } },
      { conversion: { ...conversion!, data: theft.data } },
      { conversion: { ...conversion!, router: alice.address } },
      { legs: [{ to: collector, amount: 501n }] },
      { legs: [] },
      { tokenIn: usdc },
      { tokenOut: null },
      { nonce: nonces++ },
    ]
    for (const change of changes) {
      expect(await bench.send(convertCall(terms, chainId, { ...move, ...change, signature }))).toEqual(failed('NotApproved'))
    }
    const refund = await bench.sign(terms, bench.refund(usdt, [{ to: collector, amount: 500n }], move.nonce))
    expect(await bench.send(convertCall(terms, chainId, { ...move, signature: refund.signature }))).toEqual(failed('NotApproved'))
    expect(await bench.send(refundCall(terms, { ...bench.refund(usdt, move.legs, move.nonce), signature }))).toEqual(failed('NotApproved'))
    expect(moveDigest({ chainId, terms, move })).not.toBe(moveDigest({ chainId, terms, move: refund }))
  })

  test('error: nobody but the factory may call the inner part', async () => {
    const { terms } = bench.order()
    const call = convertCall(terms, chainId, await bench.sign(terms, moveOf(alice.address, 1n, 1n, 0n)))
    const { args } = decodeFunctionData({ abi, data: call.data as Hex }) as { args: readonly unknown[] }
    const [used, swap] = args as [{ settlement: unknown }, unknown]
    const inner = bench.call('convertAndSettle', [`0x${termsHash(terms)}`, alice.address, used.settlement, swap, 0n])
    for (const from of [operator, owner, alice]) expect(await bench.send(inner, from)).toEqual(failed('NotSelf'))
  })

  test('behavior: a router that takes all and pays too little is undone', async () => {
    const router = await hostileRouter()
    const { address, terms } = await bench.holding(usdt, 1_000n)
    const data = hostileTrade({ amountIn: 1_000n, amountOut: 899n, to: address })
    const move = { ...moveOf(address, 1_000n, 0n, 0n), conversion: { amountIn: 1_000n, leastOut: 900n, router, data } }
    expect(names(await convert(terms, move))).toEqual(['NotConverted'])
    expect(await bench.balance(address, usdt)).toBe(1_000n)
  })

  test('behavior: a router cannot take more than was signed, nor keep an allowance', async () => {
    const router = await hostileRouter()
    const { address, terms } = await bench.holding(usdt, 1_000n)
    const greedy = hostileTrade({ amountIn: 501n, amountOut: 900n, to: address })
    const move = { ...moveOf(address, 500n, 0n, 0n), conversion: { amountIn: 500n, leastOut: 900n, router, data: greedy } }
    expect(names(await convert(terms, move))).toEqual(['NotConverted'])
    const lazy = hostileTrade({ amountIn: 400n, amountOut: 900n, to: address })
    const fair = { ...moveOf(address, 500n, 0n, 0n), conversion: { amountIn: 500n, leastOut: 900n, router, data: lazy } }
    expect(names(await convert(terms, fair))).toEqual(['Converted', 'Paid'])
    expect(await bench.balance(address, usdt)).toBe(600n)
    const pull = bench.call('swap', [{ ...tradeOf(usdt), amountIn: 100n }], { address: router, abi: TestRouter.abi })
    expect((await bench.send(pull, alice)).ok).toBe(false)
  })

  test('behavior: a router that calls the factory, a settle or a release of the same order, gains nothing', async () => {
    const router = await hostileRouter()
    const now = await bench.now()
    const { address, terms } = await bench.holding(usdt, 1_000n, { releaseAt: now - 10 })
    await bench.give(address, usdc, 100n)
    const settle = settleCall({ terms, chainId, token: usdc, toRecipient: 50n, fee: 0n })
    const release = releaseCall({ terms, chainId, token: usdc })
    for (const [inner, outcome] of [
      [settle, ['Converted', 'Paid']],
      // The release empties the address in the middle, so the conversion has not yielded what it must, and is undone together with the release.
      [release, ['NotConverted']],
    ] as [Call, string[]][]) {
      const data = hostileTrade({ amountIn: 100n, amountOut: 90n, to: address, target: bench.factory, data: inner.data })
      const move = { ...moveOf(address, 100n, 0n, 0n), conversion: { amountIn: 100n, leastOut: 90n, router, data } }
      expect(names(await convert(terms, move))).toEqual(outcome)
    }
    expect(await bench.balance(address, usdc)).toBe(100n)
  })

  test('behavior: a hostile token cannot make a conversion revert with a long answer', async () => {
    const token = (await bench.setup.deploy(TestTaxToken)) as Address
    const { address, terms } = await bench.holding(usdt, 10n, { destinations: [bench.destination(token)] })
    await bench.send(bench.call('setLoud', [true], { address: token, abi: TestTaxToken.abi }))
    const move = { ...moveOf(address, 10n, 1n, 0n), tokenOut: token }
    const sent = await convert(terms, move)
    expect(names(sent)).toEqual(['NotConverted'])
    expect(await bench.read('isNonceUsed', [`0x${termsHash(terms)}`, move.nonce])).toBe(true)
  })

  test('error: whether it converts never depends on the gas limit', async () => {
    const router = await hostileRouter()
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    const burn = encodeFunctionData({ abi: TestRouter.abi, functionName: 'burn', args: [1_900_000n] })
    const hungry = { ...moveOf(address, 10n, 0n, 0n), conversion: { amountIn: 10n, leastOut: 0n, router, data: burn } }
    // It needs more than a conversion ever gets, so it fails alike with the estimate and with far more.
    const first = await convert(terms, hungry)
    const second = await convert(terms, { ...hungry, nonce: nonces++ }, { gas: 14_000_000n })
    expect([names(first), names(second)]).toEqual([['NotConverted'], ['NotConverted']])
    const move = moveOf(address, 1_000_000n, 990_000n, 0n)
    for (const gas of [300_000n, 1_000_000n, 2_000_000n]) expect(await convert(terms, move, { gas })).toEqual(failed('reverted'))
    expect(names(await convert(terms, move))).toEqual(['Converted', 'Paid'])
  })

  test('behavior: what the recipient cannot take stays at the address, converted', async () => {
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    const recipient = recipientOf(terms)
    await bench.setup.call(owner, { address: usdc, abi: TestDollar.abi, functionName: 'blacklist', args: [recipient] })
    expect(names(await convert(terms, moveOf(address, 1_000_000n, 990_000n, 500n)))).toEqual(['Converted', 'NotPaid', 'NotPaid'])
    expect(await bench.balance(address, usdc)).toBeGreaterThan(990_000n)
  })

  const tradeOf = (tokenIn: string) => ({
    tokenIn,
    amountIn: 0n,
    tokenOut: usdc,
    amountOut: 0n,
    to: alice.address,
    target: `0x${'0'.repeat(40)}`,
    data: '0x',
  })
})
