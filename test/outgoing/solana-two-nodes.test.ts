import { randomBytes } from 'node:crypto'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { answering } from '../../local/solana/rpc/answer.ts'
import { decodeTransaction } from '../../local/solana/wire-transaction.ts'
import type { DepositAsk } from '../../server/chains/chain.ts'
import { addressPool } from '../../server/chains/solana/address-pool.ts'
import { solanaPayouts } from '../../server/chains/solana/payouts/solana-payouts.ts'
import { rpcClient } from '../../server/chains/solana/rpc-client.ts'
import { createSolanaSigner } from '../../server/chains/solana/signer.ts'
import { laggingNode } from '../chains/solana/lagging-node.ts'
import { type Lie, type NodeProxy, startNodeProxy } from '../chains/solana/node-proxy.ts'
import { createTestSolana, finalAfter, operatorKey, type TestSolana } from '../chains/solana/test-solana.ts'
import { run, statesOf } from '../contracts/payouts.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'

/** Where two nodes are named, nothing is final, and nothing is signed anew, on the word of one. */

const chainId = 30_000_000_000_001
const id = 'settlement'

let solana: TestSolana
let database: TestDatabase
let [first, second]: NodeProxy[] = []
let shop: string
let running: ReturnType<typeof run>
const answers: string[] = []
beforeEach(async () => {
  ;[solana, database] = await Promise.all([createTestSolana(), createDatabase()])
  const proxies = await Promise.all([0, 1].map(() => startNodeProxy(answering(solana.ledger, {}))))
  ;[first, second] = proxies
  answers.length = 0
  const urls = proxies.map(({ url }) => url)
  const clientOf = (of: readonly string[]) => rpcClient({ chainId, urls: of, timeoutMs: 10_000 })
  const signer = createSolanaSigner({ kind: 'local', seed: randomBytes(32), operatorKey })
  const pool = addressPool({ signer, size: 1 })
  await pool.fill(database.sql, AbortSignal.timeout(60_000))
  const { address: deposit } = await pool.reserve(database.sql, { orderId: 'order' } as DepositAsk)
  await solana.send(await solana.payment(null, deposit, 1_000_000_000n))
  solana.ledger.advance(finalAfter)
  const payouts = solanaPayouts({
    config: {
      chainId,
      tokens: solana.tokens,
      confirmations: finalAfter + 1,
      unitPrice: { least: 10_000n, most: 1_000_000n },
      pollMs: 5,
      requireSecondNode: false,
    },
    // The first one does the work, and each is asked by itself.
    rpc: clientOf(urls.slice(0, 1)),
    nodes: urls.map((url) => clientOf([url])),
    signer,
  })
  shop = solana.newAddress()
  const legs = [{ to: shop, amount: 1_000_000_000n }]
  await payouts.enqueue(database.sql, {
    id,
    orderId: 'order',
    token: null,
    legs,
    purpose: { kind: 'settlement', orderId: 'order', ref: 's' },
  })
  running = run(payouts, { sql: database.sql, onSecondNode: (_, answer) => void answers.push(answer) })
})
afterEach(async () => {
  await running?.stop()
  await Promise.all([first, second].map((proxy) => proxy?.close()))
  await Promise.all([solana?.stop(), database?.drop()])
})

const states = () => statesOf(running.reports, id)
const attempts = async () => (await database.sql`select from solana_attempts`).length
/** Slots pass until this is true. */
const eventually = (fact: () => Promise<boolean> | boolean) =>
  until(async () => {
    if (await fact()) return true
    solana.ledger.advance(1)
    return false
  })
/** The payouts have looked so many more times. */
async function looks(count: number): Promise<void> {
  let seen = 0
  const end = first!.become(async (calls) => {
    if (calls.some(({ method }) => method === 'getSignatureStatuses')) seen++
    return undefined
  })
  await until(() => seen >= count)
  end()
}

test('behavior: a settlement that one node has finalized is final when the other has too', async () => {
  // It has seen nothing but the beginning of the chain.
  const end = second!.become(laggingNode(solana.ledger, 10_000))
  await eventually(() => states().includes('mined'))
  solana.ledger.advance(finalAfter + 1)
  await until(() => answers.includes('behind'))
  await looks(5)
  expect(states()).not.toContain('confirmed')
  end()
  await until(() => states().at(-1) === 'confirmed')
  expect(answers.at(-1)).toBe('agrees')
})

test('error: a node whose final blocks do not have the settlement keeps it from being final', async () => {
  const end = second!.become(denying)
  await eventually(() => states().includes('mined'))
  solana.ledger.advance(finalAfter + 1)
  await until(() => answers.includes('differs'))
  await looks(5)
  expect(states()).not.toContain('confirmed')
  end()
  await until(() => states().at(-1) === 'confirmed')
})

test('behavior: a transaction that one node has lost is signed anew when the other has seen it expire, and pays once', async () => {
  // The first node keeps the transaction for itself, and denies it.
  let kept: string | undefined
  let denials = 0
  const end = first!.become(async (calls, ask) => {
    const [send] = calls.filter(({ method }) => method === 'sendTransaction')
    if (send && kept === undefined) {
      kept = decodeTransaction(Buffer.from(String(send.params[0]), 'base64'))?.signature
      return [{ id: send.id, result: kept }]
    }
    if (kept === undefined) return undefined
    denials++
    return denying(calls, ask)
  })
  const endSecond = second!.become(laggingNode(solana.ledger, 10_000))
  await until(() => kept !== undefined)
  solana.ledger.advance(150 + finalAfter + 5)
  // The first node has said often enough that it has expired.
  for (let i = 0; i < 3; i++) {
    const before = denials
    await until(() => denials > before + 3)
    expect(await attempts()).toBe(1)
  }
  end()
  endSecond()
  await eventually(async () => (await attempts()) === 2 && states().at(-1) === 'confirmed')
  expect(solana.ledger.landed(kept!)).toBeUndefined()
  expect((await database.sql`select from solana_attempts`).length).toBe(2)
  expect(solana.ledger.account(shop as never, 'processed')?.lamports).toBe(1_000_000_000n)
})

test('behavior: nodes that have forgotten the blocks in which a transaction may be prove nothing, so it is not signed anew', async () => {
  await eventually(() => states().includes('mined'))
  let questions = 0
  const forgetting: Lie = async (calls, ask) => {
    const isFirstSlot = (i: number) => calls[i]?.method === 'getFirstAvailableBlock'
    if (calls.some((_, i) => isFirstSlot(i))) questions++
    const result = solana.ledger.tip('finalized').slot - 100
    return (await denying(calls, ask))?.map((answer, i) => (isFirstSlot(i) ? { ...answer, result } : answer))
  }
  const ends = [first, second].map((proxy) => proxy!.become(forgetting))
  solana.ledger.advance(150 + finalAfter + 5)
  await until(() => states().includes('unmined') && questions > 10)
  expect(await attempts()).toBe(1)
  for (const end of ends) end()
  await eventually(() => states().at(-1) === 'confirmed')
  expect(await attempts()).toBe(1)
  expect(solana.ledger.account(shop as never, 'processed')?.lamports).toBe(1_000_000_000n)
})

/** Answers as a node that does not know any transaction. */
async function denying(...[calls, ask]: Parameters<Lie>): ReturnType<Lie> {
  if (!calls.some(({ method }) => method === 'getSignatureStatuses')) return undefined
  return (await ask()).map((answer, i) => {
    if (calls[i]?.method !== 'getSignatureStatuses') return answer
    const { context, value } = answer.result as { context: unknown; value: unknown[] }
    return { ...answer, result: { context, value: value.map(() => null) } }
  })
}
