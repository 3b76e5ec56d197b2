import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Hex } from 'viem'
import { TillFactory } from '../../server/chains/evm/contracts/artifacts/TillFactory.ts'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { refundCall } from '../../server/chains/evm/factory-calls.ts'
import { GuardRefused, type GuardRequest } from '../../server/chains/guard.ts'
import type { Payout, Report } from '../../server/chains/payouts.ts'
import type { SeenMove } from '../../server/chains/moves.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { alice, guard, owner, signal } from '../chains/support.ts'
import { run, statesOf } from '../contracts/payouts.ts'
import { until } from '../support/wait.ts'
import { testGuard } from '../support/wallets/test-guard.ts'
import { confirmations, type Ground, prepare } from './support.ts'

/** Refunds and conversions wait for the guard, and for nobody else's. */

let setup: Ground
let count = 0
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  setup = await prepare()
})
afterAll(() => setup?.stop())
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

function start(before: (request: GuardRequest) => unknown, report?: Report) {
  const { payouts } = createEvmChain(setup.chain.config, testGuard(guard, before))
  const running = run(payouts, { sql: setup.database.sql, ...(report && { report }) })
  stops.push(running.stop)
  return { payouts, ...running }
}

async function refund(): Promise<Payout & { readonly terms: OrderTerms }> {
  const orderId = `guarded-${count++}`
  const { address, terms } = setup.chain.deposit(orderId)
  await setup.chain.sendToken(alice, 'USDC', address, 5n)
  await setup.chain.mine()
  const legs = [{ to: setup.freshAddress(), amount: 5n }]
  const purpose = { kind: 'refund', orderId, ref: 'r1' }
  return { id: `${orderId}:r1`, orderId, terms, token: setup.chain.token('USDC'), legs, reason: { kind: 'surplus' }, purpose }
}

const isOf = ({ terms }: GuardRequest, { orderId }: Payout): boolean => terms.order_id === orderId

const confirmed = ({ reports }: ReturnType<typeof start>, { id }: Payout) =>
  until(async () => {
    await setup.chain.mine()
    return statesOf(reports, id).includes('confirmed')
  })

test('behavior: refusals whose reports fail keep no later move from its signature, however many they are', async () => {
  const refused: Payout[] = []
  for (let i = 0; i < 9; i++) refused.push(await refund())
  const later = await refund()
  const isRefused = (id: string) => refused.some((payout) => payout.id === id)
  const service = start(
    (request) => {
      if (!isOf(request, later)) throw new GuardRefused('not these')
    },
    async (_, { id }) => {
      if (isRefused(id)) throw new Error('the ledger is busy')
    },
  )
  for (const payout of [...refused, later]) await service.payouts.enqueue(setup.database.sql, payout)
  await confirmed(service, later)
  expect(service.reports.filter(({ id }) => isRefused(id))).toEqual([])
})

test('behavior: a move that the guard refuses has failed for good, and says why', async () => {
  const refused = await refund()
  const service = start(() => {
    throw new GuardRefused('too much for an hour')
  })
  await service.payouts.enqueue(setup.database.sql, refused)
  const outcome = await until(() => service.reports.find(({ id }) => id === refused.id)?.outcome)
  expect(outcome).toEqual({ state: 'failed', cause: 'guard', reason: 'too much for an hour' })
})

test('behavior: a guard that does not answer is asked again, and meanwhile others go on', async () => {
  const waiting = await refund()
  const other = await refund()
  let isSilent = true
  const service = start((request) => {
    if (isSilent && isOf(request, waiting)) throw new Error('connection refused')
  })
  await service.payouts.enqueue(setup.database.sql, waiting)
  await service.payouts.enqueue(setup.database.sql, other)
  await confirmed(service, other)
  expect(statesOf(service.reports, waiting.id)).toEqual([])
  isSilent = false
  await confirmed(service, waiting)
})

test('behavior: a guard that is slow with many moves delays no other guard', async () => {
  const another = setup.freshAddress()
  const slow: Payout[] = []
  for (let i = 0; i < 9; i++) {
    const { terms, ...payout } = await refund()
    slow.push({ ...payout, terms: { ...terms, guard: another } })
  }
  const quick = await refund()
  let open = () => {}
  const opened = new Promise<void>((resolve) => (open = resolve))
  const service = start(({ terms }) => (terms.guard === another ? opened : undefined))
  for (const payout of [...slow, quick]) await service.payouts.enqueue(setup.database.sql, payout)
  await confirmed(service, quick)
  expect(service.reports.filter(({ id }) => id !== quick.id)).toEqual([])
  open()
})

