import { nativeCoin } from '../../src/wire/native-coin.ts'
import type { Chain } from '../chains/chain.ts'
import type { Funds, PayoutMetrics } from '../chains/payouts.ts'
import type { Sql } from '../database/connect.ts'
import type { Figure, Sample } from './gauge-of.ts'
import { type Figures, figuresOf, type ReadingTools } from './figures.ts'

interface Queue extends PayoutMetrics {
  readonly chain: string
}

interface Head {
  readonly chain: string
  readonly newest: number
  /** Everything up to this block has been read. */
  readonly read: number | undefined
  /** This process has known the newest block for so many seconds. */
  readonly age: number
  readonly blockSeconds: number
}

interface Coin extends Funds {
  readonly chain: string
  readonly decimals: number
}

/** A chain's queue is in the database, and its head and the operator's coin are at its node: each is a read of its own. */
export function chainFigures(sql: Sql, chains: readonly Chain[], tools: ReadingTools): readonly Figures[] {
  const chainId = (chain: Chain) => String(chain.id)
  return [
    figuresOf(
      chains,
      (chain) => ({
        name: 'queue',
        chain: chainId(chain),
        work: async (): Promise<Queue> => ({ ...(await chain.payouts.metrics(sql)), chain: chainId(chain) }),
      }),
      queueFigures,
      tools,
    ),
    figuresOf(chains, (chain) => ({ name: 'head', chain: chainId(chain), work: headOf(sql, chain, tools.clock) }), headFigures, tools),
    figuresOf(
      chains,
      (chain) => ({
        name: 'coin',
        chain: chainId(chain),
        work: async (signal): Promise<Coin> => ({
          ...(await chain.payouts.funds(sql, signal)),
          chain: chainId(chain),
          decimals: nativeCoin(chain.id).decimals,
        }),
      }),
      coinFigures,
      tools,
    ),
  ]
}

function headOf(sql: Sql, { id, feed }: Chain, clock: () => number) {
  let grown: { readonly newest: number; readonly at: number } | undefined
  return async (signal: AbortSignal): Promise<Head> => {
    const { newest, read } = await feed.status(sql, signal)
    if (!grown || newest > grown.newest) grown = { newest, at: clock() }
    const blockSeconds = feed.secondsToFinal(null, 0n) / Math.max(1, feed.confirmationsFor(null, 0n))
    return { chain: String(id), newest, read, age: (clock() - grown.at) / 1000, blockSeconds }
  }
}

const sample = ({ chain }: { readonly chain: string }, value: number | undefined, labels = {}): readonly Sample[] =>
  value === undefined ? [] : [{ labels: { chain, ...labels }, value }]

const queueFigures: readonly Figure<Queue>[] = [
  {
    name: 'till_send_oldest_seconds',
    help: 'Age of the oldest transaction that waits for a nonce (unsent), to be mined (unmined), or to be final (unsettled)',
    labels: ['chain', 'state'],
    samples: (queue) => [
      ...sample(queue, queue.oldestUnsent, { state: 'unsent' }),
      ...sample(queue, queue.oldestUnmined, { state: 'unmined' }),
      ...sample(queue, queue.oldestUnsettled, { state: 'unsettled' }),
    ],
  },
  {
    name: 'till_sends_reopened',
    help: 'Transactions that a reorganisation removed after they were final, broadcast again and not final yet',
    labels: ['chain'],
    samples: (queue) => sample(queue, queue.reopened),
  },
  {
    name: 'till_sends_lost',
    help: 'Transactions that a reorganisation removed after they were final, and that failed when broadcast again',
    labels: ['chain'],
    samples: (queue) => sample(queue, queue.lost),
  },
]

const headFigures: readonly Figure<Head>[] = [
  {
    name: 'till_chain_head',
    help: "The newest block of the chain's node",
    labels: ['chain'],
    samples: (head) => sample(head, head.newest),
  },
  {
    name: 'till_chain_head_age_seconds',
    help: 'For so long the node has had no newer block, as far as this process knows',
    labels: ['chain'],
    samples: (head) => sample(head, head.age),
  },
  {
    name: 'till_chain_block_seconds',
    help: 'Usual time between two blocks of the chain',
    labels: ['chain'],
    samples: (head) => sample(head, head.blockSeconds),
  },
  {
    name: 'till_chain_block',
    help: 'The newest block whose transfers were read',
    labels: ['chain'],
    samples: (head) => sample(head, head.read),
  },
  {
    name: 'till_chain_lag_blocks',
    help: "Blocks of the chain's node whose transfers were not read yet",
    labels: ['chain'],
    samples: (head) => (head.read === undefined ? [] : sample(head, Math.max(0, head.newest - head.read))),
  },
  {
    name: 'till_chain_lag_seconds',
    help: 'The time in which the chain usually makes these blocks',
    labels: ['chain'],
    samples: (head) => (head.read === undefined ? [] : sample(head, Math.max(0, head.newest - head.read) * head.blockSeconds)),
  },
]

const coinFigures: readonly Figure<Coin>[] = [
  {
    name: 'till_operator_coin',
    help: "The operator's native coin",
    labels: ['chain'],
    // In ETH and not wei, with its fraction: it is only looked at.
    samples: (funds) => sample(funds, Number(funds.coin) / 10 ** funds.decimals),
  },
  {
    name: 'till_operator_settlements_left',
    help: "Settlements that the operator's coin pays for at the present gas price",
    labels: ['chain'],
    samples: (funds) => sample(funds, funds.settlements),
  },
]
