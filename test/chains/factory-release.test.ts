import type { Address } from 'viem'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { releaseCall, releaseOtherCall, settleCall } from '../../server/chains/evm/factory-calls.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestPuppet } from '../../server/chains/evm/contracts/artifacts/TestPuppet.ts'
import { TestReceiver } from '../../server/chains/evm/contracts/artifacts/TestReceiver.ts'
import { TestTaxToken } from '../../server/chains/evm/contracts/artifacts/TestTaxToken.ts'
import type { DepositAsk } from '../../server/chains/chain.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { termsHash } from '../../src/wire/terms/terms-hash.ts'
import { chainId, collector, type FactoryBench, failed, names, startFactoryBench } from './factory-support.ts'
import { alice, bob, operator, owner } from './support.ts'

const day = 24 * 60 * 60
let bench: FactoryBench
let usdc: Address
let usdt: Address
beforeAll(async () => {
  bench = await startFactoryBench()
  usdc = bench.setup.token('USDC')
  usdt = bench.setup.token('USDT')
})
afterAll(() => bench?.setup.stop())

const release = (terms: OrderTerms, token: string | null, from = alice) => bench.send(releaseCall({ terms, chainId, token }), from)
const releaseOther = (terms: OrderTerms, token: string | null, from: { address: string }) =>
  bench.send(releaseOtherCall(terms, token), from)
/** Its release time has passed. */
async function released(more: Partial<DepositAsk> = {}) {
  return bench.order({ releaseAt: (await bench.now()) - 5, ...more })
}

test('default: after the release time anybody sends all of a settlement’s token to its recipient, without a fee', async () => {
  const { address, terms } = await released()
  await bench.give(address, usdc, 100n)
  await bench.give(address, null, 70n)
  const before = await bench.balance(collector, usdc)
  const recipientOf = (token: string | null) =>
    terms.settlements.find((each) => each.chain_id === chainId && (each.token === null) === (token === null))!.recipient
  expect(await release(terms, usdc)).toMatchObject({
    ok: true,
    events: [['Paid', { terms: `0x${termsHash(terms)}`, role: 0, to: recipientOf(usdc), amount: 100n }]],
  })
  expect(names(await release(terms, null))).toEqual(['Paid'])
  expect([await bench.balance(recipientOf(usdc), usdc), await bench.balance(recipientOf(null), null)]).toEqual([100n, 70n])
  expect(await bench.balance(collector, usdc)).toBe(before)
})

test('error: a second before the release time nobody can release, at it everybody can', async () => {
  const releaseAt = (await bench.now()) + 1_000
  const { address, terms } = bench.order({ releaseAt })
  await bench.give(address, usdc, 1n)
  for (const from of [alice, operator, owner]) expect(await release(terms, usdc, from)).toEqual(failed('NotYet'))
  await bench.setup.anvil.ask(['evm_setNextBlockTimestamp', releaseAt - 1])
  expect(await bench.send(releaseCall({ terms, chainId, token: usdc }), alice, { gas: 200_000n })).toEqual(failed('reverted'))
  await bench.setup.anvil.ask(['evm_setNextBlockTimestamp', releaseAt])
  expect(names(await bench.send(releaseCall({ terms, chainId, token: usdc }), alice, { gas: 200_000n }))).toEqual(['Paid'])
})

test('error: there is nothing to release, and a settlement of another chain is none', async () => {
  const { terms } = await released()
  expect(await release(terms, usdc)).toEqual(failed('NothingToRelease'))
  expect(await bench.send(releaseCall({ terms, chainId: 1, token: usdc }), alice)).toEqual(failed('NotThisChain'))
})

test('behavior: a recipient who cannot be paid makes the release fail, and everything stays', async () => {
  const { address, terms } = await released({
    destinations: [bench.destination(usdc), bench.destination(null, { recipient: await bench.setup.deploy(TestReceiver, [1]) })],
  })
  await bench.give(address, usdc, 10n)
  await bench.give(address, null, 10n)
  const { recipient } = terms.settlements.find(({ token }) => token !== null)!
  await bench.setup.call(owner, { address: usdc, abi: TestDollar.abi, functionName: 'blacklist', args: [recipient] })
  expect(await release(terms, usdc)).toEqual(failed('NotReleased'))
  expect(await release(terms, null)).toEqual(failed('NotReleased'))
  expect([await bench.balance(address, usdc), await bench.balance(address, null)]).toEqual([10n, 10n])
})

test('behavior: a release may need any amount of gas, so it still works if everything should cost ten times as much one day', async () => {
  const token = (await bench.setup.deploy(TestPuppet)) as Address
  const burner = (await bench.setup.deploy(TestPuppet)) as Address
  // The recipient makes a long call when it is paid.
  const { address, terms } = await released({ destinations: [bench.destination(null, { recipient: burner })] })
  await bench.give(address, null, 10n)
  const long = bench.call('prepare', [token, `0x${'ab'.repeat(2_000)}`, 5n], { address: token, abi: TestPuppet.abi })
  await bench.send(bench.call('prepare', [token, long.data, 1n], { address: burner, abi: TestPuppet.abi }))
  const sent = await bench.send(releaseCall({ terms, chainId, token: null }), alice, { gas: 4_000_000n })
  expect(sent.ok && sent.gasUsed).toBeGreaterThan(1_000_000n)
  expect(await bench.balance(burner, null)).toBe(10n)
})

