import { encodeFunctionData, erc20Abi, zeroAddress, type Address } from 'viem'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Leg, SettlementCall, SettlementResult } from '../../server/chains/chain.ts'
import { balanceCall, codeCall, gasCall, receiptCall, receiptOf } from '../../server/chains/evm/rpc-calls.ts'
import { LocalExchange } from '../../server/chains/evm/contracts/artifacts/LocalExchange.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestFalseToken } from '../../server/chains/evm/contracts/artifacts/TestFalseToken.ts'
import { TestReceiver } from '../../server/chains/evm/contracts/artifacts/TestReceiver.ts'
import { TestSender } from '../../server/chains/evm/contracts/artifacts/TestSender.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { orderSalt } from '../../server/chains/evm/factory.ts'
import { startLocalChains } from '../../local/chains.ts'
import { full } from '../support/full.ts'
import { alice, bob, operator, owner, signal, startTestChain, testChain, type TestChain } from './support.ts'

let setup: TestChain
let factory: Address
let orders = 0

beforeAll(async () => {
  setup = await startTestChain()
  factory = setup.config.factory.address as Address
})
afterAll(() => setup?.stop())

const freshOrder = () => `order-${orders++}`
const at = (orderId: string) => setup.chain.depositAddress(orderId)
const fresh = () => at(`recipient-${orders++}`)
const dollars = (address: string, symbol = 'USDC') => balance(address, setup.token(symbol))
const balance = async (address: string, token: string | null) =>
  (await setup.chain.balances([address], token, (await setup.chain.head(signal)).number, signal))[0]!

/** Adds a quarter to the gas estimate, as the sender does. */
async function settle(request: SettlementCall, from = operator): Promise<SettlementResult & { ok: boolean; gasUsed: bigint }> {
  const call = setup.chain.settlement(request)
  const [estimate] = await setup.chain.rpc.attempt(signal, gasCall({ from: from.address, ...call }, 'latest'))
  if ('error' in estimate) throw estimate.error
  await setup.anvil.ask(['anvil_impersonateAccount', from.address])
  const gas = `0x${((estimate.value * 5n) / 4n).toString(16)}`
  const [hash] = await setup.anvil.ask(['eth_sendTransaction', { from: from.address, to: call.to, data: call.data, gas }])
  await setup.mine()
  const [receipt] = await setup.chain.rpc.read(signal, receiptCall(String(hash)))
  const read = receiptOf(receipt!)
  return { ...setup.chain.settlementResult(read), ok: read.ok, gasUsed: read.gasUsed }
}

const usdc = (legs: readonly Leg[], orderId: string): SettlementCall => ({ orderId, token: setup.token('USDC'), legs })

describe('deposit address', () => {
  test('behavior: is the same on both local chains and as predicted by the factory', async () => {
    const local = await startLocalChains({ mining: 'auto' })
    try {
      const [base, ethereum] = [testChain(local, 0), testChain(local, 1)]
      expect(base.chain.id).not.toBe(ethereum.chain.id)
      for (const orderId of ['a', 'ord_9f', 'ü']) expect(base.chain.depositAddress(orderId)).toBe(ethereum.chain.depositAddress(orderId))
      const data = encodeFunctionData({ abi: TillFactory.abi, functionName: 'addressOf', args: [orderSalt('a')] })
      for (const each of [base, ethereum]) {
        const [computed] = await each.anvil.ask(['eth_call', { to: each.config.factory.address, data }, 'latest'])
        expect(`0x${String(computed).slice(26)}`).toBe(each.chain.depositAddress('a'))
      }
    } finally {
      await local.stop()
    }
  })

  test('behavior: receives money before and after it is deployed', async () => {
    const orderId = freshOrder()
    const [first, second] = [fresh(), fresh()]
    await setup.sendToken(alice, 'USDC', at(orderId), 10n)
    expect((await setup.chain.rpc.read(signal, codeCall(at(orderId))))[0]).toBe('0x')
    expect(await settle(usdc([{ to: first, amount: 10n }], orderId))).toMatchObject({ ok: true, paid: [true] })
    expect((await setup.chain.rpc.read(signal, codeCall(at(orderId))))[0]).not.toBe('0x')
    await setup.sendToken(alice, 'USDC', at(orderId), 4n)
    expect(await settle(usdc([{ to: second, amount: 4n }], orderId))).toMatchObject({ ok: true, paid: [true] })
    expect([await dollars(first), await dollars(second), await dollars(at(orderId))]).toEqual([10n, 4n, 0n])
  })

  test('behavior: receives native coin from a wallet that forwards only 2,300 gas, before and after deployment', async () => {
    const orderId = freshOrder()
    const wallet = await setup.deploy(TestSender, [owner.address], 100n)
    const pay = () => setup.call(owner, { address: wallet, abi: TestSender.abi, functionName: 'send', args: [at(orderId), 40n] })
    const to = fresh()
    const hash = await pay()
    // An internal transfer emits no log, so only the balance shows it.
    expect((await setup.chain.transaction(hash, signal))?.transfers).toEqual([])
    expect(await balance(at(orderId), null)).toBe(40n)
    expect(await settle({ orderId, token: null, legs: [{ to, amount: 40n }] })).toMatchObject({ paid: [true] })
    await pay()
    expect(await settle({ orderId, token: null, legs: [{ to, amount: 40n }] })).toMatchObject({ paid: [true] })
    expect(await balance(to, null)).toBe(80n)
  })

  test('behavior: is cheap to deploy and to empty', async () => {
    const orderId = freshOrder()
    await setup.sendToken(alice, 'USDC', at(orderId), 10n)
    const { gasUsed } = await settle(usdc([{ to: alice.address, amount: 10n }], orderId))
    expect(gasUsed).toBeLessThan(150_000n)
  })
})

