import { encodeFunctionData, getAddress, keccak256, type Address } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { settleBatchCall, settleCall, type Settling } from '../../server/chains/evm/factory-calls.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestFalseToken } from '../../server/chains/evm/contracts/artifacts/TestFalseToken.ts'
import { TestPuppet } from '../../server/chains/evm/contracts/artifacts/TestPuppet.ts'
import { TestReceiver } from '../../server/chains/evm/contracts/artifacts/TestReceiver.ts'
import { TestTaxToken } from '../../server/chains/evm/contracts/artifacts/TestTaxToken.ts'
import { codeCall } from '../../server/chains/evm/rpc-calls.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { termsHash } from '../../src/wire/terms/terms-hash.ts'
import { abi, chainId, collector, type FactoryBench, names, startFactoryBench } from './factory-support.ts'
import { alice, bob, operator, owner, signal } from './support.ts'

let bench: FactoryBench
let usdc: Address
beforeAll(async () => {
  bench = await startFactoryBench()
  usdc = bench.setup.token('USDC')
})
afterAll(() => bench?.setup.stop())

const settling = (terms: OrderTerms, token: string | null, toRecipient: bigint, fee = 0n): Settling => ({
  terms,
  chainId,
  token,
  toRecipient,
  fee,
})
const settle = (terms: OrderTerms, token: string | null, toRecipient: bigint, fee = 0n) =>
  bench.send(settleCall(settling(terms, token, toRecipient, fee)))
/** Returns a paid order that settles in this token only. */
async function paid(token: string | null, amount: bigint, more: Parameters<FactoryBench['destination']>[1] = {}) {
  const order = bench.order({ destinations: [bench.destination(token, more)] })
  if (amount > 0n) await bench.give(order.address, token, amount)
  return { ...order, recipient: order.terms.settlements[0]!.recipient }
}

describe('settle', () => {
  test('default: pays the recipient and the collector, with events that name terms, role, token, receiver and amount', async () => {
    const { address, terms, recipient } = await paid(usdc, 1_000n)
    const before = await bench.balance(collector, usdc)
    const sent = await settle(terms, usdc, 900n, 9n)
    const to = { terms: `0x${termsHash(terms)}`, token: getAddress(usdc) }
    expect(sent).toMatchObject({
      ok: true,
      events: [
        ['Paid', { ...to, role: 0, to: recipient, amount: 900n }],
        ['Paid', { ...to, role: 1, to: collector, amount: 9n }],
      ],
    })
    expect(await bench.balance(recipient, usdc)).toBe(900n)
    expect((await bench.balance(collector, usdc)) - before).toBe(9n)
    expect(await bench.balance(address, usdc)).toBe(91n)
  })

  test('behavior: pays native coin, and several times', async () => {
    const { terms, recipient } = await paid(null, 1_000n)
    for (const amount of [300n, 700n]) expect(names(await settle(terms, null, amount))).toEqual(['Paid'])
    expect(await bench.balance(recipient, null)).toBe(1_000n)
  })

  test.each([
    ['a stranger', alice],
    ['the owner', owner],
  ])('error: %s is no operator', async (_, from) => {
    const { terms } = await paid(usdc, 10n)
    expect(await bench.send(settleCall(settling(terms, usdc, 10n)), from)).toEqual({ ok: false, error: 'NotOperator' })
    expect(await bench.send(settleBatchCall([settleCall(settling(terms, usdc, 10n))]), from)).toEqual({ ok: false, error: 'NotOperator' })
  })

  test('error: the settlement is one of another chain', async () => {
    const { terms } = bench.order()
    const call = settleCall({ ...settling(terms, usdc, 1n), chainId: 1 })
    expect(await bench.send(call)).toEqual({ ok: false, error: 'NotThisChain' })
  })

  test('behavior: changed terms move nothing, since they have another address', async () => {
    const { address, terms } = await paid(usdc, 10n)
    const [settlement] = terms.settlements
    const changes: OrderTerms[] = [
      { ...terms, order_id: 'another' },
      { ...terms, guard: alice.address },
      { ...terms, default_recipient: alice.address },
      { ...terms, release_at: terms.release_at - 1 },
      ...[
        { recipient: alice.address },
        { fee_collector: alice.address },
        { max_fee_bps: 10_000 },
        { max_fee_flat: '1000000' },
        { first_of_chain: !settlement!.first_of_chain },
      ].map((change) => ({ ...terms, settlements: [{ ...settlement!, ...change }] })),
    ]
    for (const changed of changes) expect(names(await settle(changed, usdc, 10n))).toEqual(['NotPaid'])
    expect(await bench.balance(address, usdc)).toBe(10n)
  })

  test('behavior: a token that returns nothing is paid; one that returns false, or is not there, is not', async () => {
    const usdt = bench.setup.token('USDT')
    expect(names(await settle((await paid(usdt, 10n)).terms, usdt, 10n))).toEqual(['Paid'])
    for (const token of [await bench.setup.deploy(TestFalseToken), bench.fresh()]) {
      expect(names(await settle((await paid(token, 0n)).terms, token, 10n, 1n))).toEqual(['NotPaid', 'NotPaid'])
    }
  })

  test('behavior: of a token that taxes transfers the recipient gets what the tax leaves', async () => {
    const token = await bench.setup.deploy(TestTaxToken)
    const { address, terms, recipient } = await paid(token, 0n)
    await bench.send(bench.call('mint', [address, 1_000n], { address: token, abi: TestTaxToken.abi }))
    expect(names(await settle(terms, token, 900n, 9n))).toEqual(['Paid', 'Paid'])
    expect([await bench.balance(recipient, token), await bench.balance(address, token)]).toEqual([810n, 91n])
    expect(names(await settle(terms, token, 100n))).toEqual(['NotPaid'])
  })
})

