import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { address } from '@solana/kit'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type BitcoinNode, findBitcoind } from '../../local/bitcoin/find-bitcoind.ts'
import { feeCollector, payers } from '../../local/chains/accounts.ts'
import { solanaOperator } from '../../local/solana/accounts.ts'
import { solanaFacts } from '../../server/chains/presets/solana.ts'
import type { Order } from '../../src/wire/order.ts'
import { type BitcoinMiner, startBitcoinMiner } from '../campaign/bitcoin-miner.ts'
import { type BitcoinPayer, createBitcoinPayer } from '../campaign/bitcoin-payer.ts'
import { type SolanaChain, solanaChainEntry, startSolanaChain } from '../campaign/solana-chain.ts'
import { usdcOnSolana } from '../campaign/solana-order.ts'
import { bitcoin, bitcoinEntry, bitcoinEnv } from '../chains/bitcoin/support.ts'
import { solanaEnv } from '../chains/solana/support.ts'
import { type Client, Refused } from '../support/client/client.ts'
import { full, seed } from '../support/full.ts'
import { bitcoinBooks } from '../support/orders/bitcoin-books.ts'
import { bitcoinHistory } from '../support/orders/bitcoin-history.ts'
import { checkout, currencyOf, expectAllTransfersEnded, expectBooks, untilStatus } from '../support/orders/payments.ts'
import { solanaBooks } from '../support/orders/solana-books.ts'
import { solanaHistory } from '../support/orders/solana-history.ts'
import { createRandom } from '../support/random.ts'
import { until } from '../support/wait.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { newAddress, solanaChain } from '../support/service/solana-stage.ts'
import { keyHashAccount, taprootAccount } from '../support/wallets/bitcoin-wallet.ts'
import { termsAddress } from '../../src/wire/terms/terms-hash.ts'

/**
 * Kills the service at random moments while orders are made and paid, and restarts it on the same data. Merchants retry unanswered calls
 * with the same key. In the end nothing may be lost or done twice.
 */
const rounds = full ? 200 : 20

/**
 * A block of Bitcoin comes every ten minutes, and here four come each second, also while the service is down. It lives for about a second between two
 * kills, and on a busy machine it then reads fewer blocks than come, so in the end hundreds of them would lie between it and its payers. So the
 * chain does not grow while this many blocks are unread, which is what one step of the service reads.
 */
const mostUnread = 8

let stage: Stage
let merchant: Merchant
let node: BitcoinNode
let payer: BitcoinPayer
let miner: BitcoinMiner
let solana: SolanaChain
const inBitcoin = { recipient: taprootAccount('shop of kill -9').address, feeCollector: keyHashAccount('fees of kill -9').address }
const onSolana = { recipient: newAddress(), feeCollector: newAddress() }
const serviceEnv = { ...bitcoinEnv, ...solanaEnv }

async function readInBitcoin(): Promise<number | undefined> {
  const [cursor] = await stage.database.sql<{ block: number }[]>`
    select block::int from chain_cursors where chain_id = ${bitcoin.chain_id}`
  return cursor?.block
}

const heightOfBitcoin = () => node.rpc.call('getblockcount', [], z.number())

async function isReadInBitcoin(): Promise<boolean> {
  const [read, height] = await Promise.all([readInBitcoin(), heightOfBitcoin()])
  return read === undefined || height - read < mostUnread
}

beforeAll(async () => {
  node = await findBitcoind(process.env)
  payer = await createBitcoinPayer(node.rpc, 'kill -9', 1_000)
  solana = await startSolanaChain()
  for (const owner of Object.values(onSolana)) await solana.local.node.faucet.pay(address(owner), solanaFacts.leastCoins)
  const settings = { nodes: [{ rpc_url: node.url }], confirmations: [{ blocks: 3 }], poll_ms: 40, replace_after_ms: 5_000 }
  stage = await startStage({ otherChains: [bitcoinEntry(settings), solanaChainEntry(solana)] })
  miner = startBitcoinMiner(node.rpc, { mayMine: isReadInBitcoin })
  stage.prices.set('btc', { usd: '65000' })
  stage.prices.set('sol', { usd: '150' })
  const recipient = privateKeyToAddress(generatePrivateKey()).toLowerCase()
  merchant = await stage.merchant({
    settlements: [
      { chainId: 8453, address: stage.base.token('USDC'), recipient, feeCollector: feeCollector.address },
      { chainId: bitcoin.chain_id, address: null, ...inBitcoin },
      ...[usdcOnSolana, null].map((token) => ({ chainId: solanaChain.chain_id, address: token, ...onSolana })),
    ],
  })
})
afterAll(async () => {
  await miner?.stop()
  await stage?.close()
  await node?.stop()
  await solana?.close()
})