describe('legs', () => {
  test('behavior: pays a token that returns nothing', async () => {
    const [orderId, to] = [freshOrder(), fresh()]
    await setup.sendToken(alice, 'USDT', at(orderId), 6n)
    expect(await settle({ orderId, token: setup.token('USDT'), legs: [{ to, amount: 6n }] })).toMatchObject({ paid: [true] })
    expect(await dollars(to, 'USDT')).toBe(6n)
  })

  test('behavior: leaves a blacklisted recipient’s money in place and pays the other legs', async () => {
    const orderId = freshOrder()
    const [good, bad, later] = [fresh(), fresh(), fresh()]
    await setup.call(owner, { address: setup.token('USDC'), abi: TestDollar.abi, functionName: 'blacklist', args: [bad] })
    await setup.sendToken(alice, 'USDC', at(orderId), 30n)
    const legs = [good, bad, later].map((to) => ({ to, amount: 10n }))
    expect(await settle(usdc(legs, orderId))).toMatchObject({ ok: true, paid: [true, false, true] })
    expect([await dollars(good), await dollars(bad), await dollars(later), await dollars(at(orderId))]).toEqual([10n, 0n, 10n, 10n])
  })

  test('behavior: leaves a leg unpaid when the balance does not cover it', async () => {
    const [orderId, first, second] = [freshOrder(), fresh(), fresh()]
    await setup.sendToken(alice, 'USDC', at(orderId), 15n)
    const legs = [first, second].map((to) => ({ to, amount: 10n }))
    expect(await settle(usdc(legs, orderId))).toMatchObject({ paid: [true, false] })
    const native = { orderId, token: null, legs: [{ to: first, amount: 1n }] }
    expect(await settle(native)).toMatchObject({ paid: [false] })
  })

  test('behavior: treats a missing token, and one that returns false, as unpaid', async () => {
    const orderId = freshOrder()
    const returnsFalse = await setup.deploy(TestFalseToken)
    for (const token of [fresh(), returnsFalse]) {
      expect(await settle({ orderId, token, legs: [{ to: alice.address, amount: 1n }] })).toMatchObject({ ok: true, paid: [false] })
    }
  })

  test.each([
    ['refuses', 1],
    ['burns all gas', 2],
    ['answers with 120 kB', 3],
  ])('behavior: is not blocked by a receiver that %s', async (_, behavior) => {
    const [orderId, to] = [freshOrder(), fresh()]
    const hostile = await setup.deploy(TestReceiver, [behavior])
    await setup.sendNative(alice, at(orderId), 50n)
    const legs = [
      { to: hostile, amount: 10n },
      { to, amount: 20n },
      { to: hostile, amount: 5n },
      { to, amount: 15n },
    ]
    expect(await settle({ orderId, token: null, legs })).toMatchObject({ ok: true, paid: [false, true, false, true] })
    expect([await balance(to, null), await balance(at(orderId), null)]).toEqual([35n, 15n])
  })

  test('error: requires gas for the worst case, so that an estimate never starves a leg', async () => {
    const orderId = freshOrder()
    await setup.sendToken(alice, 'USDC', at(orderId), 10n)
    const call = setup.chain.settlement(usdc([{ to: alice.address, amount: 10n }], orderId))
    await setup.anvil.ask(['anvil_impersonateAccount', operator.address])
    const [hash] = await setup.anvil.ask(['eth_sendTransaction', { from: operator.address, to: call.to, data: call.data, gas: '0x493e0' }])
    await setup.mine()
    const [receipt] = await setup.chain.rpc.read(signal, receiptCall(String(hash)))
    expect(receipt?.status).toBe(0n)
    expect(await dollars(at(orderId))).toBe(10n)
  })

  test('property: what is paid and what stays is what was there', async () => {
    const recipients = [alice.address, bob.address, fresh(), fresh()]
    await fc.assert(
      fc.asyncProperty(
        fc.bigInt({ min: 0n, max: 1000n }),
        fc.array(fc.record({ to: fc.constantFrom(...recipients), amount: fc.bigInt({ min: 0n, max: 400n }) }), { maxLength: 6 }),
        async (funds, legs) => {
          const orderId = freshOrder()
          if (funds > 0n) await setup.sendToken(alice, 'USDT', at(orderId), funds)
          const { ok, paid } = await settle({ orderId, token: setup.token('USDT'), legs })
          let left = funds
          const expected = legs.map(({ amount }) => {
            const reaches = amount <= left
            if (reaches) left -= amount
            return reaches
          })
          expect({ ok, paid, left: await dollars(at(orderId), 'USDT') }).toEqual({ ok: true, paid: expected, left })
        },
      ),
      { numRuns: full ? 200 : 15 },
    )
  })
})

