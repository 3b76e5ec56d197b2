import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import type { BitcoinConfig } from '../../../server/chains/bitcoin/bitcoin-config.ts'
import { bitcoindSource } from '../../../server/chains/bitcoin/bitcoind-source.ts'
import { bitcoinFeed } from '../../../server/chains/bitcoin/feed.ts'
import { parseTransaction } from '../../../server/chains/bitcoin/raw-transaction.ts'
import type { BitcoinSource } from '../../../server/chains/bitcoin/source.ts'
import type { Follower, Observer, ReplacedTransfer, SeenTransfer } from '../../../server/chains/feed.ts'
import { connect, type Sql } from '../../../server/database/connect.ts'
import { createNotebook, type Notebook } from '../../contracts/feed-notebook.ts'
import { bitcoinNodes, type NodeToTest, recordNodes } from '../../support/service/bitcoin-nodes.ts'
import { createDatabase, type TestDatabase } from '../../support/service/database.ts'
import { spend, type OwnedCoin } from '../../support/wallets/bitcoin-wallet.ts'
import { createTestBitcoin, testConfig, type TestBitcoin } from './test-bitcoin.ts'

/** Payments that wait for a block, and what can happen to them there. */

const { recorded, say } = recordNodes()
afterAll(() => say('The mempool of Bitcoin'))

for (const { name, start } of bitcoinNodes) describe(`Bitcoin on ${name}`, () => mempoolOn(start))

