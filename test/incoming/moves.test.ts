import { encodeAbiParameters, encodeEventTopics, type Hex } from 'viem'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Chain, ChainUnavailable } from '../../server/chains/chain.ts'
import { compareNodes } from '../../server/chains/evm/compare-nodes.ts'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import type { EvmNode } from '../../server/chains/evm/evm-node.ts'
import { evmMoves } from '../../server/chains/evm/moves.ts'
import type { Log } from '../../server/chains/evm/rpc-calls.ts'
import type { Rpc, RpcCall } from '../../server/chains/evm/rpc.ts'
import type { MovesTools } from '../../server/chains/moves.ts'
import { unreachableForMs } from '../../server/chains/second-node.ts'
import type { Follower, Position } from '../../server/chains/feed.ts'
import type { Sql } from '../../server/database/connect.ts'
import { movesObserver } from '../../server/incoming/moves.ts'
import { claimMails } from '../../server/invoices/mails.ts'
import { movedEffects } from '../../server/invoices/moved-mail.ts'
import { append } from '../../server/orders/append.ts'
import type { Engine } from '../../server/orders/engine.ts'
import type { Order } from '../../server/orders/model/order.ts'
import { orderById } from '../../server/orders/order-queries.ts'
import { record } from '../../server/orders/record.ts'
import { countSetAside } from '../../server/orders/set-aside.ts'
import { depositAddressOf } from '../../src/wire/terms/terms-hash.ts'
import { newOrderOf, policy, quoteOf, releaseAt, shop, t0, usdc } from '../orders/model/support.ts'
import { type Recording, startRecording } from '../support/orders/recording.ts'

/** What others move is written down on orders. The database is real, and the node says what the test puts in its blocks. */

const signal = AbortSignal.timeout(60_000)
const factory = '0x8888888888888888888888888888888888888888'
let recording: Recording
let sql: Sql
let orders: readonly [Placed, Placed]
let made = 0
/** The node's logs, and its newest block. */
let logs: Log[]
let head: number
/** Called while the node reads logs. */
let whileReading: () => Promise<void>
let step: Follower
let undoAfter: (last: Position) => Promise<void>
/** Two nodes are compared, of which the second has logs of its own. Null if it does not answer. */
let stepByTwo: Follower
let secondLogs: readonly Log[] | null
let secondAnswers: string[]
/** The first node's receipts have these logs if they differ from those that it returns. */
let receiptLogs: readonly Log[] | undefined
let now = 0
let tokens: readonly object[]
/** The time by the service's clock. */
let time: number

interface Placed extends Order {
  readonly termsHash: Hex
}

beforeAll(async () => {
  recording = await startRecording()
  ;({ sql } = recording)
  const chain = {
    id: 8453,
    get tokens() {
      return tokens
    },
  } as unknown as Chain
  await sql`update organizations set email = 'owner@northwind.example'`
  const effects = [...recording.engine.effects, movedEffects]
  const engine = { ...recording.engine, effects, clock: () => time, chains: new Map([[8453, chain]]) } as Engine
  const receiptIn = (known: readonly Log[], txHash: string) => {
    const own = known.filter(({ transactionHash }) => transactionHash === txHash)
    const [first] = own
    return first
      ? { transactionHash: txHash, blockNumber: first.blockNumber, blockHash: first.blockHash, status: 1n, gasUsed: 1n, logs: own }
      : null
  }
  const header = (block: unknown) => ({ number: block === 'latest' ? head : Number(block), hash: `b${Number(block)}` })
  const answers: Record<string, (params: readonly never[]) => unknown> = {
    eth_getBlockByNumber: ([block]) => header(block),
    eth_getTransactionReceipt: ([txHash]) => receiptIn(receiptLogs ?? logs, String(txHash)),
    eth_getLogs: ([filter]: readonly { fromBlock: string; toBlock: string }[]) =>
      logs.filter(({ blockNumber }) => blockNumber >= Number(filter?.fromBlock) && blockNumber <= Number(filter?.toBlock)),
  }
  const read = async (_: AbortSignal, ...calls: RpcCall<unknown>[]) => {
    if (calls.some(({ method }) => method === 'eth_getLogs')) await whileReading()
    return calls.map(({ method, params }) => answers[method]!(params as never))
  }
  const attempt = async (given: AbortSignal, ...calls: RpcCall<unknown>[]) => (await read(given, ...calls)).map((value) => ({ value }))
  const readSecond = async (_: AbortSignal, ...calls: RpcCall<unknown>[]) => {
    const known = secondLogs
    if (!known) throw new ChainUnavailable(8453, 'chain_unavailable', 'no answer.')
    return calls.map(({ method, params: [asked] }) => (method === 'eth_getBlockByNumber' ? header(asked) : receiptIn(known, String(asked))))
  }
  const node = {
    id: 8453,
    confirmations: 1,
    config: { pollMs: 0, maxRange: 100, factory: { address: factory } },
    rpc: { chainId: 8453, read, attempt },
  } as unknown as EvmNode
  const tools = { sql, log: recording.engine.log, observer: movesObserver(engine, chain) }
  const moves = evmMoves(node)
  step = moves.follower(tools)
  undoAfter = (last) => moves.undoAfter(tools, last)
  const rpcs = [node.rpc, { chainId: 8453, read: readSecond }] as unknown as Rpc[]
  const onSecondNode: MovesTools['onSecondNode'] = ({ txHash }, answer) => secondAnswers.push(`${txHash} ${answer}`)
  stepByTwo = evmMoves({ ...node, compareNodes: compareNodes(8453, rpcs) }).follower({ ...tools, onSecondNode, clock: () => now })
})
afterAll(() => recording?.close())

