import * as z from 'zod'
import { createMutex } from '../../local/chains/mutex.ts'
import { createFaucet } from '../../local/bitcoin/faucet.ts'
import type { BitcoinNode } from '../../local/bitcoin/find-bitcoind.ts'
import { Amount } from '../../local/bitcoin/bitcoin-rpc.ts'
import { bitcoinFeed } from '../../server/chains/bitcoin/feed.ts'
import { orderScript } from '../../server/chains/bitcoin/order-script.ts'
import { bitcoinPayouts } from '../../server/chains/bitcoin/payouts/bitcoin-payouts.ts'
import { bitcoinSources } from '../../server/chains/bitcoin/sources.ts'
import type { BitcoinSource } from '../../server/chains/bitcoin/source.ts'
import type { Position } from '../../server/chains/feed.ts'
import type { Leg, Payouts } from '../../server/chains/payouts.ts'
import { bitcoinConfig, testAccount } from '../chains/bitcoin/support.ts'
import type { Lie, PayoutsUnderTest } from '../contracts/payouts.ts'
import { connect } from '../../server/database/connect.ts'
import { createDatabase } from '../support/service/database.ts'
import { interruptedTransactions } from '../support/service/interrupted-sql.ts'
import { keyHashAccount, taprootAccount } from '../support/wallets/bitcoin-wallet.ts'
import { until } from '../support/wait.ts'

export const needed = 2

export type BitcoinGround = Awaited<ReturnType<typeof prepareBitcoin>>

/** A chain of its own with a faucet, a database, and a process that follows the chain for as long as the test lasts. */
export async function prepareBitcoin(startNode: () => Promise<BitcoinNode>, more: object = {}) {
  const [node, database] = await Promise.all([startNode(), createDatabase()])
  const faucet = await createFaucet(node.rpc)
  const config = bitcoinConfig({ nodes: [{ rpc_url: node.url }], confirmations: [{ blocks: needed }], poll_ms: 10, ...more })
  const sql = connect(database.url)
  const { source } = bitcoinSources(config)
  const ours = new Set<string>()
  let onRemoved: (last: Position) => Promise<void> = async () => {}
  const stopping = new AbortController()
  const problems: unknown[] = []
  const observer = {
    ours: async (addresses: readonly string[]) => new Set(addresses.filter((address) => ours.has(address))),
    arrived: async () => {},
    removedAfter: async (last: Position) => onRemoved(last),
    review: async () => {},
  }
  const follow = bitcoinFeed(config, source).follower({ sql, log: { warn: (details) => problems.push(details) }, observer })
  const following = (async () => {
    while (!stopping.signal.aborted) await follow(stopping.signal).catch((error: unknown) => problems.push(error))
  })()
  const depositOf = (orderId: string): string => {
    const { address } = orderScript(testAccount, orderId, config.network)
    ours.add(address)
    return address
  }
  const Tip = z.string()
  const isRead = async () => {
    const [row] = await sql`select hash from chain_cursors where chain_id = ${config.chainId}`
    return row?.hash === (await node.rpc.call('getbestblockhash', [], Tip))
  }
  const Scan = z.object({ total_amount: Amount })
  const inTurn = createMutex()
  let addresses = 0
  return {
    node,
    faucet,
    sql,
    config,
    source,
    problems,
    /** Called as the feed's observer is, before anything is read again. */
    whenRemoved: (work: (last: Position) => Promise<void>): void => void (onRemoved = work),
    depositOf,
    freshAddress: () => keyHashAccount(`receiver ${addresses++}`).address,
    /** A real node makes one scan at a time. */
    balance: (address: string) =>
      inTurn(async () => (await node.rpc.call('scantxoutset', ['start', [`addr(${address})`]], Scan)).total_amount),
    /** Mines with whatever waits, and returns once the process that follows has read it. */
    async mine(blocks: number): Promise<void> {
      await faucet.mine(blocks)
      await until(isRead)
    },
    /** Mines blocks that include nothing that waits. */
    async mineEmpty(blocks: number): Promise<void> {
      for (let i = 0; i < blocks; i++) await node.rpc.call('generateblock', [faucet.address, []], z.object({ hash: z.string() }))
      await until(isRead)
    },
    /** Replaces the last blocks, the first by one with these transactions alone. What was in them waits again unless they exclude it. */
    async reorg(depth: number, transactions: readonly string[] = []): Promise<void> {
      const height = await node.rpc.call('getblockcount', [], z.number())
      const hash = await node.rpc.call('getblockhash', [height - depth + 1], z.string())
      await node.rpc.call('invalidateblock', [hash], z.null())
      const { address } = taprootAccount(`another miner ${addresses++}`)
      for (let i = 0; i < depth; i++)
        await node.rpc.call('generateblock', [address, i === 0 ? transactions : []], z.object({ hash: z.string() }))
      await until(isRead)
    },
    async stop(): Promise<void> {
      stopping.abort()
      await following
      await sql.end()
      await database.drop()
      await node.stop()
    },
  }
}