function mempoolOn(start: NodeToTest['start']): void {
  const signal = AbortSignal.timeout(600_000)
  let bitcoin: TestBitcoin
  let database: TestDatabase
  let sql: Sql
  let notebook: Notebook
  let follow: Follower
  let address: string
  let reports: { transfers: readonly SeenTransfer[]; replaced: readonly ReplacedTransfer[] }[]
  /** The source that the feed reads, parts of which a test may replace. */
  let lies: Partial<BitcoinSource>
  /** The process is killed when it reports a transfer from a block. */
  let isKilled: boolean

  beforeAll(async () => {
    bitcoin = await createTestBitcoin(await recorded(start()), 80)
  })
  afterAll(() => bitcoin?.node.stop())
  beforeEach(async () => {
    database = await createDatabase()
    sql = connect(database.url)
    notebook = createNotebook(() => undefined)
    reports = []
    lies = {}
    isKilled = false
    bitcoin.clearQueue()
    address = newAddress()
    follow = startProcess()
    await catchUp()
  })
  afterEach(async () => {
    await sql?.end()
    await database?.drop()
  })

  function startProcess(more: Partial<BitcoinConfig> = {}): Follower {
    const config = testConfig(bitcoin.node.url, more)
    const honest = bitcoindSource({ ...config, node: { url: bitcoin.node.url, auth: undefined } })
    const source: BitcoinSource = { ...honest, ...lies }
    const observer: Observer = {
      ...notebook.observer,
      async arrived(transfers, replaced = []) {
        if (isKilled && transfers.some(({ at }) => at)) throw new Error('killed')
        if (transfers.length > 0 || replaced.length > 0) reports.push({ transfers, replaced })
        return notebook.observer.arrived(transfers, replaced)
      },
    }
    return bitcoinFeed(config, source).follower({ sql, log: { warn: () => undefined }, observer })
  }

  function newAddress(): string {
    const made = bitcoin.newAddress()
    notebook.watch(made)
    return made
  }

  /** Takes steps until one reports nothing. */
  async function catchUp(): Promise<void> {
    for (let before = -1; before !== notebook.reports();) {
      before = notebook.reports()
      await follow(signal)
    }
  }

  const seen = () => notebook.transfersTo(address).map(({ txHash, state, at }) => [txHash, state, at?.height])
  async function coinOf(txid: string) {
    const [row] = await sql`select height, block_hash, replaced_by, spent_by, spent_height from bitcoin_coins where txid = ${txid}`
    return row
  }

  async function pay(coin: OwnedCoin, outputs: readonly (readonly [string, bigint])[]): Promise<string> {
    const txid = await bitcoin.send(bitcoin.make([coin], outputs))
    await catchUp()
    return txid
  }

  test('default: a payment is seen while it waits, with the confirmations that its amount will need, and is the same one in a block', async () => {
    follow = startProcess({ confirmations: [{ below: 200_000n, blocks: 1 }, { below: 500_000n, blocks: 3 }, { blocks: 6 }] })
    await catchUp()
    const paid = [199_999n, 200_000n, 500_000n]
    const txids: string[] = []
    for (const amount of paid) txids.push(await pay(bitcoin.takeCoin(), [[address, amount]]))
    const waiting = notebook.transfersTo(address)
    expect(waiting.map(({ amount, needed, confirmations, at }) => [amount, needed, confirmations, at])).toEqual([
      [199_999n, 1, 0, undefined],
      [200_000n, 3, 0, undefined],
      [500_000n, 6, 0, undefined],
    ])
    bitcoin.queue(...txids)
    const hash = await bitcoin.mine()
    await catchUp()
    const height = await bitcoin.height()
    expect(notebook.transfersTo(address).map(({ key }) => key)).toEqual(waiting.map(({ key }) => key))
    expect(seen()).toEqual([
      [txids[0], 'final', height],
      [txids[1], 'pending', height],
      [txids[2], 'pending', height],
    ])
    expect(await coinOf(txids[0]!)).toMatchObject({ height, block_hash: hash, replaced_by: null, spent_by: null })
  })

  test('behavior: a payment is seen when the database says, also by a process whose clock is hours ahead', async () => {
    const before = Date.now()
    vi.spyOn(Date, 'now').mockImplementation(() => before + 5 * 3_600_000)
    try {
      const txid = await pay(bitcoin.takeCoin(), [[address, 200_000n]])
      bitcoin.queue(txid)
      await bitcoin.mine()
      await catchUp()
    } finally {
      vi.mocked(Date.now).mockRestore()
    }
    const times = reports.flatMap(({ transfers }) => transfers.map(({ seenAt }) => seenAt))
    expect(times).toHaveLength(2)
    for (const seenAt of times) expect(Math.abs(seenAt! - before)).toBeLessThan(600_000)
  })

  test('behavior: a replacement that still pays is one report, and one that does not is a report that it is replaced', async () => {
    const coin = bitcoin.takeCoin()
    const first = await pay(coin, [[address, 900_000n]])
    reports = []
    const second = await pay(coin, [[address, 800_000n]])
    expect(reports).toMatchObject([
      { transfers: [{ txHash: second, to: address, amount: 800_000n, confirmations: 0 }], replaced: [{ to: address, by: second }] },
    ])
    expect(reports[0]!.replaced[0]!.key).toBe(`20000000000001:${first}:0`)
    expect(seen()).toEqual([[second, 'pending', undefined]])
    reports = []
    const third = await pay(coin, [[bitcoin.newAddress(), 700_000n]])
    expect(reports).toEqual([{ transfers: [], replaced: [{ key: `20000000000001:${second}:0`, to: address, by: third }] }])
    expect(seen()).toEqual([])
    expect([await coinOf(first), await coinOf(second)]).toMatchObject([{ replaced_by: second }, { replaced_by: third }])
    bitcoin.queue(third)
    await bitcoin.mine(3)
    await catchUp()
    expect(seen()).toEqual([])
  })

  test('behavior: a replaced payment that is mined after all arrives again', async () => {
    const coin = bitcoin.takeCoin()
    const first = bitcoin.make([coin], [[address, 900_000n]])
    await bitcoin.send(first)
    await catchUp()
    await pay(coin, [[bitcoin.newAddress(), 700_000n]])
    expect(seen()).toEqual([])
    await bitcoin.mineOnly([first.hex])
    await catchUp()
    expect(seen()).toEqual([[first.id, 'pending', await bitcoin.height()]])
    expect(await coinOf(first.id)).toMatchObject({ replaced_by: null, height: await bitcoin.height() })
  })

  test('behavior: a double spend that nobody saw waiting counts once it is in a block, also one of a parent that waits', async () => {
    const [coin, other] = [bitcoin.takeCoin(), bitcoin.takeCoin()]
    const direct = await pay(coin, [[address, 900_000n]])
    const { owner } = other
    const parent = bitcoin.make([other], [[owner.address, 900_000n]])
    await bitcoin.send(parent)
    const child = await pay({ owner, txid: parent.id, vout: 0, amount: 900_000n }, [[address, 500_000n]])
    expect(seen()).toEqual([
      [direct, 'pending', undefined],
      [child, 'pending', undefined],
    ])
    reports = []
    const doubles = [bitcoin.make([coin], []), bitcoin.make([other], [])]
    await bitcoin.mineOnly([doubles[0]!.hex])
    await catchUp()
    expect(reports).toMatchObject([{ transfers: [], replaced: [{ to: address, by: doubles[0]!.id }] }])
    await bitcoin.mineOnly([doubles[1]!.hex])
    await catchUp()
    expect(reports.slice(1)).toMatchObject([{ transfers: [], replaced: [{ to: address, by: doubles[1]!.id }] }])
    expect(seen()).toEqual([])
  })

  test('behavior: a parent that is mined first is no conflict', async () => {
    const coin = bitcoin.takeCoin()
    const parent = bitcoin.make([coin], [[coin.owner.address, 900_000n]])
    await bitcoin.send(parent)
    const child = await pay({ owner: coin.owner, txid: parent.id, vout: 0, amount: 900_000n }, [[address, 500_000n]])
    await bitcoin.mineOnly([parent.id])
    await catchUp()
    expect(seen()).toEqual([[child, 'pending', undefined]])
  })

  test('behavior: a payment that is missing without a conflict stays, and is not reported again', async () => {
    const txid = await pay(bitcoin.takeCoin(), [[address, 900_000n]])
    reports = []
    lies = { waiting: async () => new Set() }
    follow = startProcess()
    await catchUp()
    await bitcoin.mineOnly([])
    await catchUp()
    expect([seen(), reports]).toEqual([[[txid, 'pending', undefined]], []])
  })

  test('error: a spender that a node invents replaces nothing', async () => {
    const other = await pay(bitcoin.takeCoin(), [[bitcoin.newAddress(), 900_000n]])
    const txid = await pay(bitcoin.takeCoin(), [[address, 900_000n]])
    lies = { waiting: async () => new Set([other]), spenders: async (outpoints) => outpoints.map(() => other) }
    follow = startProcess()
    await catchUp()
    expect(seen()).toEqual([[txid, 'pending', undefined]])
  })

  test('behavior: a snapshot of the mempool is discarded if a block arrived while it was read', async () => {
    const coin = bitcoin.takeCoin()
    const txid = await bitcoin.send(bitcoin.make([coin], [[address, 900_000n]]))
    const config = testConfig(bitcoin.node.url)
    const { waiting } = bitcoindSource({ ...config, node: { url: bitcoin.node.url, auth: undefined } })
    lies = {
      async waiting(until) {
        const before = await waiting(until)
        if (before.has(txid)) await bitcoin.mineOnly([txid])
        return before
      },
    }
    follow = startProcess()
    await catchUp()
    await catchUp()
    expect(reports.flatMap(({ transfers }) => transfers).every(({ at }) => at)).toBe(true)
    expect(seen()).toEqual([[txid, 'pending', await bitcoin.height()]])
  })

  test('behavior: a payment that waits is seen although a block arrives during every step', async () => {
    const coin = bitcoin.takeCoin()
    const txid = await bitcoin.send(bitcoin.make([coin], [[address, 900_000n]]))
    const config = testConfig(bitcoin.node.url)
    const { transactions } = bitcoindSource({ ...config, node: { url: bitcoin.node.url, auth: undefined } })
    lies = {
      async transactions(txids, until) {
        const read = await transactions(txids, until)
        await bitcoin.mineOnly([])
        return read
      },
    }
    follow = startProcess()
    await follow(signal)
    await follow(signal)
    expect(seen()).toEqual([[txid, 'pending', undefined]])
  })

  test('behavior: a reorganisation of three leaves a payment waiting, and the new branch may include it or double-spend it', async () => {
    const coins = [bitcoin.takeCoin(), bitcoin.takeCoin(), bitcoin.takeCoin()]
    const txids: string[] = []
    for (const coin of coins) txids.push(await pay(coin, [[address, 900_000n]]))
    bitcoin.queue(...txids)
    await bitcoin.mine(3)
    await catchUp()
    expect(seen().map(([, state]) => state)).toEqual(['final', 'final', 'final'])
    await bitcoin.invalidate(3)
    // The first is included again, the second is double-spent, and the third waits.
    const double = bitcoin.make([coins[1]!], [])
    await bitcoin.mineOnly([txids[0]!, double.hex])
    for (let i = 0; i < 3; i++) await bitcoin.mineOnly([])
    await catchUp()
    const height = await bitcoin.height()
    expect(seen()).toEqual([
      [txids[0], 'final', height - 3],
      [txids[2], 'pending', undefined],
    ])
    expect(await coinOf(txids[1]!)).toMatchObject({ height: null, block_hash: null, replaced_by: double.id })
    expect(await coinOf(txids[2]!)).toMatchObject({ height: null, block_hash: null, replaced_by: null })
  })

  test('behavior: a payment in a block whose report was interrupted is replaced if another block with a double spend takes its place', async () => {
    const coin = bitcoin.takeCoin()
    const txid = await pay(coin, [[address, 900_000n]])
    await bitcoin.mineOnly([txid])
    isKilled = true
    await expect(catchUp()).rejects.toThrow('killed')
    isKilled = false
    await bitcoin.invalidate(1)
    const double = bitcoin.make([coin], [])
    await bitcoin.mineOnly([double.hex])
    follow = startProcess()
    await catchUp()
    expect(seen()).toEqual([])
    expect(await coinOf(txid)).toMatchObject({ height: null, replaced_by: double.id })
  })

  test('behavior: what spends our coins is noted from blocks, and taken back by a reorganisation', async () => {
    const coin = bitcoin.takeCoin()
    notebook.watch(coin.owner.address)
    const made = bitcoin.make([coin], [[coin.owner.address, 900_000n]])
    await bitcoin.mineOnly([made.hex])
    await catchUp()
    const spending = spend([{ owner: coin.owner, txid: made.id, vout: 0, amount: 900_000n }], {
      outputs: [[bitcoin.newAddress(), 500_000n]],
    })
    await bitcoin.mineOnly([spending.hex])
    await catchUp()
    const height = await bitcoin.height()
    expect(await coinOf(made.id)).toMatchObject({ height: height - 1, spent_by: spending.id, spent_height: height })
    await bitcoin.reorg(1)
    await catchUp()
    expect(await coinOf(made.id)).toMatchObject({ height: height - 1, spent_by: null, spent_height: null })
  })

  test('behavior: a restart goes on where the process was, and sees what was replaced meanwhile', async () => {
    const coin = bitcoin.takeCoin()
    const first = await pay(coin, [[address, 900_000n]])
    const second = await bitcoin.send(bitcoin.make([coin], [[address, 800_000n]]))
    reports = []
    follow = startProcess()
    await catchUp()
    const [report, ...others] = reports.filter(({ replaced }) => replaced.length > 0)
    expect(report!.replaced).toEqual([{ key: `20000000000001:${first}:0`, to: address, by: second }])
    expect(report!.transfers.map(({ txHash }) => txHash)).toContain(second)
    expect([others, seen()]).toEqual([[], [[second, 'pending', undefined]]])
  })

  test('behavior: 5,000 waiting transactions of others are read over several steps, and delay neither blocks nor a replacement', async () => {
    const coin = bitcoin.takeCoin()
    await pay(coin, [[address, 900_000n]])
    const real = bitcoindSource({ ...testConfig(''), node: { url: bitcoin.node.url, auth: undefined } })
    const foreign = new Map<string, Uint8Array>()
    const template = Buffer.from(bitcoin.make([bitcoin.takeCoin()], [[bitcoin.newAddress(), 900_000n]]).hex, 'hex')
    const asked: number[] = []
    for (let i = 0; i < 5_000; i++) {
      const raw = Buffer.from(template)
      raw.writeUInt32LE(i, raw.length - 4)
      foreign.set(parseTransaction(raw)!.txid, raw)
    }
    lies = {
      waiting: async (until) => new Set([...foreign.keys(), ...(await real.waiting(until))]),
      async transactions(txids, until) {
        asked.push(txids.length)
        const own = await real.transactions(
          txids.filter((txid) => !foreign.has(txid)),
          until,
        )
        return new Map([
          ...own,
          ...txids.flatMap((txid): [string, Uint8Array][] => (foreign.has(txid) ? [[txid, foreign.get(txid)!]] : [])),
        ])
      },
    }
    follow = startProcess()
    await follow(signal)
    const replacement = await bitcoin.send(bitcoin.make([coin], [[address, 800_000n]]))
    const other = bitcoin.make([bitcoin.takeCoin()], [[address, 100_000n]])
    await follow(signal)
    expect(seen()).toEqual([[replacement, 'pending', undefined]])
    await bitcoin.mineOnly([other.hex])
    await follow(signal)
    expect(seen()).toContainEqual([other.id, 'pending', await bitcoin.height()])
    await catchUp()
    expect(Math.max(...asked)).toBeLessThanOrEqual(500)
    expect(asked.reduce((sum, count) => sum + count, 0)).toBeGreaterThan(5_000)
  })

  test('behavior: a reward needs 100 confirmations, and one that a reorganisation removed is replaced by the next', async () => {
    await bitcoin.mineOnly([], address)
    await catchUp()
    expect(notebook.transfersTo(address)).toMatchObject([{ needed: 100, confirmations: 1 }])
    await bitcoin.reorg(1)
    await catchUp()
    expect(notebook.transfersTo(address)).toEqual([])
  })
}