describe('fees', () => {
  test('behavior: no fee is paid where the recipient could not be', async () => {
    const { address, terms, recipient } = await paid(usdc, 1_000n)
    await bench.setup.call(owner, { address: usdc, abi: TestDollar.abi, functionName: 'blacklist', args: [recipient] })
    expect(names(await settle(terms, usdc, 900n, 9n))).toEqual(['NotPaid', 'NotPaid'])
    expect(await bench.balance(address, usdc)).toBe(1_000n)
    expect(await bench.read('flatFeePaid', [`0x${termsHash(terms)}`, usdc])).toBe(0n)
  })

  test('behavior: the flat fee is one sum over all calls, and the share is of what each call moves', async () => {
    const { terms } = await paid(usdc, 100_000n)
    const hash = `0x${termsHash(terms)}`
    // 1 % of 10,000 is 100, so 300 of 400 are flat.
    expect(names(await settle(terms, usdc, 9_600n, 400n))).toEqual(['Paid', 'Paid'])
    expect(await bench.read('flatFeePaid', [hash, usdc])).toBe(300n)
    expect(await settle(terms, usdc, 9_699n, 301n)).toEqual({ ok: false, error: 'FeeAboveCap' })
    expect(names(await settle(terms, usdc, 9_700n, 300n))).toEqual(['Paid', 'Paid'])
    expect(await bench.read('flatFeePaid', [hash, usdc])).toBe(500n)
    expect(await settle(terms, usdc, 0n, 1n)).toEqual({ ok: false, error: 'FeeAboveCap' })
    expect(names(await settle(terms, usdc, 9_900n, 100n))).toEqual(['Paid', 'Paid'])
  })

  test('behavior: a fee that could not be paid uses up nothing of the flat fee', async () => {
    const unlucky = bench.fresh()
    await bench.setup.call(owner, { address: usdc, abi: TestDollar.abi, functionName: 'blacklist', args: [unlucky] })
    const { terms } = await paid(usdc, 1_000n, { feeCollector: unlucky, maxFeeBps: 0 })
    expect(names(await settle(terms, usdc, 100n, 500n))).toEqual(['Paid', 'NotPaid'])
    expect(await bench.read('flatFeePaid', [`0x${termsHash(terms)}`, usdc])).toBe(0n)
    await bench.setup.call(owner, { address: usdc, abi: TestDollar.abi, functionName: 'unBlacklist', args: [unlucky] })
    expect(names(await settle(terms, usdc, 100n, 500n))).toEqual(['Paid', 'Paid'])
  })

  test('behavior: a thousand small settles take no more than one large one', async () => {
    const { address, terms } = await paid(usdc, 100_000n)
    const before = await bench.balance(collector, usdc)
    for (let batch = 0; batch < 25; batch++) {
      const parts = Array.from({ length: 20 }, () => settling(terms, usdc, 99n, 1n))
      await bench.send(settleBatchCall(parts.map(settleCall)))
      await bench.send(settleBatchCall(Array.from({ length: 20 }, () => settling(terms, usdc, 0n, 100n)).map(settleCall)))
    }
    const fees = (await bench.balance(collector, usdc)) - before
    const left = await bench.balance(address, usdc)
    expect(fees).toBeLessThanOrEqual(500n + (100_000n - left) / 100n)
    expect(await bench.read('flatFeePaid', [`0x${termsHash(terms)}`, usdc])).toBe(495n)
  })

  test.each([
    ['the collector', 'feeCollector'],
    ['the recipient', 'recipient'],
  ])('behavior: an operator with code who is also %s gets no further with reentrancy', async (_, role) => {
    const puppet = (await bench.setup.deploy(TestPuppet, [], 10n ** 18n)) as Address
    await bench.send(bench.call('setOperator', [puppet, true]), owner)
    const { address, terms } = await paid(null, 10_000n, { [role]: puppet, maxFeeBps: 0 })
    const again = settleCall(settling(terms, null, 0n, 300n))
    await bench.send(bench.call('prepare', [bench.factory, again.data, 3n], { address: puppet, abi: TestPuppet.abi }))
    await bench.send(bench.call('run', [bench.factory, again.data], { address: puppet, abi: TestPuppet.abi }))
    expect(await bench.read<bigint>('flatFeePaid', [`0x${termsHash(terms)}`, `0x${'0'.repeat(40)}`])).toBeLessThanOrEqual(500n)
    expect(await bench.balance(address, null)).toBeGreaterThanOrEqual(9_500n)
    await bench.send(bench.call('setOperator', [puppet, false]), owner)
  })

  test('behavior: a token that calls the factory back has no rights there', async () => {
    const token = (await bench.setup.deploy(TestPuppet)) as Address
    const { terms } = await paid(token, 0n)
    const victim = await paid(usdc, 50n)
    await bench.send(
      bench.call('prepare', [bench.factory, settleCall(settling(victim.terms, usdc, 50n)).data, 1n], {
        address: token,
        abi: TestPuppet.abi,
      }),
    )
    expect(names(await settle(terms, token, 5n))).toEqual(['Paid'])
    expect(await bench.balance(victim.address, usdc)).toBe(50n)
  })
})

