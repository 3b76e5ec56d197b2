import { decodeFunctionData, encodeFunctionData, type Address, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Call } from '../../server/chains/evm/call.ts'
import { conversionMove } from '../../server/chains/evm/conversion.ts'
import { convertCall, refundCall, releaseCall, settleCall } from '../../server/chains/evm/factory-calls.ts'
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
let nonces = 1n
beforeAll(async () => {
  bench = await startFactoryBench()
  usdc = bench.setup.token('USDC')
  usdt = bench.setup.token('USDT')
})
afterAll(() => bench?.setup.stop())

describe('convert', () => {
  const conversionOf = (address: string, amountIn: bigint, minOut: bigint, fee: bigint): Move => ({
    tokenIn: usdt,
    tokenOut: usdc,
    legs: fee > 0n ? [{ to: collector, amount: fee }] : [],
    conversion: conversionMove(bench.setup.config, { route: [usdt, usdc], amountIn, minOut }, address),
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
    const sent = await convert(terms, conversionOf(address, 1_000_000n, 990_000n, 500n))
    expect(names(sent)).toEqual(['Converted', 'Paid', 'Paid'])
    const amountOut = sent.ok ? (sent.events[0]![1].amountOut as bigint) : 0n
    expect(amountOut).toBeGreaterThanOrEqual(990_000n)
    expect(await bench.balance(recipientOf(terms), usdc)).toBe(amountOut - 500n)
    expect((await bench.balance(collector, usdc)) - before).toBe(500n)
    expect([await bench.balance(address, usdc), await bench.balance(address, usdt)]).toEqual([0n, 0n])
  })

  test('behavior: converts coin, and leaves what was there before', async () => {
    const { address, terms } = await bench.holding(null, 10n ** 18n)
    await bench.give(address, usdc, 7n)
    const move: Move = {
      ...conversionOf(address, 10n ** 15n, 1n, 0n),
      tokenIn: null,
      conversion: conversionMove(bench.setup.config, { route: [`0x${'0'.repeat(40)}`, usdc], amountIn: 10n ** 15n, minOut: 1n }, address),
    }
    expect(names(await convert(terms, move))).toEqual(['Converted', 'Paid'])
    expect(await bench.balance(address, usdc)).toBe(7n)
    expect(await bench.balance(address, null)).toBe(10n ** 18n - 10n ** 15n)
  })

  test('behavior: a failure leaves the money, consumes the signature and says why', async () => {
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    const move = conversionOf(address, 1_000_000n, 1_000_001n, 0n)
    const sent = await convert(terms, move)
    expect(names(sent)).toEqual(['NotConverted'])
    expect(await bench.balance(address, usdt)).toBe(1_000_000n)
    expect(await convert(terms, move)).toEqual(failed('NonceUsed'))
    const [allowance] = await bench.setup.anvil.ask([
      'eth_call',
      bench.call('allowance', [address, bench.setup.config.exchange], { address: usdt, abi: TestDollar.abi }),
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
        conversion: conversionMove(bench.setup.config, { route: [usdt, usdc], amountIn: 2_000_000n, minOut: 1n }, alice.address),
      }),
    ],
  ])('behavior: %s converts nothing', async (_, change) => {
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    expect(names(await convert(terms, change(conversionOf(address, 1_000_000n, 990_000n, 0n))))).toEqual(['NotConverted'])
    expect(await bench.balance(address, usdt)).toBe(1_000_000n)
  })

  test('error: nothing of what was signed can be changed, and a refund’s signature converts nothing', async () => {
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    const move = conversionOf(address, 1_000_000n, 990_000n, 500n)
    const { signature } = await bench.sign(terms, move)
    const { conversion } = move
    const theft = conversionMove(bench.setup.config, { route: [usdt, usdc], amountIn: 1_000_000n, minOut: 0n }, alice.address)
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
    const call = convertCall(terms, chainId, await bench.sign(terms, conversionOf(alice.address, 1n, 1n, 0n)))
    const { args } = decodeFunctionData({ abi, data: call.data as Hex }) as { args: readonly unknown[] }
    const [used, swap] = args as [{ settlement: unknown }, unknown]
    const inner = bench.call('convertAndSettle', [`0x${termsHash(terms)}`, alice.address, used.settlement, swap, 0n])
    for (const from of [operator, owner, alice]) expect(await bench.send(inner, from)).toEqual(failed('NotSelf'))
  })

  test('behavior: a router that takes all and pays too little is undone', async () => {
    const router = await hostileRouter()
    const { address, terms } = await bench.holding(usdt, 1_000n)
    const data = hostileTrade({ amountIn: 1_000n, amountOut: 899n, to: address })
    const move = { ...conversionOf(address, 1_000n, 0n, 0n), conversion: { amountIn: 1_000n, leastOut: 900n, router, data } }
    expect(names(await convert(terms, move))).toEqual(['NotConverted'])
    expect(await bench.balance(address, usdt)).toBe(1_000n)
  })

  test('behavior: a router cannot take more than was signed, nor keep an allowance', async () => {
    const router = await hostileRouter()
    const { address, terms } = await bench.holding(usdt, 1_000n)
    const greedy = hostileTrade({ amountIn: 501n, amountOut: 900n, to: address })
    const move = { ...conversionOf(address, 500n, 0n, 0n), conversion: { amountIn: 500n, leastOut: 900n, router, data: greedy } }
    expect(names(await convert(terms, move))).toEqual(['NotConverted'])
    const lazy = hostileTrade({ amountIn: 400n, amountOut: 900n, to: address })
    const fair = { ...conversionOf(address, 500n, 0n, 0n), conversion: { amountIn: 500n, leastOut: 900n, router, data: lazy } }
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
      const move = { ...conversionOf(address, 100n, 0n, 0n), conversion: { amountIn: 100n, leastOut: 90n, router, data } }
      expect(names(await convert(terms, move))).toEqual(outcome)
    }
    expect(await bench.balance(address, usdc)).toBe(100n)
  })

  test('behavior: a hostile token cannot make a conversion revert with a long answer', async () => {
    const token = (await bench.setup.deploy(TestTaxToken)) as Address
    const { address, terms } = await bench.holding(usdt, 10n, { destinations: [bench.destination(token)] })
    await bench.send(bench.call('setLoud', [true], { address: token, abi: TestTaxToken.abi }))
    const move = { ...conversionOf(address, 10n, 1n, 0n), tokenOut: token }
    const sent = await convert(terms, move)
    expect(names(sent)).toEqual(['NotConverted'])
    expect(await bench.read('isNonceUsed', [`0x${termsHash(terms)}`, move.nonce])).toBe(true)
  })

  test('error: whether it converts never depends on the gas limit', async () => {
    const router = await hostileRouter()
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    const burn = encodeFunctionData({ abi: TestRouter.abi, functionName: 'burn', args: [1_900_000n] })
    const hungry = { ...conversionOf(address, 10n, 0n, 0n), conversion: { amountIn: 10n, leastOut: 0n, router, data: burn } }
    // It needs more than a conversion ever gets, so it fails alike with the estimate and with far more.
    const first = await convert(terms, hungry)
    const second = await convert(terms, { ...hungry, nonce: nonces++ }, { gas: 14_000_000n })
    expect([names(first), names(second)]).toEqual([['NotConverted'], ['NotConverted']])
    const move = conversionOf(address, 1_000_000n, 990_000n, 0n)
    for (const gas of [300_000n, 1_000_000n, 2_000_000n]) expect(await convert(terms, move, { gas })).toEqual(failed('reverted'))
    expect(names(await convert(terms, move))).toEqual(['Converted', 'Paid'])
  })

  test('behavior: what the recipient cannot take stays at the address, converted', async () => {
    const { address, terms } = await bench.holding(usdt, 1_000_000n)
    const recipient = recipientOf(terms)
    await bench.setup.call(owner, { address: usdc, abi: TestDollar.abi, functionName: 'blacklist', args: [recipient] })
    expect(names(await convert(terms, conversionOf(address, 1_000_000n, 990_000n, 500n)))).toEqual(['Converted', 'NotPaid', 'NotPaid'])
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