beforeEach(async () => {
  await sql`delete from foreign_moves`
  await sql`delete from move_cursors`
  await sql`insert into move_cursors (chain_id, block) values (8453, 100)`
  ;[logs, head, whileReading] = [[], 100, async () => undefined]
  ;[secondLogs, secondAnswers, receiptLogs, time, tokens] = [[], [], undefined, t0, [{ ...usdc, priceId: 'usdc' }]]
  await sql`delete from mails`
  orders = [await paid(), await paid()]
})

async function paid(): Promise<Placed> {
  const termsHash: Hex = `0x${(++made).toString(16).padStart(64, '0')}`
  const deposits = { evm: depositAddressOf(factory, termsHash.slice(2)) }
  const birth = { ...newOrderOf(), id: `ord_${made}`, deposits }
  const order = await append(sql, undefined, [{ type: 'created', order: birth }], policy, t0)
  await record(recording.engine, order, { type: 'choose', source: usdc, quote: quoteOf(), signed: false })
  const transfer = {
    key: `in ${made}`,
    asset: usdc,
    txHash: '0x1',
    amount: 400n,
    block: 90,
    blockHash: 'b90',
    seenAt: t0,
    confirmations: 3,
    needed: 3,
  }
  const recorded = await record(recording.engine, order.id, { type: 'arrived', transfers: [transfer] })
  return { ...recorded!.order, termsHash }
}

/** The follower waits when there is no new block, so there is one. */
async function nextStep(): Promise<void> {
  head++
  await step(signal)
}

const roles = ['recipient', 'fees', 'refund'] as const

/** Somebody else pays this much from the order's address, in a new block. */
function theyPay({ termsHash: terms }: Placed, amount: bigint, role: (typeof roles)[number] = 'recipient', to = shop): void {
  head++
  logs.push({
    address: factory,
    topics: encodeEventTopics({ abi: TillFactory.abi, eventName: 'Paid', args: { terms } }) as Hex[],
    data: encodeAbiParameters(
      [{ type: 'uint8' }, { type: 'address' }, { type: 'address' }, { type: 'uint256' }],
      [roles.indexOf(role), usdc.address as Hex, to as Hex, amount],
    ),
    blockNumber: head,
    blockHash: `b${head}` as Hex,
    transactionHash: `0xf${head}`,
    logIndex: logs.length,
  })
}

const moved = async ({ id }: Order) =>
  (await orderById(sql, id))!.settlements.map(({ state, legs }) => `${state} ${legs.map(({ amount }) => amount).join(' and ')}`)
