import { concatHex, type Hex, toFunctionSelector } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { presetOf } from '../../server/chains/presets/presets.ts'
import { chainFeeds } from '../../server/providers/price-sources/chain-feeds.ts'
import { priceSourceContract } from '../contracts/price-source.ts'
import { answering, uint } from './preset-chain.ts'
import { signal, startTestChain, type TestChain } from './support.ts'

/** Feeds of a rollup, at the addresses of its preset on a real node. They answer as Chainlink's do and do nothing else. */

const { feeds, sequencer } = presetOf(8453)
const hour = 3600

interface Round {
  readonly answer: bigint
  readonly startedAt: number
  readonly updatedAt: number
}

const word = (value: bigint): Hex => `0x${BigInt.asUintN(256, value).toString(16).padStart(64, '0')}`
const roundCode = ({ answer, startedAt, updatedAt }: Round): Hex =>
  answering({ latestRoundData: concatHex([uint(7), word(answer), uint(startedAt), uint(updatedAt), uint(7)]) })

function setCode({ anvil }: TestChain, pair: string, code: Hex): Promise<unknown> {
  const address = pair === 'sequencer' ? sequencer!.address : feeds.find((feed) => feed.pair === pair)!.address
  return anvil.ask(['anvil_setCode', address, code])
}

const head = async ({ chain }: TestChain) => (await chain.head(signal)).timestamp

async function publish(test: TestChain, usd: Readonly<Record<string, bigint>>, status?: Partial<Round>): Promise<void> {
  const now = await head(test)
  await setCode(test, 'sequencer', roundCode({ answer: 0n, startedAt: now - 2 * hour, updatedAt: now, ...status }))
  for (const [pair, answer] of Object.entries(usd)) await setCode(test, pair, roundCode({ answer, startedAt: now, updatedAt: now }))
}

const usual = { 'ETH / USD': 2500_50000000n, 'USDC / USD': 99990000n }

priceSourceContract('feeds on chain', async () => {
  const test = await startTestChain()
  const { chain } = test
  return {
    cacheForMs: 4_000,
    create: (elapsed) => chainFeeds({ chains: () => [chain], elapsed }),
    expected: { eth: '2500.5', usdc: '0.9999' },
    async publish(answer) {
      const codes = {
        usual: undefined,
        silence: '0x',
        garbage: answering({ latestRoundData: '0x1234' }),
        zero: undefined,
        'an error': '0x60006000fd',
      } as const
      await publish(test, answer === 'zero' ? { 'ETH / USD': 0n, 'USDC / USD': -1n } : usual)
      const code = codes[answer]
      if (code !== undefined) for (const pair of Object.keys(usual)) await setCode(test, pair, code)
    },
    publishedAt: async () => 1000 * (await head(test)),
    stop: test.stop,
  }
})

describe('feeds on chain', () => {
  let chain: TestChain
  beforeAll(async () => {
    chain = await startTestChain()
  })
  afterAll(() => chain?.stop())
  const read = () => chain.chain.priceFeeds!(signal)

  test('behavior: a feed that is updated daily holds at the latest block, and one that has stopped does not', async () => {
    const now = await head(chain)
    await publish(chain, usual)
    await setCode(chain, 'USDC / USD', roundCode({ answer: 1_00000000n, startedAt: now - 24 * hour, updatedAt: now - 24 * hour }))
    await setCode(chain, 'DAI / USD', roundCode({ answer: 1_00000000n, startedAt: now - 26 * hour, updatedAt: now - 26 * hour }))
    expect([...(await read())]).toEqual([
      ['eth', { usd: '2500.5', asOf: now * 1000 }],
      ['usdc', { usd: '1', asOf: now * 1000 }],
    ])
  })

  test('error: a round that is dated in the future, or that was never made, is no price', async () => {
    const now = await head(chain)
    await publish(chain, usual)
    await setCode(chain, 'USDC / USD', roundCode({ answer: 1_00000000n, startedAt: now + hour, updatedAt: now + hour }))
    await setCode(chain, 'DAI / USD', roundCode({ answer: 1_00000000n, startedAt: 0, updatedAt: 0 }))
    expect([...(await read()).keys()]).toEqual(['eth'])
  })

  test.each([
    ['is down', { answer: 1n }],
    ['was down until a moment ago', { startedAt: -60 }],
    ['has an uptime feed without a round', { startedAt: 0 }],
  ] as const)('error: nothing counts while the sequencer %s', async (_, status) => {
    const now = await head(chain)
    const { startedAt } = { startedAt: -2 * hour, ...status }
    await publish(chain, usual, { ...status, startedAt: startedAt === 0 ? 0 : now + startedAt })
    expect((await read()).size).toBe(0)
    await publish(chain, usual)
    expect((await read()).size).toBe(2)
  })

  test('error: nothing counts without the uptime feed', async () => {
    await publish(chain, usual)
    await setCode(chain, 'sequencer', '0x')
    expect((await read()).size).toBe(0)
  })

  test('behavior: the function that is asked is the one that Chainlink documents', () => {
    expect(toFunctionSelector('latestRoundData()')).toBe('0xfeaf968c')
  })
})
