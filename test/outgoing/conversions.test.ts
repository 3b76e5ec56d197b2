import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { poolSteps } from '../../local/chains/pools.ts'
import { exchange } from '../../local/chains/uniswap.ts'
import type { Sql } from '../../server/database/connect.ts'
import { createEvmChain } from '../../server/chains/evm/create-evm-chain.ts'
import { TestDollar } from '../../server/chains/evm/contracts/artifacts/TestDollar.ts'
import { poolAddress } from '../../server/chains/evm/exchange/pool.ts'
import { decodeRouterCall } from '../../server/chains/evm/exchange/router-call.ts'
import { moveOfRow } from '../../server/chains/evm/unsigned-move.ts'
import type { GuardRequest } from '../../server/chains/guard.ts'
import type { Payout, PayoutOutcome } from '../../server/chains/payouts.ts'
import { moveName } from '../../server/guard/ledger.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import { alice, guard, owner, shop, signal } from '../chains/support.ts'
import { run } from '../contracts/payouts.ts'
import { sell } from '../support/orders/market.ts'
import { until } from '../support/wait.ts'
import { testGuard } from '../support/wallets/test-guard.ts'
import { type Ground, prepare } from './support.ts'

/** Conversions are routed when they are signed for, by the prices of that moment. */

let setup: Ground
let count = 0
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  setup = await prepare()
  await setup.chain.automine(true)
})
afterAll(() => setup?.stop())
afterEach(async () => {
  await Promise.all(stops.splice(0).map((stop) => stop()))
})

const million = 1_000_000n
const token = (symbol: string) => setup.chain.token(symbol)
const lower = (symbol: string) => token(symbol).toLowerCase()

function start(before: (request: GuardRequest) => unknown = () => undefined) {
  const { payouts } = createEvmChain(setup.chain.config, testGuard(guard, before))
  const running = run(payouts, { sql: setup.database.sql })
  stops.push(running.stop)
  return { payouts, ...running }
}

type Conversion = Payout & { readonly terms: OrderTerms }

/** The order has received dollars, and settles in another token. */
async function conversion(more: Partial<NonNullable<Payout['swap']>> = {}, into = 'DAI', amountIn = 1_000n * million): Promise<Conversion> {
  const orderId = `converted-${count++}`
  const { address, terms } = setup.chain.deposit(orderId)
  await setup.chain.sendToken(alice, 'USDC', address, amountIn)
  return {
    id: `${orderId}:s1`,
    orderId,
    terms,
    token: token(into),
    legs: [{ to: shop, amount: 1n }],
    swap: { tokenIn: token('USDC'), amountIn, minOut: 1n, slippageBps: 100, ...more },
    reason: { kind: 'conversion' },
    purpose: { kind: 'settlement', orderId, ref: 's1' },
  }
}
/** What the order plans once a conversion has failed. */
const again = (payout: Conversion): Conversion => ({ ...payout, id: `${payout.id}+` })

async function outcomeOf({ reports, payouts }: ReturnType<typeof start>, payout: Conversion): Promise<PayoutOutcome> {
  await payouts.enqueue(setup.database.sql, payout)
  const isDone = ({ id, outcome }: { id: string; outcome: PayoutOutcome }) =>
    id === payout.id && (outcome.state === 'confirmed' || outcome.state === 'failed')
  return until(
    async () => {
      await setup.chain.mine()
      return reports.find(isDone)?.outcome
    },
    { what: `${payout.id} has an outcome` },
  )
}

async function storedRoute(sql: Sql, { id }: Payout) {
  const [row] = await sql<{ move: unknown }[]>`select move from sends where id = ${id}`
  return moveOfRow(row!.move).conversion!.chosen
}

const trade = (sold: string, bought: string, amount: bigint) => sell(setup.chain, owner, token(sold), token(bought), amount)
const dollar = (functionName: string, ...args: unknown[]) =>
  setup.chain.call(owner, { address: token('USDC'), abi: TestDollar.abi, functionName, args })

