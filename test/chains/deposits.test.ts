import { expect, test } from 'vitest'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import type { DepositAsk } from '../../server/chains/chain.ts'
import { isEvm, parseChainTable } from '../../server/chains/table.ts'
import { depositsContract } from '../contracts/deposits.ts'

const table = {
  owner: '0x00000000000000000000000000000000000000aa',
  chains: [8453, 1].map((chain_id) => ({ chain_id, rpc_url: 'http://127.0.0.1:9', operator: { env: 'KEY' } })),
}
const chains = parseChainTable(table, { KEY: `0x${'11'.repeat(32)}` })
  .filter(isEvm)
  .map((config) => createEvmChain(config))
/** EVM derives its addresses without a node, which does not exist here, and without a database. */
const noDatabase = undefined as never

const askOf = (orderId: string, more: Partial<DepositAsk> = {}): DepositAsk => ({
  orderId,
  destinations: [
    { chainId: 8453, token: null, recipient: `0x${'1'.repeat(40)}`, feeCollector: `0x${'2'.repeat(40)}`, maxFeeBps: 1, maxFeeFlat: 2n },
    {
      chainId: 8453,
      token: `0x${'a'.repeat(40)}`,
      recipient: `0x${'1'.repeat(40)}`,
      feeCollector: `0x${'2'.repeat(40)}`,
      maxFeeBps: 1,
      maxFeeFlat: 2n,
    },
    {
      chainId: 1,
      token: `0x${'b'.repeat(40)}`,
      recipient: `0x${'3'.repeat(40)}`,
      feeCollector: `0x${'2'.repeat(40)}`,
      maxFeeBps: 1,
      maxFeeFlat: 2n,
    },
  ],
  releaseAt: 1_900_000_000,
  ...more,
})

depositsContract('EVM', () => ({
  addresses: chains[0]!.addresses,
  reserve: chains.map(
    (chain) =>
      async (orderId): Promise<string> =>
        (await chain.deposits.reserve(noDatabase, askOf(orderId))).address,
  ),
}))

test('behavior: the terms are sorted, say which settlement is the first of its chain, and pay the first recipient by default', async () => {
  const { terms } = await chains[0]!.deposits.reserve(noDatabase, askOf('a'))
  expect(
    terms?.settlements.map(({ chain_id, token, first_of_chain }) => [chain_id, token?.slice(2, 3).toLowerCase(), first_of_chain]),
  ).toEqual([
    [1, 'b', true],
    [8453, undefined, true],
    [8453, 'a', false],
  ])
  expect(terms).toMatchObject({
    version: 1,
    default_recipient: `0x${'1'.repeat(40)}`,
    guard: `0x${'0'.repeat(40)}`,
    release_at: 1_900_000_000,
  })
})

test('behavior: every part of the terms changes the address', async () => {
  const reserve = async (more: Partial<DepositAsk>) => (await chains[0]!.deposits.reserve(noDatabase, askOf('a', more))).address
  const { destinations } = askOf('a')
  const [first, ...others] = destinations
  const changes: Partial<DepositAsk>[] = [
    {},
    { orderId: 'b' },
    { guard: `0x${'4'.repeat(40)}` },
    { releaseAt: 1 },
    { destinations: [first] },
    { destinations: [{ ...first, recipient: `0x${'5'.repeat(40)}` }, ...others] },
    { destinations: [{ ...first, feeCollector: `0x${'5'.repeat(40)}` }, ...others] },
    { destinations: [{ ...first, maxFeeBps: 3 }, ...others] },
    { destinations: [{ ...first, maxFeeFlat: 3n }, ...others] },
  ]
  expect(new Set(await Promise.all(changes.map(reserve))).size).toBe(changes.length)
})
