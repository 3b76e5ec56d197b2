import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import * as z from 'zod'
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts'
import { type BitcoinNode, findBitcoind } from '../../local/bitcoin/find-bitcoind.ts'
import { feeCollector, payers } from '../../local/chains/accounts.ts'
import type { Order } from '../../src/wire/order.ts'
import { type BitcoinMiner, startBitcoinMiner } from '../campaign/bitcoin-miner.ts'
import { type BitcoinPayer, createBitcoinPayer } from '../campaign/bitcoin-payer.ts'
import { bitcoin, bitcoinEntry, bitcoinEnv } from '../chains/bitcoin/support.ts'
import { type Client, Refused } from '../support/client/client.ts'
import { full, seed } from '../support/full.ts'
import { bitcoinBooks } from '../support/orders/bitcoin-books.ts'
import { bitcoinHistory } from '../support/orders/bitcoin-history.ts'
import { checkout, currencyOf, expectAllTransfersEnded, expectBooks, untilStatus } from '../support/orders/payments.ts'
import { createRandom } from '../support/random.ts'
import { until } from '../support/wait.ts'
import { type Merchant, type Process, type Stage, startStage } from '../support/service/stage.ts'
import { keyHashAccount, taprootAccount } from '../support/wallets/bitcoin-wallet.ts'
import { termsAddress } from '../../src/wire/terms/terms-hash.ts'

/**
 * Kills the service at random moments while orders are made and paid, and restarts it on the same data. Merchants retry unanswered calls
 * with the same key. In the end nothing may be lost or done twice.
 */
const rounds = full ? 200 : 20

let stage: Stage
let merchant: Merchant
let node: BitcoinNode
let payer: BitcoinPayer
let miner: BitcoinMiner
const inBitcoin = { recipient: taprootAccount('shop of kill -9').address, feeCollector: keyHashAccount('fees of kill -9').address }
beforeAll(async () => {
  node = await findBitcoind(process.env)
  payer = await createBitcoinPayer(node.rpc, 'kill -9', 1_000)
  miner = startBitcoinMiner(node.rpc)
  const settings = { nodes: [{ rpc_url: node.url }], confirmations: [{ blocks: 3 }], poll_ms: 40, replace_after_ms: 5_000 }
  stage = await startStage({ otherChains: [bitcoinEntry(settings)] })
  stage.prices.set('btc', { usd: '65000' })
  const recipient = privateKeyToAddress(generatePrivateKey()).toLowerCase()
  merchant = await stage.merchant({
    settlements: [
      { chainId: 8453, address: stage.base.token('USDC'), recipient, feeCollector: feeCollector.address },
      { chainId: bitcoin.chain_id, address: null, ...inBitcoin },
    ],
  })
})
afterAll(async () => {
  await stage?.close()
  await miner?.stop()
  await node?.stop()
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

test(
  `behavior: ${rounds} rounds of kill -9 during payments, seed ${seed}: nothing lost, nothing doubled`,
  { timeout: full ? 3_600_000 : 600_000 },
  async () => {
    let process: Process = await stage.start(bitcoinEnv)
    const stopped = new AbortController()
    const made: { order: Order; sent: bigint }[] = []
    const client = (): Client => merchant.at(process)
    let answered = 0

    const bitcoinOrders: string[] = []
    /** Creates an order and asks how to pay it. */
    const open = async (key: string, amount: string, source?: typeof bitcoin) => {
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
    const bitcoinShop = async () => {
      for (let turn = 0; !stopped.signal.aborted; turn++) {
        const { order, step } = await open(`bitcoin-${turn}`, '60', bitcoin)
        bitcoinOrders.push(order.id)
        const parts = bitcoinSplits[turn % bitcoinSplits.length]!(BigInt(step.data.amount))
        for (const part of parts) await payer.pay(step.data.deposit_address, part)
        await sleep(full ? 1_500 : 500)
      }
    }
    const shops = [...[0, 1, 2, 3].map(shop), bitcoinShop()]
    const broken = Promise.race(shops).then(() => stopped.signal.aborted || Promise.reject(new Error('a shop stopped by itself')))
    broken.catch(() => undefined)

    const random = createRandom(seed)
    const log: string[] = []
    for (let round = 0; round < rounds; round++) {
      // Starting takes most of the time on a busy machine, so a round lasts until some calls were answered and then ends at random.
      const enough = answered + random.int(0, 3)
      await Promise.race([until(() => answered >= enough, { timeout: 60_000 }), broken])
      await Promise.race([sleep(random.int(0, 600)), broken])
      await process.service.kill9()
      log.push(process.service.output())
      process = await stage.start({ ...bitcoinEnv, PORT: new URL(process.baseUrl).port })
    }
    stopped.abort()
    await Promise.all(shops)

    // The time-out covers leases that killed processes left behind and that must expire first.
    const paid = [...made.map(({ order }) => order.id), ...bitcoinOrders]
    await Promise.all(paid.map((id) => untilStatus(client(), id, 'COMPLETED', full ? 900_000 : 120_000))).catch(async (error: Error) => {
      const open = await stage.database.sql`
        select state, nonce, mined_block, updated_at, (select array_agg(tx_hash order by signed_at) from send_attempts where send_id = sends.id) as hashes
        from sends where state <> 'confirmed' order by nonce nulls last limit 20`
      const openInBitcoin = await stage.database.sql`
        select id, state, coins, mined_height, problem,
          (select array_agg(txid || ' ' || fee || ' ' || signed_at order by signed_at) from bitcoin_attempts a where a.send_id = p.send_id) as attempts
        from bitcoin_payouts p where state in ('queued', 'sent') limit 20`
      const [read] = await stage.database.sql`select block from chain_cursors where chain_id = ${bitcoin.chain_id}`
      const chain = {
        read,
        height: await node.rpc.call('getblockcount', [], z.number()),
        waiting: await node.rpc.call('getrawmempool', [], z.array(z.string())),
        mined: miner.mined(),
      }
      const state = { sends: open, payouts: openInBitcoin, chain, output: process.service.output().slice(-3_000) }
      throw new Error(`${error.message}\n${made.length} orders; under way: ${JSON.stringify(state, undefined, 1)}`, { cause: error })
    })
    const { base, database } = stage
    const { sql } = database
    const { number } = await base.chain.head(AbortSignal.timeout(5_000))
    const [received] = await base.chain.balances([merchant.recipient], base.token('USDC'), number, AbortSignal.timeout(5_000))
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
    const recorded = await sql`select key from transfers where chain_id <> ${bitcoin.chain_id}`
    expect(recorded.map(({ key }) => key as string).sort()).toEqual(arrived.sort())
    await expectAllTransfersEnded(stage)
    await expectBooks(stage)
    const books = await bitcoinBooks(sql, await bitcoinHistory(node.rpc), [{ organizationId: merchant.organization.id, ...inBitcoin }])
    expect(bitcoinOrders.length).toBeGreaterThanOrEqual(rounds / 2)
    expect(bitcoinOrders.map((id) => books.timesSettled.get(id))).toEqual(bitcoinOrders.map(() => 1))
    for (const { wrong } of [await books.transfers(), await books.deposits(), await books.payees()]) expect(wrong).toEqual([])
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