/** Retries until there is an answer, however often the service is killed. */
async function insist<T>(ask: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (;;) {
    signal.throwIfAborted()
    try {
      return await ask()
    } catch (error) {
      if (error instanceof Refused && error.status < 500) throw error
      await sleep(20)
    }
  }
}

/** The transfers that pay an order of 10, some of them too much in total. */
const paymentSplits: readonly (readonly bigint[])[] = [
  [10_000_000n],
  [3_700_000n, 6_300_000n],
  [1n, 4_999_999n, 5_000_000n],
  [12_000_000n],
  [9_999_999n, 3n],
]

/** What pays an order in bitcoin: at once, in parts, and with a surplus that nobody can return or that is dust. */
const bitcoinSplits: readonly ((required: bigint) => readonly bigint[])[] = [
  (required) => [required],
  (required) => [required / 3n, required - required / 3n],
  (required) => [600n, required - 600n],
  (required) => [required + 50_000n],
  (required) => [required + 200n],
]

/** What pays an order on Solana, with a surplus that nobody can return or that is too little to stay in an account of its own. */
const solanaSplits: readonly ((required: bigint) => readonly bigint[])[] = [
  (required) => [required],
  (required) => [required / 3n, required - required / 3n],
  (required) => [required + 2_000_000n],
  (required) => [required + 200n],
]

interface Asset {
  readonly chain_id: number
  readonly address: string | null
}

/** A shop that is paid on another chain than the others are. */
interface OtherShop {
  readonly name: string
  readonly usd: string
  /** Its orders take turns with these. */
  readonly sources: readonly Asset[]
  readonly splits: readonly ((required: bigint) => readonly bigint[])[]
  readonly pay: (source: Asset, to: string, amount: bigint) => Promise<unknown>
}

const otherShops: readonly OtherShop[] = [
  { name: 'bitcoin', usd: '60', sources: [bitcoin], splits: bitcoinSplits, pay: (_, to, amount) => payer.pay(to, amount) },
  {
    name: 'solana',
    usd: '10',
    sources: [usdcOnSolana, null].map((token) => ({ ...solanaChain, address: token })),
    splits: solanaSplits,
    pay: (source, to, amount) => solana.payer.pay(source.address, to, amount),
  },
]

