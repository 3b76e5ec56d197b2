import { expect, test } from 'vitest'
import type { Driver } from '../../server/chains/evm/payouts/send.ts'
import { isUsedByOthers } from '../../server/chains/evm/payouts/used-by-others.ts'
import { type RpcCall, RpcError } from '../../server/chains/evm/rpc.ts'

const yes = `0x${'1'.padStart(64, '0')}`
const no = `0x${'0'.padStart(64, '0')}`

/** The node says whether the signature is used in the latest block, and answers for the pending one or returns an error. */
function used(latest: string, pending: string | undefined) {
  const answer = ({ method, params }: RpcCall<unknown>) => {
    if (method !== 'eth_call') return { value: { number: 7 } }
    if (params[1] === 'latest') return { value: latest }
    return pending === undefined ? { error: new RpcError(method, -32602, 'pending is not available') } : { value: pending }
  }
  const attempt = async (_: AbortSignal, ...calls: RpcCall<unknown>[]) => calls.map(answer)
  const read = async (signal: AbortSignal, ...calls: RpcCall<unknown>[]) =>
    (await attempt(signal, ...calls)).map((found) => {
      if ('error' in found) throw found.error
      return found.value
    })
  const config = { factory: { address: `0x${'8'.repeat(40)}` } }
  const driver = { chain: { id: 8453, config, rpc: { chainId: 8453, attempt, read } }, usedAt: new Map() } as unknown as Driver
  return isUsedByOthers(driver, { id: 'ord_1:r1', termsHash: `0x${'a'.repeat(64)}` }, {}, AbortSignal.timeout(5_000))
}

test('default: a signature that somebody uses in the pending block counts as used', async () => {
  expect([await used(no, yes), await used(no, no)]).toEqual([true, false])
})

test('behavior: a node that has no pending block holds up nothing', async () => {
  expect(await used(no, undefined)).toBe(false)
})