describe('permissions', () => {
  test('error: only an operator settles, only the factory moves money', async () => {
    const orderId = freshOrder()
    await setup.sendToken(alice, 'USDC', at(orderId), 10n)
    const request = usdc([{ to: alice.address, amount: 10n }], orderId)
    for (const caller of [alice, owner]) await expect(settle(request, caller)).rejects.toThrow(/revert/)
    await settle(usdc([{ to: alice.address, amount: 1n }], orderId))
    const data = encodeFunctionData({ abi: erc20Abi, functionName: 'transfer', args: [alice.address as Address, 9n] })
    const callData = `${setup.token('USDC')}${''.padStart(128, '0')}${data.slice(2)}`
    for (const from of [alice, operator, owner]) {
      const [answer] = await setup.chain.rpc.attempt(
        signal,
        gasCall({ from: from.address, to: at(orderId), data: callData, value: 0n }, 'latest'),
      )
      expect(answer).toHaveProperty('error')
    }
  })

  test('behavior: rotates operators and transfers ownership in two steps', async () => {
    const own = { address: factory, abi: TillFactory.abi }
    const orderId = freshOrder()
    await setup.sendToken(alice, 'USDC', at(orderId), 10n)
    const request = usdc([{ to: bob.address, amount: 5n }], orderId)
    const failing = async (sent: Promise<string>) => {
      const [receipt] = await setup.chain.rpc.read(signal, receiptCall(await sent))
      expect(receipt?.status).toBe(0n)
    }
    await failing(setup.call(alice, { ...own, functionName: 'setOperator', args: [alice.address, true] }))
    await setup.call(owner, { ...own, functionName: 'setOperator', args: [bob.address, true] })
    await setup.call(owner, { ...own, functionName: 'setOperator', args: [operator.address, false] })
    await expect(settle(request)).rejects.toThrow(/revert/)
    expect(await settle(request, bob)).toMatchObject({ paid: [true] })

    await setup.call(owner, { ...own, functionName: 'offerOwnership', args: [alice.address] })
    await failing(setup.call(bob, { ...own, functionName: 'takeOwnership', args: [] }))
    await setup.call(alice, { ...own, functionName: 'takeOwnership', args: [] })
    await failing(setup.call(owner, { ...own, functionName: 'setOperator', args: [operator.address, true] }))
    await setup.call(alice, { ...own, functionName: 'setOperator', args: [operator.address, true] })
    await setup.call(alice, { ...own, functionName: 'offerOwnership', args: [owner.address] })
    await setup.call(owner, { ...own, functionName: 'takeOwnership', args: [] })
    expect(await settle(request)).toMatchObject({ paid: [true] })
  })
})

