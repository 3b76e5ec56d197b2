import { concatHex, getAddress, parseSignature, serializeSignature, type Address, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { refundCall, type ApprovedMove } from '../../server/chains/evm/factory-calls.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestGuard } from '../../server/chains/evm/contracts/artifacts/TestGuard.ts'
import { TestReceiver } from '../../server/chains/evm/contracts/artifacts/TestReceiver.ts'
import { TestSender } from '../../server/chains/evm/contracts/artifacts/TestSender.ts'
import { termsHash } from '../../src/wire/terms/terms-hash.ts'
import { guard } from '../../local/chains/accounts.ts'
import { testGuard } from '../support/wallets/test-guard.ts'
import { chainId, type FactoryBench, failed, names, startFactoryBench } from './factory-support.ts'
import { alice, operator, owner, signal } from './support.ts'

let bench: FactoryBench
let usdc: Address
let usdt: Address
beforeAll(async () => {
  bench = await startFactoryBench()
  usdc = bench.setup.token('USDC')
  usdt = bench.setup.token('USDT')
})
afterAll(() => bench?.setup.stop())

describe('refund', () => {
  test('default: pays every leg that the guard signed for, each by itself', async () => {
    const { address, terms } = await bench.holding(usdc, 100n)
    const [good, bad, last] = [bench.fresh(), bench.fresh(), bench.fresh()]
    await bench.setup.call(owner, { address: usdc, abi: TestDollar.abi, functionName: 'blacklist', args: [bad] })
    const legs = [good, bad, last].map((to) => ({ to, amount: 30n }))
    const sent = await bench.send(refundCall(terms, await bench.sign(terms, bench.refund(usdc, legs))))
    const of = (to: string) => ({ terms: `0x${termsHash(terms)}`, role: 2, token: getAddress(usdc), to, amount: 30n })
    expect(sent).toMatchObject({
      ok: true,
      events: [
        ['Paid', of(good)],
        ['NotPaid', of(bad)],
        ['Paid', of(last)],
      ],
    })
    expect(await bench.balance(address, usdc)).toBe(40n)
  })

  test('behavior: pays coin past a recipient that burns all gas, with no more gas than the estimate', async () => {
    const { terms } = await bench.holding(null, 100n)
    const to = bench.fresh()
    const hostile = await bench.setup.deploy(TestReceiver, [2])
    const legs = [hostile, to, hostile, to].map((receiver) => ({ to: receiver, amount: 10n }))
    const sent = await bench.send(refundCall(terms, await bench.sign(terms, bench.refund(null, legs))))
    expect(names(sent)).toEqual(['NotPaid', 'Paid', 'NotPaid', 'Paid'])
  })

  test('error: only an operator may send it, whoever signed', async () => {
    const { terms } = await bench.holding(usdc, 10n)
    const call = refundCall(terms, await bench.sign(terms, bench.refund(usdc, [{ to: alice.address, amount: 1n }])))
    for (const from of [alice, owner, guard]) expect(await bench.send(call, from)).toEqual(failed('NotOperator'))
  })

  test('error: a signature moves money once, also if the move failed', async () => {
    const { terms } = await bench.holding(usdc, 10n)
    const paid = await bench.sign(terms, bench.refund(usdc, [{ to: alice.address, amount: 1n }]))
    expect(names(await bench.send(refundCall(terms, paid)))).toEqual(['Paid'])
    expect(await bench.send(refundCall(terms, paid))).toEqual(failed('NonceUsed'))
    const unpaid = await bench.sign(terms, bench.refund(usdc, [{ to: alice.address, amount: 11n }]))
    expect(names(await bench.send(refundCall(terms, unpaid)))).toEqual(['NotPaid'])
    expect(await bench.send(refundCall(terms, unpaid))).toEqual(failed('NonceUsed'))
    expect(await bench.read('isNonceUsed', [`0x${termsHash(terms)}`, unpaid.nonce])).toBe(true)
  })

  test('error: a signature is for one move, order, chain and factory', async () => {
    const { address, terms } = await bench.holding(usdc, 100n)
    const leg = { to: alice.address, amount: 10n }
    const move = bench.refund(usdc, [leg])
    const signed = await bench.sign(terms, move)
    const changes: Partial<ApprovedMove>[] = [
      { legs: [{ ...leg, to: operator.address }] },
      { legs: [{ ...leg, amount: 11n }] },
      { legs: [leg, leg] },
      { legs: [] },
      { tokenIn: usdt },
      { nonce: move.nonce + 1n },
      { deadline: move.deadline + 1n },
      { signature: (await bench.sign(bench.order().terms, move)).signature },
      { signature: (await bench.sign(terms, move, 1)).signature },
      { signature: (await bench.sign({ ...terms, factory: alice.address }, move)).signature },
      { signature: await testGuard(alice).sign({ chainId, terms, move, reason: { kind: 'merchant' } }, signal) },
      { signature: `0x${'00'.repeat(65)}` },
      { signature: '0x' },
      { signature: signed.signature.slice(0, -2) as Hex },
      { signature: concatHex([signed.signature, '0x00']) },
    ]
    for (const change of changes) expect(await bench.send(refundCall(terms, { ...signed, ...change }))).toEqual(failed('NotApproved'))
    expect(await bench.balance(address, usdc)).toBe(100n)
    expect(names(await bench.send(refundCall(terms, signed)))).toEqual(['Paid'])
  })

  test('behavior: the other form of a signature works as well, and not after the first', async () => {
    const order = 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n
    const { terms } = await bench.holding(usdc, 100n)
    const signed = await bench.sign(terms, bench.refund(usdc, [{ to: alice.address, amount: 10n }]))
    const { r, s, yParity } = parseSignature(signed.signature)
    const other = serializeSignature({ r, s: `0x${(order - BigInt(s)).toString(16).padStart(64, '0')}`, yParity: yParity === 0 ? 1 : 0 })
    expect(names(await bench.send(refundCall(terms, { ...signed, signature: other })))).toEqual(['Paid'])
    expect(await bench.send(refundCall(terms, signed))).toEqual(failed('NonceUsed'))
  })

  test('error: a signature ends at its deadline', async () => {
    const { terms } = await bench.holding(usdc, 10n)
    const deadline = BigInt((await bench.now()) - 1)
    const late = await bench.sign(terms, { ...bench.refund(usdc, [{ to: alice.address, amount: 1n }]), deadline })
    expect(await bench.send(refundCall(terms, late))).toEqual(failed('Expired'))
  })

  test('behavior: an estimate covers the creation of the address and every leg', async () => {
    const { terms } = await bench.holding(usdc, 10n)
    const signed = await bench.sign(terms, bench.refund(usdc, [{ to: alice.address, amount: 1n }]))
    expect(await bench.send(refundCall(terms, signed), operator, { gas: 300_000n })).toEqual(failed('reverted'))
    expect(names(await bench.send(refundCall(terms, signed)))).toEqual(['Paid'])
  })
})

describe('guards', () => {
  const refundBy = async (guardAddress: string | undefined, signature?: Hex) => {
    const { address, terms } = await bench.holding(usdc, 10n, { guard: guardAddress })
    const signed = await bench.sign(terms, bench.refund(usdc, [{ to: alice.address, amount: 1n }]))
    const sent = await bench.send(refundCall(terms, { ...signed, ...(signature && { signature }) }))
    expect(await bench.balance(address, usdc)).toBe(sent.ok ? 9n : 10n)
    return names(sent)
  }

  test('error: without a guard nothing is approved, not even by a signature from nobody', async () => {
    for (const signature of [undefined, `0x${'00'.repeat(65)}`, `0x${'11'.repeat(64)}1b`] as const) {
      expect(await refundBy(undefined, signature)).toBe('NotApproved')
    }
  })

  test('behavior: a contract wallet approves by its owner’s signature (ERC-1271)', async () => {
    const wallet = await bench.setup.deploy(TestSender, [guard.address])
    expect(await refundBy(wallet)).toEqual(['Paid'])
    const foreign = await bench.setup.deploy(TestSender, [alice.address])
    expect(await refundBy(foreign)).toBe('NotApproved')
  })

  test.each([
    ['approves', 0, ['Paid']],
    ['refuses', 1, 'NotApproved'],
    ['burns all the gas', 2, 'NotApproved'],
    ['approves in 120,000 bytes', 3, ['Paid']],
    ['answers in four bytes', 4, 'NotApproved'],
    ['reverts', 5, 'NotApproved'],
  ])('behavior: a contract that %s', async (_, manner, outcome) => {
    expect(await refundBy(await bench.setup.deploy(TestGuard, [manner]), '0x1234')).toEqual(outcome)
  })

  test('behavior: a contract that changes its mind approves a move at most once', async () => {
    const { terms } = await bench.holding(usdc, 10n, { guard: await bench.setup.deploy(TestGuard, [6]) })
    const move: ApprovedMove = { ...bench.refund(usdc, [{ to: alice.address, amount: 1n }]), signature: '0x' }
    const results: string[] = []
    for (let i = 0; i < 6; i++) {
      const sent = await bench.send(refundCall(terms, move), operator, { gas: 900_000n })
      results.push(sent.ok ? 'moved' : sent.error)
      await bench.setup.mine()
    }
    expect(results.filter((result) => result === 'moved')).toHaveLength(results.includes('moved') ? 1 : 0)
  })

  test('behavior: an account with a key and code (EIP-7702) approves by either', async () => {
    await bench.setup.anvil.ask(['anvil_setCode', guard.address, TestGuard.deployedBytecode])
    try {
      expect(await refundBy(guard.address)).toEqual(['Paid'])
      expect(await refundBy(guard.address, '0x1234')).toEqual(['Paid'])
    } finally {
      await bench.setup.anvil.ask(['anvil_setCode', guard.address, '0x'])
    }
  })
})
