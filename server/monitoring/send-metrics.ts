import { Gauge } from 'prom-client'
import { nativeCoin } from '../../src/wire/native-coin.ts'
import type { Chain } from '../chains/chain.ts'
import type { PayoutMetrics } from '../chains/payouts.ts'
import type { Sql } from '../database/connect.ts'

const cacheForMs = 1_000
const timeoutMs = 2_000

interface ChainMetrics extends PayoutMetrics {
  readonly chain: string
  /** All transfers up to this block have been read. */
  readonly block: number | undefined
  /** The operator's balance in the chain's native coin (ETH and not wei, with its fraction), or undefined when the node does not answer. */
  readonly coin: number | undefined
  /** The operator's balance pays for this many settlements. Without an answer from the node it is undefined. */
  readonly settlementsLeft: number | undefined
}

/** All gauges of a scrape share one read, since a read queries the database and every chain's node. */
export function sendMetrics(sql: Sql, chains: readonly Chain[]): readonly Gauge[] {
  let cached: { chainMetrics: Promise<readonly ChainMetrics[]>; until: number } | undefined
  const chainMetrics = () => {
    if (!cached || cached.until <= performance.now())
      cached = { chainMetrics: Promise.all(chains.map((chain) => read(sql, chain))), until: performance.now() + cacheForMs }
    return cached.chainMetrics
  }
  const gauge = (
    name: string,
    help: string,
    values: (chainMetrics: ChainMetrics) => Readonly<Record<string, number | undefined>>,
    label?: string,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: ['chain', ...(label === undefined ? [] : [label])],
      registers: [],
      async collect() {
        this.reset()
        for (const metrics of await chainMetrics()) {
          for (const [key, value] of Object.entries(values(metrics)))
            if (value !== undefined) this.set({ chain: metrics.chain, ...(label === undefined ? {} : { [label]: key }) }, value)
        }
      },
    })
  return [
    gauge(
      'till_send_oldest_seconds',
      'Age of the oldest transaction that waits for a nonce (unsent), to be mined (unmined), or to be final (unsettled)',
      (chainMetrics) => ({
        unsent: chainMetrics.oldestUnsent,
        unmined: chainMetrics.oldestUnmined,
        unsettled: chainMetrics.oldestUnsettled,
      }),
      'state',
    ),
    gauge(
      'till_sends_reopened',
      'Transactions that a reorganisation removed after they were final, broadcast again and not final yet',
      ({ reopened }) => ({
        reopened,
      }),
    ),
    gauge(
      'till_sends_lost',
      'Transactions that a reorganisation removed after they were final, and that failed when broadcast again',
      ({ lost }) => ({
        lost,
      }),
    ),
    gauge('till_operator_coin', "The operator's native coin", ({ coin }) => ({ coin })),
    gauge(
      'till_operator_settlements_left',
      "Settlements that the operator's coin pays for at the present gas price",
      ({ settlementsLeft }) => ({
        settlementsLeft,
      }),
    ),
    gauge('till_chain_block', 'The newest block whose transfers were read', ({ block }) => ({ block })),
  ]
}

async function read(sql: Sql, chain: Chain): Promise<ChainMetrics> {
  const [queue, [cursor], funds] = await Promise.all([
    chain.payouts.metrics(sql),
    sql<{ block: number }[]>`select block::int from chain_cursors where chain_id = ${chain.id}`,
    chain.payouts.funds(sql, AbortSignal.timeout(timeoutMs)).catch((): undefined => undefined),
  ])
  const { decimals } = nativeCoin(chain.id)
  return {
    ...queue,
    chain: String(chain.id),
    block: cursor?.block,
    coin: funds && Number(funds.coin) / 10 ** decimals,
    settlementsLeft: funds?.settlements,
  }
}
