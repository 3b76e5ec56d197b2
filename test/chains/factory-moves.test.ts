import { concatHex, getAbiItem, getAddress, parseSignature, serializeSignature, toEventSelector, type Address, type Hex } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { multicallAddress } from '../../server/chains/evm/balances.ts'
import { callOutcome } from '../../server/chains/evm/call-outcome.ts'
import { refundCall, releaseCall, settleCall, type ApprovedMove } from '../../server/chains/evm/factory-calls.ts'
import { readLogs } from '../../server/chains/evm/logs.ts'
import { LocalMulticall } from '../../server/chains/evm/contracts/artifacts/LocalMulticall.ts'
import { TestPuppet } from '../../server/chains/evm/contracts/artifacts/TestPuppet.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { TestGuard } from '../../server/chains/evm/contracts/artifacts/TestGuard.ts'
import { TestReceiver } from '../../server/chains/evm/contracts/artifacts/TestReceiver.ts'
import { TestSender } from '../../server/chains/evm/contracts/artifacts/TestSender.ts'
import { factoryEvents } from '../../server/chains/evm/factory-events.ts'
import { type Rpc, type RpcCall, RpcError } from '../../server/chains/evm/rpc.ts'
import { type OwnCall, seenMoves } from '../../server/chains/evm/seen-moves.ts'
import { feeCap } from '../../server/orders/model/fee-cap.ts'
import { termsHash } from '../../src/wire/terms/terms-hash.ts'
import { guard } from '../../local/chains/accounts.ts'
import { usdc as usdcAsset } from '../orders/model/support.ts'
import { testGuard } from '../support/wallets/test-guard.ts'
import { abi, chainId, type FactoryBench, failed, names, startFactoryBench } from './factory-support.ts'
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

describe('what others move', () => {
  const topics = (['Paid', 'NotPaid', 'Converted'] as const).map((name) => toEventSelector(getAbiItem({ abi, name })))
  const filter = async (from?: number) => {
    const to = (await bench.setup.chain.head(signal)).number
    return { from: from ?? to, to, addresses: [bench.factory.toLowerCase()], topics }
  }
  const logsOfLastBlock = async () => (await readLogs(bench.setup.chain.rpc, await filter(), signal))!.logs
  const seen = async (own: readonly OwnCall[] = []) => {
    const logs = await logsOfLastBlock()
    return seenMoves(bench.factory.toLowerCase(), logs, new Map([[logs[0]!.transactionHash, own]]))
  }
  const legsOf = (moves: Awaited<ReturnType<typeof seen>>) => moves.map(({ legs }) => legs.map(({ amount }) => amount))

  test.each<[string, readonly (readonly [toRecipient: bigint, fee: bigint])[], bigint[][]]>([
    [
      'one without a fee and one with',
      [
        [300n, 0n],
        [95n, 5n],
      ],
      [[300n], [95n, 5n]],
    ],
    [
      'a fee alone',
      [
        [1_000n, 0n],
        [0n, 60n],
      ],
      [[1_000n], [60n]],
    ],
    [
      'two with fees',
      [
        [5_000n, 100n],
        [700n, 200n],
      ],
      [
        [5_000n, 100n],
        [700n, 200n],
      ],
    ],
  ])('behavior: several calls in a transaction are a move each, as the contract counts its flat fees: %s', async (_, calls, legs) => {
    await bench.send(bench.call('setOperator', [multicallAddress, true]), owner)
    const { terms } = await bench.holding(usdc, 10_000n)
    const settles = calls.map(([toRecipient, fee]) => settleCall({ terms, chainId, token: usdc, toRecipient, fee }))
    const batch = settles.map(({ to, data }) => ({ target: to, allowFailure: false, callData: data }))
    expect(await bench.send(bench.call('aggregate3', [batch], { address: multicallAddress, abi: LocalMulticall.abi }))).toMatchObject({
      ok: true,
    })
    const moves = await seen()
    expect(legsOf(moves)).toEqual(legs)
    const asset = { ...usdcAsset, address: usdc.toLowerCase() }
    const settlements = moves.map((move) => ({
      ...{ id: move.id, token: asset, isForeign: true as const, transfers: [], state: 'confirmed' as const },
      legs: move.kind === 'payment' ? move.legs : [],
      paid: move.legs.map(() => true),
    }))
    const flatPaid = await bench.read<bigint>('flatFeePaid', [`0x${termsHash(terms)}`, usdc])
    expect(feeCap({ depositTerms: terms, settlements }, asset, 0n)).toBe(500n - flatPaid)
    await bench.send(bench.call('setOperator', [multicallAddress, false]), owner)
  })

  test('behavior: a recipient who releases the rest within our own settlement has moved that, and not what we paid', async () => {
    const puppet = (await bench.setup.deploy(TestPuppet)) as Address
    const destinations = [bench.destination(null, { recipient: puppet })] as const
    const { terms } = await bench.holding(null, 1_000n, { destinations, releaseAt: (await bench.now()) - 1 })
    const { data: again } = releaseCall({ terms, chainId, token: null })
    await bench.send(bench.call('prepare', [bench.factory, again, 1n], { address: puppet, abi: TestPuppet.abi }))
    const call = settleCall({ terms, chainId, token: null, toRecipient: 600n, fee: 6n })
    expect(names(await bench.send(call))).toEqual(['Paid', 'Paid', 'NotPaid'])
    const events = factoryEvents(bench.factory.toLowerCase(), await logsOfLastBlock())
    expect(callOutcome(call.data, events).paid).toEqual([true, false])
    const moves = await seen([{ termsHash: `0x${termsHash(terms)}`, data: call.data }])
    expect(moves).toMatchObject([{ kind: 'payment', token: null, legs: [{ role: 'recipient', amount: 400n }] }])
  })

  test('behavior: logs that are too many for the node are read in halves, and those of a single block by its receipts', async () => {
    const { terms } = await bench.holding(usdc, 10n)
    for (let i = 0; i < 3; i++) await bench.send(settleCall({ terms, chainId, token: usdc, toRecipient: 2n, fee: 0n }))
    const { rpc } = bench.setup.chain
    const whole = await filter((await bench.setup.chain.head(signal)).number - 3)
    const asked: unknown[] = []
    const attempt: (given: AbortSignal, ...calls: RpcCall<unknown>[]) => Promise<unknown[]> = rpc.attempt as never
    const refuseLogs: typeof attempt = async (given, ...calls) => {
      asked.push(...calls.filter(({ method }) => method === 'eth_getLogs'))
      const error = new RpcError('eth_getLogs', -32005, 'query returned more than 10000 results')
      return (await attempt(given, ...calls)).map((answer, i) => (calls[i]?.method === 'eth_getLogs' ? { error } : answer))
    }
    const full: Rpc = { ...rpc, attempt: refuseLogs as never }
    const [some, all] = [await readLogs(full, whole, signal), await readLogs(rpc, whole, signal)]
    expect(some?.logs).toEqual(all?.logs)
    expect(all?.logs).toHaveLength(3)
    expect(asked).toHaveLength(7)
  })
})
