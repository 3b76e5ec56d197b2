import { erc20Abi, keccak256, toFunctionSelector, type AbiFunction } from 'viem'
import * as z from 'zod'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Forwarder } from '../../server/chains/evm/contracts/artifacts/Forwarder.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { TestSender } from '../../server/chains/evm/contracts/artifacts/TestSender.ts'
import { codeCall } from '../../server/chains/evm/rpc-calls.ts'
import { settleCall } from '../../server/chains/evm/factory-calls.ts'
import { termsAddress, termsHash } from '../../src/wire/terms/terms-hash.ts'
import { abi, chainId, failed, type FactoryBench, type Sent, startFactoryBench } from './factory-support.ts'
import { alice, bob, operator, owner, signal } from './support.ts'

let bench: FactoryBench
beforeAll(async () => {
  bench = await startFactoryBench()
})
afterAll(() => bench?.setup.stop())

const events = (sent: Sent) => (sent.ok ? sent.events : sent.error)

describe('owner', () => {
  test('default: names operators, routers and receipt keys, each with an event', async () => {
    for (const [functionName, event, argument, getter] of [
      ['setOperator', 'OperatorSet', 'operator', 'isOperator'],
      ['setRouter', 'RouterSet', 'router', 'isRouter'],
      ['setReceiptKey', 'ReceiptKeySet', 'key', undefined],
    ] as const) {
      for (const allowed of [true, false]) {
        const sent = await bench.send(bench.call(functionName, [alice.address, allowed]), owner)
        expect(events(sent)).toMatchObject([[event, { [argument]: expect.stringMatching(new RegExp(alice.address, 'i')), allowed }]])
        if (getter) expect(await bench.read(getter, [alice.address])).toBe(allowed)
      }
      for (const from of [alice, operator]) {
        expect(await bench.send(bench.call(functionName, [alice.address, true]), from)).toEqual(failed('NotOwner'))
      }
    }
  })

  test('behavior: ownership moves in two steps', async () => {
    const offer = (to: string) => bench.call('offerOwnership', [to])
    const take = bench.call('takeOwnership', [])
    expect(await bench.send(offer(alice.address), alice)).toEqual(failed('NotOwner'))
    expect(await bench.send(take, alice)).toEqual(failed('NotPendingOwner'))
    expect(events(await bench.send(offer(bob.address), owner))).toMatchObject([['OwnershipOffered', {}]])
    expect(await bench.send(take, alice)).toEqual(failed('NotPendingOwner'))
    expect(await bench.send(bench.call('setOperator', [alice.address, true]), bob)).toEqual(failed('NotOwner'))
    expect(events(await bench.send(take, bob))).toMatchObject([['OwnershipTaken', {}]])
    expect(await bench.send(bench.call('setOperator', [alice.address, true]), owner)).toEqual(failed('NotOwner'))
    expect(await bench.send(take, bob)).toEqual(failed('NotPendingOwner'))
    await bench.send(offer(owner.address), bob)
    await bench.send(take, owner)
  })

  test('behavior: an operator who is one no longer settles nothing', async () => {
    const { address, terms } = bench.order()
    const usdc = bench.setup.token('USDC')
    await bench.give(address, usdc, 10n)
    const call = settleCall({ terms, chainId, token: usdc, toRecipient: 10n, fee: 0n })
    await bench.send(bench.call('setOperator', [operator.address, false]), owner)
    expect(await bench.send(call)).toEqual(failed('NotOperator'))
    await bench.send(bench.call('setOperator', [operator.address, true]), owner)
    expect((await bench.send(call)).ok).toBe(true)
  })
})