test('behavior: a token whose balances cannot be read is not released', async () => {
  const token = (await bench.setup.deploy(TestTaxToken)) as Address
  const { terms } = await released({ destinations: [bench.destination(token)] })
  await bench.send(bench.call('setLoud', [true], { address: token, abi: TestTaxToken.abi }))
  expect(await release(terms, token)).toEqual(failed('NoBalance'))
  const missing = bench.fresh()
  const other = await released({ destinations: [bench.destination(missing)] })
  expect(await release(other.terms, missing)).toEqual(failed('NoBalance'))
})

test('behavior: an operator can still settle after the release time', async () => {
  const { address, terms } = await released()
  await bench.give(address, usdc, 10n)
  expect(names(await bench.send(settleCall({ terms, chainId, token: usdc, toRecipient: 10n, fee: 0n })))).toEqual(['Paid'])
})

test('behavior: the recipient of the chain’s first settlement takes any other token, and nobody else', async () => {
  const { address, terms } = await released({
    destinations: [
      bench.destination(usdc, { recipient: bob.address }),
      bench.destination(null, { recipient: alice.address }),
      { ...bench.destination(usdc, { recipient: operator.address }), chainId: 1 },
    ],
  })
  await bench.give(address, usdt, 50n)
  for (const from of [alice, operator, owner]) expect(await releaseOther(terms, usdt, from)).toEqual(failed('NotReleaser'))
  const before = await bench.balance(bob.address, usdt)
  expect(names(await releaseOther(terms, usdt, bob))).toEqual(['Paid'])
  expect((await bench.balance(bob.address, usdt)) - before).toBe(50n)
  await bench.give(address, usdc, 10n)
  // The settlements' tokens are for their recipients, also on this way.
  for (const token of [usdc, null]) expect(await releaseOther(terms, token, bob)).toEqual(failed('NotOtherToken'))
})

test('error: the first recipient has to wait for the release time as well', async () => {
  const { address, terms } = bench.order({ destinations: [bench.destination(usdc, { recipient: bob.address })] })
  await bench.give(address, usdt, 50n)
  expect(await releaseOther(terms, usdt, bob)).toEqual(failed('NotYet'))
})

test('behavior: a list of settlements that is not the terms’ own reaches another address, where nothing is', async () => {
  const { address, terms } = await released({
    destinations: [
      bench.destination(usdc, { recipient: bob.address }),
      bench.destination(null),
      { ...bench.destination(usdc), chainId: 1 },
    ],
  })
  await bench.give(address, usdt, 50n)
  await bench.give(address, usdc, 50n)
  const [a, b, c] = terms.settlements as [OrderTerms['settlements'][0], OrderTerms['settlements'][0], OrderTerms['settlements'][0]]
  const lists = [[a], [b], [a, b], [a, c], [c, a, b], [a, b, c, c], [{ ...a, recipient: bob.address }, b, c], [a, { ...b, token: usdt }, c]]
  const own = [bob.address, ...lists.flat().map(({ recipient }) => recipient)]
  for (const settlements of lists) {
    for (const from of own) {
      await bench.setup.anvil.ask(['anvil_setBalance', from, '0xde0b6b3a7640000'])
      for (const token of [usdt, usdc]) expect((await releaseOther({ ...terms, settlements }, token, { address: from })).ok).toBe(false)
    }
  }
  expect([await bench.balance(address, usdt), await bench.balance(address, usdc)]).toEqual([50n, 50n])
  // Two neighbours are joined the same way in either order, and mean the same.
  expect(names(await releaseOther({ ...terms, settlements: [b, a, c] }, usdt, bob))).toEqual(['Paid'])
})

test('error: an empty list is in no terms', async () => {
  const { terms } = await released({ destinations: [bench.destination(usdc, { recipient: bob.address })] })
  const call = releaseOtherCall({ ...terms, default_recipient: bob.address, release_at: 1 }, usdt)
  const { data } = releaseOtherCall({ ...terms, default_recipient: bob.address, release_at: 1, settlements: [] }, usdt)
  expect(call.data).not.toBe(data)
  expect(await bench.send({ to: bench.factory, data }, bob)).toEqual(failed('NotInTerms'))
})

test('behavior: 180 days later the default’s recipient takes what no settlement of the chain names, on chains without a settlement too', async () => {
  const now = await bench.now()
  const destinations = [{ ...bench.destination(usdc, { recipient: alice.address }), chainId: 1 as const }] as const
  const early = bench.order({ destinations, releaseAt: now - 180 * day + 1_000 })
  const late = bench.order({ destinations, releaseAt: now - 180 * day })
  for (const { address } of [early, late]) await bench.give(address, usdt, 50n)
  expect(await releaseOther(early.terms, usdt, alice)).toEqual(failed('NotReleaser'))
  for (const from of [bob, operator, owner]) expect(await releaseOther(late.terms, usdt, from)).toEqual(failed('NotReleaser'))
  expect(names(await releaseOther(late.terms, usdt, alice))).toEqual(['Paid'])
  expect(await bench.balance(late.address, usdt)).toBe(0n)
  const here = bench.order({ destinations: [bench.destination(usdc, { recipient: alice.address })], releaseAt: now - 181 * day })
  await bench.give(here.address, usdc, 50n)
  expect(await releaseOther(here.terms, usdc, alice)).toEqual(failed('NotOtherToken'))
})
