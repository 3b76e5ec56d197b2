import { decodeFunctionResult, encodeFunctionData, formatUnits, type Hex, parseAbi } from 'viem'
import type { PresetFeeds } from '../presets/preset.ts'
import type { FeedPrice, PriceFeeds } from '../price-feeds.ts'
import { ethCall, headerCall } from './rpc-calls.ts'
import type { Rpc } from './rpc.ts'

const abi = parseAbi([
  'function latestRoundData() view returns (uint80 roundId, int256 answer, uint256 startedAt, uint256 updatedAt, uint80 answeredInRound)',
])
const data = encodeFunctionData({ abi })

/**
 * A feed is updated when its price has moved by a fraction of a percent, and once a day otherwise. Older than that, with an hour's allowance, it
 * has stopped.
 */
const longestSilenceSeconds = 25 * 3600
/** After a rollup's sequencer was down, feeds need some time until they are as they should be. */
const graceSeconds = 3600

/**
 * Reads Chainlink's feeds. A feed that is updated as it should be says that its price holds at the latest block, so it is as old as that block.
 * On a rollup nothing counts while the sequencer is down, since nobody can update the feeds then.
 */
export const evmPriceFeeds =
  (rpc: Rpc, { feeds, sequencer }: PresetFeeds): PriceFeeds =>
  async (signal) => {
    const read = (to: string) => ethCall({ to, data }, 'latest')
    const [header] = await rpc.read(signal, headerCall('latest'))
    if (!header) return new Map()
    const now = header.timestamp
    if (sequencer) {
      const [status] = await rpc.read(signal, read(sequencer.address))
      if (!isUp(roundOf(status), now)) return new Map()
    }
    const answers = await rpc.attempt(signal, ...feeds.map(({ address }) => read(address)))
    return new Map(
      feeds.flatMap(({ pair, decimals }, i): [string, FeedPrice][] => {
        const answer = answers[i]
        const round = answer && 'value' in answer ? roundOf(answer.value) : undefined
        return round && holds(round, now) ? [[idOf(pair), { usd: formatUnits(round.answer, decimals), asOf: now * 1000 }]] : []
      }),
    )
  }

/** `ETH / USD` is the price of `eth`. */
const idOf = (pair: string): string => (pair.split(' / ')[0] ?? '').toLowerCase()

interface Round {
  readonly answer: bigint
  readonly startedAt: number
  readonly updatedAt: number
}

function roundOf(value: Hex | undefined): Round | undefined {
  try {
    const [, answer, startedAt, updatedAt] = decodeFunctionResult({ abi, data: value ?? '0x' })
    return { answer, startedAt: Number(startedAt), updatedAt: Number(updatedAt) }
  } catch {
    // There is no feed at the address, or it has no round.
    return undefined
  }
}

const holds = ({ answer, updatedAt }: Round, now: number): boolean =>
  answer > 0n && updatedAt > 0 && updatedAt <= now && now - updatedAt <= longestSilenceSeconds

/** The uptime feed's answer is 0 while the sequencer is up, and its round started when that changed. */
const isUp = (round: Round | undefined, now: number): boolean =>
  round !== undefined && round.answer === 0n && round.startedAt > 0 && now - round.startedAt > graceSeconds