describe('conversion', () => {
  const swapCall = (orderId: string, tokenIn: string | null, tokenOut: string | null, amountIn: bigint, to = at(orderId)) =>
    encodeFunctionData({
      abi: LocalExchange.abi,
      functionName: 'swapExactIn',
      args: [[tokenIn, tokenOut].map((token) => (token ?? zeroAddress) as Address), amountIn, 0n, to as Address],
    })

  const convert = (orderId: string, pair: { in: string | null; out: string | null; amountIn: bigint; minOut: bigint }, over: object = {}) =>
    settle({
      orderId,
      token: pair.out,
      legs: [{ to: bob.address, amount: pair.minOut }],
      swap: {
        tokenIn: pair.in,
        amountIn: pair.amountIn,
        minOut: pair.minOut,
        router: setup.config.exchange!,
        data: swapCall(orderId, pair.in, pair.out, pair.amountIn),
        ...over,
      },
    })

  test.each([
    ['a token that returns nothing', 'USDT', 'USDC', 1_000_000n, 990_000n],
    ['18 decimals into 6', 'DAI', 'USDC', 10n ** 18n, 990_000n],
    ['a token into native coin', 'USDC', 'ETH', 2_500_000_000n, 99n * 10n ** 16n],
  ])('behavior: converts %s, then pays', async (_, symbolIn, symbolOut, amountIn, minOut) => {
    const orderId = freshOrder()
    const tokenOut = symbolOut === 'ETH' ? null : setup.token(symbolOut)
    await setup.sendToken(alice, symbolIn, at(orderId), amountIn)
    const before = await balance(bob.address, tokenOut)
    const result = await convert(orderId, { in: setup.token(symbolIn), out: tokenOut, amountIn, minOut })
    expect(result).toMatchObject({ ok: true, paid: [true] })
    expect(result.swapped).toBeGreaterThanOrEqual(minOut)
    expect((await balance(bob.address, tokenOut)) - before).toBe(minOut)
    expect(await balance(at(orderId), tokenOut)).toBe(result.swapped! - minOut)
    const data = encodeFunctionData({
      abi: erc20Abi,
      functionName: 'allowance',
      args: [at(orderId) as Address, setup.config.exchange as Address],
    })
    const [allowance] = await setup.anvil.ask(['eth_call', { to: setup.token(symbolIn), data }, 'latest'])
    expect(BigInt(String(allowance))).toBe(0n)
  })

  test('behavior: converts native coin', async () => {
    const orderId = freshOrder()
    const amountIn = 10n ** 18n
    await setup.sendNative(alice, at(orderId), amountIn)
    const result = await convert(orderId, { in: null, out: setup.token('USDC'), amountIn, minOut: 2_400_000_000n })
    expect(result).toMatchObject({ ok: true, paid: [true] })
    expect((await setup.chain.rpc.read(signal, balanceCall(at(orderId))))[0]).toBe(0n)
  })

  test('error: an output below the minimum reverts everything', async () => {
    const orderId = freshOrder()
    await setup.sendToken(alice, 'USDT', at(orderId), 1_000_000n)
    const pair = { in: setup.token('USDT'), out: setup.token('USDC'), amountIn: 1_000_000n, minOut: 1_100_000n }
    await expect(convert(orderId, pair)).rejects.toThrow(/revert/)
    // The call pays another recipient, so no output returns.
    const stolen = { data: swapCall(orderId, pair.in, pair.out, pair.amountIn, alice.address) }
    await expect(convert(orderId, { ...pair, minOut: 900_000n }, stolen)).rejects.toThrow(/revert/)
    // The router cannot take more than the approved amount.
    const more = { data: swapCall(orderId, pair.in, pair.out, pair.amountIn) }
    await expect(convert(orderId, { ...pair, amountIn: 500_000n, minOut: 400_000n }, more)).rejects.toThrow(/revert/)
    expect(await dollars(at(orderId), 'USDT')).toBe(1_000_000n)
  })

  test('error: refuses routers that are not on the allow list', async () => {
    const orderId = freshOrder()
    await setup.sendToken(alice, 'USDT', at(orderId), 1_000_000n)
    const pair = { in: setup.token('USDT'), out: setup.token('USDC'), amountIn: 1_000_000n, minOut: 900_000n }
    for (const router of [alice.address, setup.token('DAI')]) await expect(convert(orderId, pair, { router })).rejects.toThrow(/revert/)
  })
})
