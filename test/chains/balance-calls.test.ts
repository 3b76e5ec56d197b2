import * as fc from 'fast-check'
import { encodeFunctionData, encodeFunctionResult, erc20Abi, type Hex, multicall3Abi, toFunctionSelector } from 'viem'
import { expect, test } from 'vitest'
import { decodeBalances, encodeBalanceCalls } from '../../server/chains/evm/balance-calls.ts'

const address = fc.uint8Array({ minLength: 20, maxLength: 20 }).map((bytes) => `0x${Buffer.from(bytes).toString('hex')}` as const)
const answered = (results: readonly { success: boolean; returnData: Hex }[]) =>
  encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result: results })
const wordOf = (amount: bigint): Hex => `0x${amount.toString(16).padStart(64, '0')}`

test('default: encodes calls byte for byte as an ABI library does', () => {
  fc.assert(
    fc.property(address, fc.array(address, { maxLength: 20 }), (target, addresses) => {
      const calls = addresses.map((address) => ({
        target,
        allowFailure: false,
        callData: encodeFunctionData({ abi: erc20Abi, functionName: 'balanceOf', args: [address] }),
      }))
      const expected = encodeFunctionData({ abi: multicall3Abi, functionName: 'aggregate3', args: [calls] })
      expect(encodeBalanceCalls(target, toFunctionSelector('balanceOf(address)'), addresses)).toBe(expected)
    }),
  )
})

test('default: decodes encoded balances to the last unit', () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt({ min: 0n, max: 2n ** 256n - 1n }), { maxLength: 20 }), (amounts) => {
      const data = answered(amounts.map((amount) => ({ success: true, returnData: wordOf(amount) })))
      expect(decodeBalances(data, amounts.length)).toEqual(amounts)
    }),
  )
})

test('error: malformed results are not balances', () => {
  const good = { success: true, returnData: wordOf(5n) }
  const data = answered([good, good])
  for (const [bad, count] of [
    [data, 1],
    [data, 3],
    [`${data}${'0'.repeat(64)}`, 2],
    [data.slice(0, -2), 2],
    ['0x', 2],
    ['', 0],
    [answered([good, { success: false, returnData: wordOf(5n) }]), 2],
    [answered([good, { success: true, returnData: '0x' }]), 2],
    [answered([good, { success: true, returnData: '0x05' }]), 2],
    [answered([good, { success: true, returnData: `${wordOf(5n)}00` }]), 2],
  ] as const)
    expect(decodeBalances(bad, count)).toBeUndefined()
})