const cursor = async () => (await sql`select block from move_cursors where chain_id = 8453`)[0]?.block as number
const waiting = async () => (await sql`select state, attempts from foreign_moves where state <> 'recorded'`).map((row) => ({ ...row }))
/** Makes the order unreadable. The returned function makes it readable again, and its retry due. */
async function damage({ id }: Order) {
  const [row] = await sql`select state from orders where id = ${id}`
  await sql`update orders set state = state - 'quotes' where id = ${id}`
  return async () => {
    await sql`update orders set state = ${sql.json(row!.state)} where id = ${id}`
    await sql`update foreign_moves set next_at = now()`
  }
}

test('default: what others move is recorded once on its order, however often it is read', async () => {
  theyPay(orders[0], 100n)
  theyPay(orders[1], 400n)
  await step(signal)
  expect([await moved(orders[0]), await moved(orders[1])]).toEqual([['confirmed 100'], ['confirmed 400']])
  await sql`update move_cursors set block = 100`
  await nextStep()
  expect(await moved(orders[0])).toEqual(['confirmed 100'])
})

test('behavior: an order that cannot record what was moved holds up no other, and its retry loses nothing', async () => {
  const [broken, honest] = orders
  const repair = await damage(broken)
  theyPay(broken, 100n)
  theyPay(honest, 100n)
  await step(signal)
  expect(await moved(honest)).toEqual(['confirmed 100'])
  expect(await waiting()).toEqual([{ state: 'found', attempts: 1 }])
  expect(await countSetAside(sql)).toEqual([{ chainId: 8453, count: 1 }])
  await repair()
  await nextStep()
  expect(await moved(broken)).toEqual(['confirmed 100'])
  expect(await waiting()).toEqual([])
})

test('behavior: many moves of one order hold up neither another order nor the blocks that follow', async () => {
  const [flooded, honest] = orders
  for (let i = 0; i < 25; i++) theyPay(flooded, 1n)
  theyPay(honest, 400n)
  await step(signal)
  expect([await moved(flooded), await moved(honest)]).toMatchObject([{ length: 10 }, ['confirmed 400']])
  await nextStep()
  expect(await cursor()).toBe(head)
  await nextStep()
  expect(await moved(flooded)).toHaveLength(25)
})

test('behavior: a move of a token that the order names, and that is not configured any more, is retried', async () => {
  const [order] = orders
  const configured = tokens
  tokens = []
  theyPay(order, 100n)
  await step(signal)
  expect(await waiting()).toEqual([{ state: 'found', attempts: 1 }])
  tokens = configured
  await sql`update foreign_moves set next_at = now()`
  await nextStep()
  expect([await moved(order), await waiting()]).toEqual([['confirmed 100'], []])
})

test('behavior: an order that cannot undo what a reorganisation has removed holds up no other, and is retried', async () => {
  const [broken, honest] = orders
  theyPay(broken, 100n)
  theyPay(honest, 100n)
  await step(signal)
  const repair = await damage(broken)
  await undoAfter({ height: 100, id: 'b100' })
  expect(await moved(honest)).toEqual(['failed 100'])
  expect(await waiting()).toEqual([{ state: 'lost', attempts: 1 }])
  expect(await cursor()).toBe(100)
  logs = []
  await repair()
  await nextStep()
  expect(await moved(broken)).toEqual(['failed 100'])
  expect(await waiting()).toEqual([])
})

test('behavior: a block that is back before its moves could be undone leaves them as they were', async () => {
  const [broken] = orders
  theyPay(broken, 100n)
  await step(signal)
  const repair = await damage(broken)
  await undoAfter({ height: 100, id: 'b100' })
  await step(signal)
  await repair()
  await nextStep()
  expect(await moved(broken)).toEqual(['confirmed 100'])
  expect(await waiting()).toEqual([])
})

test('behavior: what was read before a reorganisation was undone is not stored after it', async () => {
  const [order] = orders
  theyPay(order, 100n)
  whileReading = () => undoAfter({ height: 100, id: 'b100' })
  await step(signal)
  expect(await cursor()).toBe(100)
  logs = []
  whileReading = async () => undefined
  await step(signal)
  expect(await cursor()).toBe(101)
  expect(await moved(order)).toEqual([])
})

test('behavior: what a reorganisation removes before it could be recorded is never recorded', async () => {
  const [order] = orders
  const repair = await damage(order)
  theyPay(order, 100n)
  await step(signal)
  expect(await waiting()).toEqual([{ state: 'found', attempts: 1 }])
  await undoAfter({ height: 100, id: 'b100' })
  logs = []
  await repair()
  await nextStep()
  expect(await moved(order)).toEqual([])
  expect(await waiting()).toEqual([])
})