test('error: a stored move that cannot be read keeps no other from its signature', async () => {
  const { sql } = setup.database
  const [broken, whole] = [await refund(), await refund()]
  const { payouts } = createEvmChain(setup.chain.config)
  for (const payout of [broken, whole]) await payouts.enqueue(sql, payout)
  await sql`update sends set move = jsonb_set(move, '{legs}', '"none"') where id = ${broken.id}`
  const service = start(() => {})
  await confirmed(service, whole)
  expect(statesOf(service.reports, broken.id)).toEqual([])
  const [send] = await sql`select state, failures from sends where id = ${broken.id}`
  expect(send).toMatchObject({ state: 'queued' })
})

test('behavior: an order that waits for the guard does so no longer once the guard has signed', async () => {
  const { sql } = setup.database
  const waiting = await refund()
  let isSilent = true
  const service = start((request) => {
    if (isSilent && isOf(request, waiting)) throw new Error('connection refused')
  })
  await service.payouts.enqueue(sql, waiting)
  // An order says so after a minute.
  await sql`update sends set created_at = created_at - interval '2 minutes' where id = ${waiting.id}`
  const retry = () => sql`update sends set not_before = null where id = ${waiting.id} and state = 'queued'`
  await until(async () => (await retry(), statesOf(service.reports, waiting.id).includes('waiting')))
  isSilent = false
  await until(async () => (await retry(), statesOf(service.reports, waiting.id).includes('approved')))
  expect(await sql`select waits_for_guard from sends where id = ${waiting.id}`).toEqual([{ waits_for_guard: false }])
  await confirmed(service, waiting)
  expect(statesOf(service.reports, waiting.id).slice(0, 2)).toEqual(['waiting', 'approved'])
})

test('behavior: a refund that somebody else has sent with our signature fails only once what came of it is recorded', async () => {
  const { chain, database } = setup
  await chain.automine(true)
  await chain.call(owner, {
    address: chain.config.factory.address,
    abi: TillFactory.abi,
    functionName: 'setOperator',
    args: [alice.address, true],
  })
  await chain.automine(false)
  const payout = await refund()
  const thief = testGuard(guard)
  let theirs: Hex | undefined
  const service = start(async (request) => {
    if (!isOf(request, payout) || theirs) return
    const { to, data } = refundCall(request.terms, { ...request.move, signature: await thief.sign(request, signal) })
    const [, hash] = await chain.anvil.ask(
      ['anvil_impersonateAccount', alice.address],
      ['eth_sendTransaction', { from: alice.address, to, data, gas: '0x100000' }],
    )
    theirs = hash as Hex
    await chain.mine()
  })
  const found: SeenMove[] = []
  const follow = chain.chain.moves!.follower({
    sql: database.sql,
    log: { warn: () => undefined, error: () => undefined },
    observer: {
      ours: async (addresses) => new Set(addresses),
      found: async (_, move) => void found.push(move),
      lost: async () => undefined,
    },
  })
  await follow(signal)
  await service.payouts.enqueue(database.sql, payout)
  const problem = async () => (await database.sql`select problem from sends where id = ${payout.id}`)[0]?.problem as string | null
  await until(async () => (await problem())?.includes('somebody else has used'))
  await chain.mine(confirmations)
  await until(async () => (await database.sql`select failures from sends where id = ${payout.id}`)[0]?.failures > 2)
  expect(statesOf(service.reports, payout.id)).toEqual([])

  await until(async () => {
    await follow(signal)
    return found.length > 0
  })
  expect(found).toMatchObject([{ kind: 'refund', txHash: theirs, legs: [{ to: payout.legs[0]!.to.toLowerCase(), amount: 5n }] }])
  const outcome = await until(() => service.reports.find(({ id }) => id === payout.id)?.outcome)
  expect(outcome).toMatchObject({ state: 'failed', cause: 'reverts', reason: 'NonceUsed()' })
})