describe('gas', () => {
  test.each([
    ['refuses', 1],
    ['burns all gas', 2],
    ['answers with 120 kB', 3],
  ])('behavior: a recipient that %s takes no gas from the next order of a batch', async (_, manner) => {
    const hostile = (await bench.setup.deploy(TestReceiver, [manner])) as Address
    const orders = [await paid(null, 10n, { recipient: hostile }), await paid(null, 10n), await paid(null, 10n, { feeCollector: hostile })]
    const sent = await bench.send(settleBatchCall(orders.map(({ terms }, i) => settling(terms, null, 8n, BigInt(i))).map(settleCall)))
    expect(names(sent)).toEqual(['NotPaid', 'Paid', 'Paid', 'Paid', 'NotPaid'])
  })

  test('behavior: recipients that burn gas on the chain, and not in the estimate, do not make a batch revert', async () => {
    const hostile = (await bench.setup.deploy(TestReceiver, [4])) as Address
    const orders = []
    for (let i = 0; i < 20; i++) orders.push(await paid(null, 10n, i < 19 ? { recipient: hostile, feeCollector: hostile } : {}))
    const sent = await bench.send(settleBatchCall(orders.map(({ terms }) => settling(terms, null, 8n, 2n)).map(settleCall)), operator, {
      gasPrice: 10n ** 10n,
    })
    expect(names(sent)).toEqual([...Array.from({ length: 38 }, () => 'NotPaid'), 'Paid', 'Paid'])
    expect(await bench.balance(orders[19]!.recipient, null)).toBe(8n)
  })

  test('error: less gas than the estimate moves nothing, at any limit', async () => {
    const { address, terms } = await paid(usdc, 1_000n)
    const call = settleCall(settling(terms, usdc, 900n, 9n))
    for (let gas = 60_000n; gas < 480_000n; gas += 30_000n) {
      expect(await bench.send(call, operator, { gas })).toEqual({ ok: false, error: 'reverted' })
    }
    expect(await bench.balance(address, usdc)).toBe(1_000n)
    expect(names(await bench.send(call))).toEqual(['Paid', 'Paid'])
  })

  test('error: a batch of two with gas for one moves nothing', async () => {
    const orders = [await paid(usdc, 10n), await paid(usdc, 10n)]
    const call = settleBatchCall(orders.map(({ terms }) => settleCall(settling(terms, usdc, 10n))))
    expect(await bench.send(call, operator, { gas: 1_000_000n })).toEqual({ ok: false, error: 'reverted' })
    expect(await bench.balance(orders[0]!.address, usdc)).toBe(10n)
  })
})