test(
  `behavior: ${rounds} rounds of kill -9 during payments, seed ${seed}: nothing lost, nothing doubled`,
  { timeout: full ? 3_600_000 : 900_000 },
  async () => {
    let process: Process = await stage.start(serviceEnv)
    const stopped = new AbortController()
    const made: { order: Order; sent: bigint }[] = []
    const client = (): Client => merchant.at(process)
    let answered = 0

    const otherOrders = new Map<string, string[]>(otherShops.map(({ name }) => [name, []]))
    const ordersOf = (name: string) => otherOrders.get(name)!
    /** Creates an order and asks how to pay it. */
    const open = async (key: string, amount: string, source?: Asset) => {
      const body = { mode: 'SALE', amount, fiat_unit: 'usd' }
      const order = await insist(
        () => client().ask('createOrder', { body, headers: { 'idempotency-key': key } }),
        new AbortController().signal,
      )
      const path = { params: { order_id: order.id } }
      const currency = source ?? currencyOf(order)
      const { data } = await insist(
        () => client().ask('requestPayment', { ...path, body: { source: { currency, payment_rail: 'CRYPTO' } } }),
        new AbortController().signal,
      )
      const step = data.steps[0]
      if (step?.kind !== 'deposit') throw new Error('no deposit step')
      return { order, step }
    }

    const shop = async (lane: number) => {
      for (let turn = 0; !stopped.signal.aborted; turn++) {
        const { order, step } = await open(`${lane}-${turn}`, '10')
        const parts = paymentSplits[(lane + turn) % paymentSplits.length]!
        answered++
        made.push({ order, sent: parts.reduce((sum, part) => sum + part, 0n) })
        for (const part of parts) await stage.base.sendToken(payers[lane]!, 'USDC', step.data.deposit_address, part)
        await sleep(full ? 1_500 : 100)
      }
    }
    const otherShop = async ({ name, usd, sources, splits, pay }: OtherShop) => {
      for (let turn = 0; !stopped.signal.aborted; turn++) {
        const source = sources[turn % sources.length]!
        const { order, step } = await open(`${name}-${turn}`, usd, source)
        ordersOf(name).push(order.id)
        // Each of the sources gets each of the splits.
        const parts = splits[Math.floor(turn / sources.length) % splits.length]!(BigInt(step.data.amount))
        for (const part of parts) await pay(source, step.data.deposit_address, part)
        await sleep(full ? 1_500 : 500)
      }
    }
    const shops = [...[0, 1, 2, 3].map(shop), ...otherShops.map(otherShop)]
    const broken = Promise.race(shops).then(() => stopped.signal.aborted || Promise.reject(new Error('a shop stopped by itself')))
    broken.catch(() => undefined)

    const random = createRandom(seed)
    const log: string[] = []
    // A shop whose payments take longer than a round has fewer orders, and a payer on Solana waits until his payment is final.
    const isEnough = () => ordersOf('bitcoin').length >= rounds / 2 && ordersOf('solana').length >= rounds / 5
    for (let round = 0; round < rounds || !isEnough(); round++) {
      // Starting takes most of the time on a busy machine, so a round lasts until some calls were answered and then ends at random.
      const enough = answered + random.int(0, 3)
      await Promise.race([until(() => answered >= enough, { timeout: 60_000 }), broken])
      await Promise.race([sleep(random.int(0, 600)), broken])
      await process.service.kill9()
      log.push(process.service.output())
      process = await stage.start({ ...serviceEnv, PORT: new URL(process.baseUrl).port })
    }
    stopped.abort()
    await Promise.all(shops)

    // The time-out covers leases that killed processes left behind and that must expire first. The database is asked, because hundreds of clients that
    // ask for their orders all the time would be most of what the service does.
    const paid = [...made.map(({ order }) => order.id), ...[...otherOrders.values()].flat()]
    const allCompleted = async () => {
      const uncompleted = await stage.database.sql`select id, status from orders where id = any(${paid}) and status <> 'COMPLETED'`
      if (uncompleted.length > 0) throw new Error(`${uncompleted.length} are not: ${JSON.stringify(uncompleted.slice(0, 5))}`)
      return true
    }
    const patience = { timeout: full ? 900_000 : 120_000, every: 200, what: 'all orders are COMPLETED' }
    await until(allCompleted, patience).catch(async (error: Error) => {
      const open = await stage.database.sql`
        select state, nonce, mined_block, updated_at, (select array_agg(tx_hash order by signed_at) from send_attempts where send_id = sends.id) as hashes
        from sends where state <> 'confirmed' order by nonce nulls last limit 20`
      const openInBitcoin = await stage.database.sql`
        select id, state, coins, mined_height, problem,
          (select array_agg(txid || ' ' || fee || ' ' || signed_at order by signed_at) from bitcoin_attempts a where a.send_id = p.send_id) as attempts
        from bitcoin_payouts p where state in ('queued', 'sent') limit 20`
      const openOnSolana = await stage.database.sql`
        select id, state, signature, mined_slot, failures, problem from solana_payouts where state in ('queued', 'sent') limit 20`
      const chain = {
        read: await readInBitcoin(),
        height: await heightOfBitcoin(),
        waiting: await node.rpc.call('getrawmempool', [], z.array(z.string())),
        mined: miner.mined(),
      }
      const state = { sends: open, payouts: { openInBitcoin, openOnSolana }, chain, output: process.service.output().slice(-3_000) }
      throw new Error(`${error.message}\n${made.length} orders; under way: ${JSON.stringify(state, undefined, 1)}`, { cause: error })
    })
    const { base, database } = stage
    const { sql } = database
    const { number } = await base.chain.head(AbortSignal.timeout(60_000))
    const [received] = await base.chain.balances([merchant.recipient], base.token('USDC'), number, AbortSignal.timeout(60_000))
    expect(made.length).toBeGreaterThanOrEqual(rounds)
    expect(received).toBe(10_000_000n * BigInt(made.length))
    expect((await client().ask('listOrders')).pagination.total_count).toBe(paid.length)

    // Each order was settled exactly once, several of them perhaps by one transaction.
    const deposits = new Map(made.map(({ order }) => [order.terms === undefined ? '' : termsAddress(order.terms), order.id]))
    const { transfers } = await base.chain.scan(1, number, AbortSignal.timeout(60_000))
    const settled = transfers.filter((transfer) => transfer.to === merchant.recipient)
    expect(settled.map((transfer) => deposits.get(transfer.from)).sort()).toEqual(made.map(({ order }) => order.id).sort())

    const final = await sql`
      select tx_hash from send_attempts join sends on sends.id = send_id where kind in ('settlement', 'batch') and is_final and not is_empty`
    expect(new Set(settled.map((transfer) => transfer.txHash))).toEqual(new Set(final.map((row) => row.tx_hash as string)))

    // Every transfer is booked once and final, and any excess is still at the deposit address.
    const arrived = transfers
      .filter((transfer) => deposits.has(transfer.to))
      .map((transfer) => `${transfer.chainId}:${transfer.txHash}:${transfer.logIndex}`)
    const recorded = await sql`select key from transfers where chain_id = 8453`
    expect(recorded.map(({ key }) => key as string).sort()).toEqual(arrived.sort())
    await expectAllTransfersEnded(stage)
    await expectBooks(stage)
    const books = await bitcoinBooks(sql, await bitcoinHistory(node.rpc), [{ organizationId: merchant.organization.id, ...inBitcoin }])
    const booksOnSolana = await solanaBooks(sql, await solanaHistory(solana.local.node.url), {
      operator: solanaOperator.address,
      payees: [{ organizationId: merchant.organization.id, ...onSolana }],
    })
    expect(ordersOf('bitcoin').length).toBeGreaterThanOrEqual(rounds / 2)
    expect(ordersOf('solana').length).toBeGreaterThanOrEqual(rounds / 5)
    for (const [name, { timesSettled }] of [
      ['bitcoin', books],
      ['solana', booksOnSolana],
    ] as const)
      expect(ordersOf(name).map((id) => timesSettled.get(id))).toEqual(ordersOf(name).map(() => 1))
    for (const check of [books.transfers, books.deposits, books.payees]) expect((await check()).wrong).toEqual([])
    for (const check of [
      booksOnSolana.transfers,
      booksOnSolana.deposits,
      booksOnSolana.payees,
      booksOnSolana.operator,
      booksOnSolana.payouts,
    ])
      expect((await check()).wrong).toEqual([])
    const facts =
      await sql`select order_id from facts where fact->>'type' = 'became' and fact->>'status' = 'COMPLETED' group by order_id having count(*) <> 1`
    expect([...facts]).toEqual([])
    const backwards = await sql`
    select seq from (select seq, body::json->'order'->>'updated_at' as at, lag(body::json->'order'->>'updated_at') over (partition by order_id order by xid, seq) as before from events) e where at <= before`
    expect([...backwards]).toEqual([])
    for (const output of [...log, process.service.output()]) expect(output).not.toMatch(/"level":(50|60)/)

    // The service still works.
    const after = await checkout(client(), { amount: '10', fiat_unit: 'usd' })
    await base.sendToken(payers[0]!, 'USDC', after.deposit, after.required)
    await untilStatus(client(), after.id, 'COMPLETED')
  },
)