test('default: converts by the best route, for no less than it promises, less the slippage', async () => {
  const payout = await conversion()
  const price = await setup.chain.chain.swap!.quote({
    from: { chainId: 8453, address: token('USDC') },
    to: { chainId: 8453, address: token('DAI') },
    amount: 1_000n * million,
    tradeType: 'EXACT_INPUT',
    signal,
  })
  const promised = price === 'no_route' ? 0n : price.amountOut
  const before = await setup.balance(shop, 'DAI')
  const requests: GuardRequest[] = []
  expect(
    await outcomeOf(
      start((request) => requests.push(request)),
      payout,
    ),
  ).toMatchObject({
    state: 'confirmed',
    swapped: promised,
    paid: [true],
  })
  expect((await setup.balance(shop, 'DAI')) - before).toBe(promised)
  const chosen = await storedRoute(setup.database.sql, payout)
  expect(chosen).toEqual({ route: { tokens: [lower('USDC'), lower('DAI')], fees: [100] }, leastOut: (promised * 99n) / 100n })
  const { move } = requests[0]!
  expect(move.conversion).toMatchObject({ router: exchange.router, leastOut: chosen!.leastOut })
  // The router refuses when the signature ends, which is within hours.
  expect(decodeRouterCall(move.conversion!.data)?.deadline).toBe(move.deadline)
  const { timestamp } = (await setup.chain.anvil.ask(['eth_getBlockByNumber', 'latest', false]))[0] as { timestamp: string }
  expect(move.deadline - BigInt(timestamp)).toBeLessThan(4n * 3_600n + 60n)
})

test('behavior: an order that needs more than the slippage leaves gets what it needs, or nothing', async () => {
  const payout = await conversion({ minOut: 998n * 10n ** 18n })
  expect((await outcomeOf(start(), payout)).state).toBe('confirmed')
  expect((await storedRoute(setup.database.sql, payout))?.leastOut).toBe(998n * 10n ** 18n)
})

describe('a way that quotes well and fails', () => {
  const pool = (fee: 100 | 500) => ({
    a: token('USDC'),
    amountA: 1_000_000n * million,
    b: token('USDT'),
    amountB: 1_000_000n * million,
    fee,
  })
  beforeAll(async () => {
    await setup.chain.anvil.ask(['anvil_impersonateAccount', owner.address])
    for (const { to, data, gas = 300_000n } of poolSteps(pool(500), owner.address))
      await setup.chain.anvil.ask(['eth_sendTransaction', { from: owner.address, to, data, gas: `0x${gas.toString(16)}` }])
    await setup.chain.mine()
    await setup.chain.anvil.ask(['anvil_stopImpersonatingAccount', owner.address])
  })

  test('behavior: is not tried again while another one promises enough', async () => {
    const service = start()
    const payout = await conversion({}, 'USDT')
    // Nobody can pay the dollar to this pool, which the quoter does not find out.
    const first = poolAddress(exchange, { from: lower('USDC'), to: lower('USDT'), fee: 100 })
    await dollar('blacklist', first)
    expect(await outcomeOf(service, payout)).toMatchObject({
      state: 'failed',
      cause: 'reverts',
      reason: expect.stringContaining('SwapFailed'),
    })
    expect((await outcomeOf(service, again(payout))).state).toBe('confirmed')
    expect((await storedRoute(setup.database.sql, payout))?.route.fees).toEqual([100])
    expect((await storedRoute(setup.database.sql, again(payout)))?.route.fees).toEqual([500])
    await dollar('unBlacklist', first)
  })
})

test('behavior: a price that has moved away costs nothing, and the next try takes the price of its own moment', async () => {
  const service = start()
  const payout = await conversion({ minOut: 990n * 10n ** 18n })
  await trade('USDC', 'DAI', 200_000n * million)
  expect(await outcomeOf(service, payout)).toEqual({ state: 'failed', cause: 'reverts', reason: 'No route yields enough now.' })
  expect(await setup.database.sql`select 1 from send_attempts where send_id = ${payout.id}`).toEqual([])
  await trade('DAI', 'USDC', 200_000n * 10n ** 18n)
  expect((await outcomeOf(service, again(payout))).state).toBe('confirmed')
})