describe('code', () => {
  test('behavior: the factory knows the hash of the forwarder’s init code, and so does the page', async () => {
    const { address, terms } = bench.order()
    expect(await bench.read<string>('addressOf', [`0x${termsHash(terms)}`])).toMatch(new RegExp(`^${address}$`, 'i'))
    expect(termsAddress(terms)).toBe(address)
    expect(TillFactory.deployedBytecode).toContain(keccak256(Forwarder.bytecode).slice(2))
  })

  test('behavior: what the factory can do is this list', () => {
    const signatures = abi.filter((item) => item.type === 'function').map((item: AbiFunction) => item.name)
    expect(signatures.toSorted()).toEqual([
      'addressOf',
      'convert',
      'convertAndSettle',
      'flatFeePaid',
      'isNonceUsed',
      'isOperator',
      'isRouter',
      'offerOwnership',
      'owner',
      'pendingOwner',
      'refund',
      'release',
      'releaseOther',
      'setOperator',
      'setReceiptKey',
      'setRouter',
      'settle',
      'settleBatch',
      'takeOwnership',
    ])
    const selectors = abi.filter((item) => item.type === 'function').map((item) => toFunctionSelector(item))
    expect(new Set(selectors).size).toBe(selectors.length)
    expect(
      abi.map((item) => ('stateMutability' in item ? (item.stateMutability as string) : '')).filter((kind) => kind === 'payable'),
    ).toEqual([])
  })

  test('behavior: the factory has no immutables and no metadata, and nothing in it deletes or replaces code', async () => {
    expect((await bench.setup.chain.rpc.read(signal, codeCall(bench.factory)))[0]).toBe(TillFactory.deployedBytecode)
    const used = opcodes(TillFactory.deployedBytecode)
    const [selfDestruct, callCode, push0, transientLoad, memoryCopy] = [0xff, 0xf2, 0x5f, 0x5c, 0x5e]
    for (const opcode of [selfDestruct, callCode, push0, transientLoad, memoryCopy]) expect(used.has(opcode!)).toBe(false)
    expect(TillFactory.bytecode.endsWith(TillFactory.deployedBytecode.slice(2))).toBe(true)
  })

  test('behavior: the factory takes no coin', async () => {
    for (const data of ['0x', bench.call('settleBatch', [[]]).data]) {
      const [result] = await bench.setup.chain.rpc.attempt(signal, {
        method: 'eth_estimateGas',
        params: [{ from: operator.address, to: bench.factory, value: '0x1', data }],
        answer: z.unknown(),
      })
      expect(result).toHaveProperty('error')
    }
  })
})

describe('deposit address', () => {
  test('behavior: takes coin within 2,300 gas and tokens, before and after it has code', async () => {
    const { address, terms } = bench.order({ destinations: [bench.destination(null)] })
    const wallet = await bench.setup.deploy(TestSender, [owner.address], 100n)
    const pay = () => bench.setup.call(owner, { address: wallet, abi: TestSender.abi, functionName: 'send', args: [address, 40n] })
    const settle = () => bench.send(settleCall({ terms, chainId, token: null, toRecipient: 40n, fee: 0n }))
    await pay()
    expect(events(await settle())).toMatchObject([['Paid', { amount: 40n }]])
    await pay()
    expect(events(await settle())).toMatchObject([['Paid', { amount: 40n }]])
    expect(await bench.balance(terms.settlements[0]!.recipient, null)).toBe(80n)
  })

  test('behavior: has 56 bytes of code, which move nothing for anybody but the factory', async () => {
    const usdc = bench.setup.token('USDC')
    const { address, terms } = bench.order()
    await bench.give(address, usdc, 20n)
    await bench.give(address, null, 20n)
    await bench.send(settleCall({ terms, chainId, token: usdc, toRecipient: 10n, fee: 0n }))
    const [code] = await bench.setup.chain.rpc.read(signal, codeCall(address))
    expect(code).toBe(
      `0x73${bench.factory.slice(2).toLowerCase()}3318603757${'60603d604060203d'}823603${'80843d37'}3d83353d355af1${'602052'}3d9052f35b`,
    )
    const word = (value: string) => value.slice(2).padStart(64, '0')
    const transfer = bench.call('transfer', [alice.address, 10n], { address: usdc, abi: erc20Abi }).data
    for (const data of [
      `0x${word(usdc)}${word('0x0')}${transfer.slice(2)}`,
      `0x${word(alice.address)}${word('0x14')}`,
      '0x',
      '0x12',
    ] as const) {
      for (const from of [alice, operator, owner]) expect((await bench.send({ to: address, data }, from)).ok).toBe(true)
    }
    expect([await bench.balance(address, usdc), await bench.balance(address, null)]).toEqual([10n, 20n])
  })
})

/** Returns the opcodes of the code, without the data of its PUSHes. */
function opcodes(code: string): Set<number> {
  const bytes = Buffer.from(code.slice(2), 'hex')
  const found = new Set<number>()
  for (let i = 0; i < bytes.length; i++) {
    const opcode = bytes[i]!
    found.add(opcode)
    if (opcode >= 0x60 && opcode <= 0x7f) i += opcode - 0x5f
  }
  return found
}