describe('settleBatch', () => {
  test('behavior: what is not a settle, is malformed or above a cap is reported by its place, and the others are settled', async () => {
    const [first, second, third] = [await paid(usdc, 10n), await paid(usdc, 10n), await paid(usdc, 10n)]
    const data = (terms: OrderTerms, fee = 0n) => settleCall(settling(terms, usdc, 10n, fee)).data as Address
    const conversion = encodeFunctionData({ abi, functionName: 'setOperator', args: [alice.address as Address, true] })
    const items = [data(first.terms), conversion, data(second.terms, 900n), data(second.terms).slice(0, 200), '0x12', data(third.terms)]
    const sent = await bench.send(bench.call('settleBatch', [items]))
    const word = (error: string) => keccak256(new TextEncoder().encode(`${error}()`)).slice(0, 10)
    expect(sent).toMatchObject({
      ok: true,
      events: [
        ['Paid', { to: first.recipient }],
        ['OrderFailed', { index: 1n, reason: expect.stringContaining(word('NotSettle')) }],
        ['OrderFailed', { index: 2n }],
        ['OrderFailed', { index: 3n }],
        ['OrderFailed', { index: 4n, reason: expect.stringContaining(word('NotSettle')) }],
        ['Paid', { to: third.recipient }],
      ],
    })
    expect(await bench.balance(second.address, usdc)).toBe(10n)
  })

  test('behavior: the same order may be in it twice, in both its tokens', async () => {
    const { address, terms } = bench.order()
    await bench.give(address, usdc, 10n)
    await bench.give(address, null, 20n)
    expect(names(await bench.send(settleBatchCall([settling(terms, usdc, 10n), settling(terms, null, 20n)].map(settleCall))))).toEqual([
      'Paid',
      'Paid',
    ])
  })

  test('behavior: an empty batch is nothing', async () => {
    expect(names(await bench.send(bench.call('settleBatch', [[]])))).toEqual([])
  })
})

test('behavior: gas of a settlement stays what the decision record says', async () => {
  await bench.give(bob.address, usdc, 1n)
  const orders = []
  for (let i = 0; i < 21; i++) orders.push(await paid(usdc, 10n, { recipient: bob.address }))
  const [alone, ...batch] = orders.map(({ terms }) => settling(terms, usdc, 10n))
  const single = await bench.send(settleCall(alone!))
  const batched = await bench.send(settleBatchCall(batch.map(settleCall)))
  expect(single.ok && single.gasUsed).toBeLessThan(98_500n)
  expect(batched.ok && batched.gasUsed / 20n).toBeLessThan(67_000n)
  expect((await bench.setup.chain.rpc.read(signal, codeCall(orders[0]!.address)))[0].length).toBe(2 + 2 * 56)
})