test('behavior: a price that moves after the signature is refused by the least output, and the money stays', async () => {
  const payout = await conversion()
  let isMoved = false
  const service = start(async ({ terms }) => {
    if (terms.order_id !== payout.orderId || isMoved) return
    isMoved = true
    await trade('USDC', 'DAI', 300_000n * million)
  })
  expect(await outcomeOf(service, payout)).toMatchObject({ state: 'failed', reason: expect.stringMatching(/SwapFailed|TooLittleOut/) })
  expect(await setup.balance(setup.chain.depositAddress(payout.orderId), 'USDC')).toBe(1_000n * million)
  // At the new price the order gets less, and as much as it needs.
  expect((await outcomeOf(service, again(payout))).state).toBe('confirmed')
  await trade('DAI', 'USDC', 290_000n * 10n ** 18n)
})

test('behavior: a router that burns its gas converts nothing, and the money stays', async () => {
  const code = (await setup.chain.anvil.ask(['eth_getCode', exchange.router, 'latest']))[0]
  const service = start()
  const payout = await conversion()
  await setup.chain.anvil.ask(['anvil_setCode', exchange.router, '0xfe'])
  expect(await outcomeOf(service, payout)).toMatchObject({ state: 'failed', cause: 'reverts' })
  await setup.chain.anvil.ask(['anvil_setCode', exchange.router, code])
  expect(await setup.balance(setup.chain.depositAddress(payout.orderId), 'USDC')).toBe(1_000n * million)
  expect((await outcomeOf(service, again(payout))).state).toBe('confirmed')
})

test('behavior: once a route is stored the move is the same however often the guard is asked, whatever the market does', async () => {
  const payout = await conversion()
  const requests: GuardRequest[] = []
  const service = start(async (request) => {
    if (request.terms.order_id !== payout.orderId) return
    requests.push(request)
    if (requests.length > 2) return
    await trade('USDC', 'DAI', 1_000n * million)
    // Hours pass.
    await setup.database.sql`update sends set created_at = created_at - interval '3 hours', not_before = null where id = ${payout.id}`
    throw new Error('the guard is busy')
  })
  const retry = setInterval(() => void setup.database.sql`update sends set not_before = null where id = ${payout.id}`, 50)
  try {
    expect((await outcomeOf(service, payout)).state).toBe('confirmed')
  } finally {
    clearInterval(retry)
  }
  expect(new Set(requests.map(moveName)).size).toBe(1)
  expect(new Set(requests.map(({ move }) => move.nonce)).size).toBe(1)
  expect(new Set(requests.map(({ move }) => move.deadline)).size).toBeGreaterThan(1)
})

test('behavior: what release 3.8 has planned is routed now, for the least output that it was planned with', async () => {
  const { sql } = setup.database
  const payout = await conversion()
  await setup.chain.chain.payouts.enqueue(sql, payout)
  const planned = { amount_in: String(1_000n * million), least_out: String(990n * 10n ** 18n), router: exchange.router, data: '0x' }
  await sql`update sends set move = jsonb_set(move, '{conversion}', ${sql.json(planned)}) where id = ${payout.id}`
  expect((await outcomeOf(start(), payout)).state).toBe('confirmed')
  expect((await storedRoute(sql, payout))?.leastOut).toBe(990n * 10n ** 18n)
})

test('error: a chain without an exchange converts nothing', async () => {
  const { exchange: _, ...config } = setup.chain.config
  const chain = createEvmChain(config, testGuard(guard))
  expect(chain.swap).toBeUndefined()
  const running = run(chain.payouts, { sql: setup.database.sql })
  stops.push(running.stop)
  expect(await outcomeOf({ payouts: chain.payouts, ...running }, await conversion())).toMatchObject({ state: 'failed', cause: 'reverts' })
})