test('error: logs that are marked as removed, or from another block than the last, are not used', async () => {
  const [order] = orders
  theyPay(order, 100n)
  const [log] = logs
  logs = [{ ...log!, removed: true }]
  await expect(step(signal)).rejects.toMatchObject({ code: 'chain_inconsistent' })
  logs = [{ ...log!, blockHash: '0xother' }]
  await expect(step(signal)).rejects.toMatchObject({ code: 'chain_inconsistent' })
  expect(await cursor()).toBe(100)
})

test('behavior: where the chain has two nodes, what only one of them knows is not recorded, and the cursor waits', async () => {
  const [order] = orders
  theyPay(order, 400n)
  const tx = `0xf${head}`
  await stepByTwo(signal)
  secondLogs = logs.map((log) => ({ ...log, data: logs[0]!.data.replace(/190$/, '191') as Hex }))
  await stepByTwo(signal)
  expect([await moved(order), await waiting(), await cursor()]).toEqual([[], [], 100])
  secondLogs = logs
  await stepByTwo(signal)
  expect([await moved(order), await cursor()]).toEqual([['confirmed 400'], head])
  expect(secondAnswers).toEqual([`${tx} behind`, `${tx} differs`, `${tx} agrees`])
})

test('behavior: a second node that does not answer is waited for, and after ten minutes one node suffices', async () => {
  const [order] = orders
  theyPay(order, 400n)
  const tx = `0xf${head}`
  secondLogs = null
  await stepByTwo(signal)
  expect([await moved(order), await cursor()]).toEqual([[], 100])
  now += unreachableForMs
  await stepByTwo(signal)
  expect(await moved(order)).toEqual(['confirmed 400'])
  expect(secondAnswers).toEqual([`${tx} unreachable`, `${tx} skipped`])
})

test('error: logs that no receipt contains, or only one in another block, are not used', async () => {
  const [order] = orders
  theyPay(order, 400n)
  for (receiptLogs of [[], logs.map((log) => ({ ...log, blockNumber: head + 1 }))])
    await expect(stepByTwo(signal)).rejects.toMatchObject({ code: 'chain_inconsistent' })
  expect([await moved(order), await cursor(), secondAnswers]).toEqual([[], 100, []])
})

test('behavior: a refund that others send is on the order, whoever planned it', async () => {
  const [order] = orders
  theyPay(order, 60n, 'refund', `0x${'e'.repeat(40)}`)
  await step(signal)
  expect((await orderById(sql, order.id))!.refunds).toMatchObject([{ amount: 60n, state: 'confirmed', txHash: `0xf${head}` }])
})

test('behavior: the merchant is mailed of what is announced and of a refund that nobody planned, and not of released dust', async () => {
  const [first, second] = orders
  const mailed = async () => (await sql`select order_id from mails order by created_at`).map((row) => row.order_id as string)
  time = releaseAt
  theyPay(first, 40n)
  await step(signal)
  expect([await moved(first), await mailed()]).toEqual([['confirmed 40'], []])
  theyPay(first, 50n)
  await step(signal)
  theyPay(second, 1n, 'refund', `0x${'e'.repeat(40)}`)
  await nextStep()
  expect(await mailed()).toEqual([first.id, second.id])
})

test('behavior: mails about invoices go before those about what others have moved', async () => {
  await sql`
    insert into invoices (id, organization_id, data, fiat_unit, locale, search, created_at, updated_at)
    values ('inv_1', 'org_1', '{}', 'usd', 'en', '', now(), now())`
  await sql`
    insert into mails (id, kind, invoice_id, order_id, next_at) values
      ('mail_1', 'moved_by_others', null, ${orders[0].id}, now() - interval '1 hour'), ('mail_2', 'invoice', 'inv_1', null, now() - interval '1 minute')`
  const claim = async () => (await claimMails(sql, { free: 1, perOrganization: 2, running: new Map() })).map(({ id }) => id)
  expect([await claim(), await claim()]).toEqual([['mail_2'], ['mail_1']])
})