/** The suite pays single units, which would be dust here. */
const unit = 10_000n
/** Each payout brings this for the network. */
const forNetwork = 20_000n
const [recipient, feeCollector, networkCollector] = ['recipient', 'fees', 'network'].map((name) => keyHashAccount(name).address)

function faulty(source: BitcoinSource, step: () => Promise<void> | void, lie: Lie | undefined): BitcoinSource {
  const between = async <T>(work: () => Promise<T>): Promise<T> => {
    await step()
    const answer = await work()
    await step()
    return answer
  }
  return {
    ...source,
    feeRates: (signal) => between(() => source.feeRates(signal)),
    broadcast: (raw, signal) => between(async () => (lie === 'drops' ? undefined : source.broadcast(raw, signal))),
  }
}

/** What the suites of payouts test. They know nothing of fees, so each payout gets a leg for the network here. */
export async function bitcoinPayoutsUnderTest(startNode: () => Promise<BitcoinNode>): Promise<PayoutsUnderTest> {
  const ground = await prepareBitcoin(startNode)
  const { sql, config, source, faucet } = ground
  const scaled = ({ to, amount }: Leg): Leg => ({ to, amount: amount * unit })
  return {
    confirmations: needed,
    sql,
    token: null,
    paysItself: true,
    // What was mined is read from blocks, by whoever follows the chain.
    lies: ['drops'],
    create: ({ step = () => undefined, isImpatient = false, lie } = {}): Payouts => {
      const payouts = bitcoinPayouts({
        config: { ...config, ...(isImpatient && { replaceAfterMs: 100 }) },
        source: faulty(source, step, lie),
      })
      return {
        ...payouts,
        enqueue: (tx, payout) =>
          payouts.enqueue(tx, {
            ...payout,
            legs: [...payout.legs.map(scaled), { to: networkCollector!, amount: forNetwork, paysNetwork: true }],
          }),
        run: (ports, signal) =>
          payouts.run(
            {
              ...ports,
              sql: interruptedTransactions(sql, step),
              report: (tx, payout, outcome) =>
                ports.report(tx, payout, outcome.state === 'confirmed' ? { ...outcome, paid: outcome.paid.slice(0, -1) } : outcome),
            },
            signal,
          ),
      }
    },
    /** Several payouts of an order can be sent at once only if they find a coin each. */
    fund: async (orderId, amount) => {
      const address = ground.depositOf(orderId)
      const coins = amount <= 30n ? Number(amount) : 1
      for (let i = 0; i < coins; i++) await faucet.pay(address, (amount * unit) / BigInt(coins) + forNetwork)
      await ground.mine(needed)
    },
    balance: async (address) => (await ground.balance(address)) / unit,
    freshAddress: ground.freshAddress,
    recipient: recipient!,
    feeCollector: feeCollector!,
    impossible: { legs: [{ to: recipient!, amount: 1n }] },
    mine: ground.mine,
    reorg: ground.reorg,
    stop: ground.stop,
  }
}
