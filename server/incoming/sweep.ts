import { type ChainId, chains } from '../../src/wire/chain.ts'
import { type Chain, ChainUnavailable } from '../chains/chain.ts'
import type { FinalBalances, NativeBalances, Position } from '../chains/feed.ts'
import type { Sql } from '../database/connect.ts'
import type { Breaker } from '../lib/circuit-breaker.ts'
import { pause } from '../lib/pause.ts'
import { unexplained } from '../orders/model/balance.ts'
import { findDeposit } from '../orders/model/deposits.ts'
import { askedQuotes } from '../orders/model/funding.ts'
import type { Order } from '../orders/model/order.ts'
import { type DepositAddress, depositsAfter, depositsToSweep, ordersById } from '../orders/order-queries.ts'
import type { Engine } from '../orders/engine.ts'
import { assetOf } from '../orders/quoting.ts'
import { countsOn } from '../orders/observe.ts'
import { recordIfUnchanged } from '../orders/record.ts'
import { priceForArrival } from '../orders/pricing.ts'

/** Each sweep also reads this many of all addresses ever issued, so a million addresses take 2,000 sweeps. */
const slice = 500
/** No block is read meanwhile, and anybody can make orders, so of more that may be paid each sweep reads some. */
const mostPayable = 3_000

/**
 * Native coin that no transfer names shows only in the balance. So from time to time, and before an order expires, balances are compared
 * with the books: of orders that may still be paid and, since coin may arrive later, of the next slice of all addresses.
 */
export async function sweepDue(engine: Engine, chain: Chain, newest: Position, signal: AbortSignal): Promise<void> {
  const last = await readSweep(engine.sql, chain.id)
  if (!chain.nativeBalances?.isSweepDue(last.height, newest)) return
  const { family } = chains[chain.id]
  const [payable, others] = await Promise.all([
    depositsToSweep(engine.sql, family, mostPayable),
    depositsAfter(engine.sql, family, last.orderId, slice),
  ])
  const deposits = new Map([...payable, ...others].map((deposit) => [deposit.id, deposit]))
  await sweep(engine, chain, chain.nativeBalances, [...deposits.values()], signal)
  await markSwept(engine.sql, chain.id, { height: newest.height, orderId: others.length < slice ? '' : (others.at(-1)?.id ?? '') })
}

interface Sweep {
  readonly height: number
  /** The sweep of all addresses has come to the order with this id. An empty id means that it starts over. */
  readonly orderId: string
}

async function readSweep(sql: Sql, chainId: ChainId): Promise<Sweep> {
  const [row] = await sql`select height, order_id from sweeps where chain_id = ${chainId}`
  return row ? { height: row.height, orderId: row.order_id } : { height: 0, orderId: '' }
}

async function markSwept(sql: Sql, chainId: ChainId, { height, orderId }: Sweep): Promise<void> {
  await sql`
    insert into sweeps (chain_id, height, order_id) values (${chainId}, ${height}, ${orderId})
    on conflict (chain_id) do update set height = excluded.height, order_id = excluded.order_id`
}

/**
 * Sweeps one order's address, either on all chains or where it was asked to be paid. A chain that nobody asked for does not keep an order
 * from expiring when it is silent.
 */
export async function sweepOrder(
  engine: Engine,
  order: Order,
  where: 'asked' | 'all',
  signal: AbortSignal,
  breaker: Breaker = (_, work) => work(),
): Promise<void> {
  const asked = askedQuotes(order)
  const swept = await Promise.allSettled(
    [...engine.chains.values()].map(async (chain) => {
      const address = findDeposit(order, chain.id)
      const isMeant = where === 'all' || asked.some(({ source }) => source.chainId === chain.id)
      if (!isMeant || address === undefined) return
      await breaker(`chain ${chain.id}`, () =>
        chain.nativeBalances
          ? sweep(engine, chain, chain.nativeBalances, [{ id: order.id, address }], signal)
          : requireFollowed(engine, chain, signal),
      )
    }),
  )
  const failed = swept.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

const followedWithinMs = 2_000
const lookEveryMs = 100

/**
 * Where every payment shows as a transfer, an order is known to be unpaid once the chain has been read up to what is its end now. It grows meanwhile,
 * and what comes later is late.
 */
async function requireFollowed({ sql }: Pick<Engine, 'sql'>, chain: Chain, signal: AbortSignal): Promise<void> {
  const { newest, read = 0 } = await chain.feed.status(sql, signal)
  const giveUpAt = performance.now() + followedWithinMs
  for (let now = read; now < newest;) {
    if (performance.now() > giveUpAt)
      throw new ChainUnavailable(chain.id, 'chain_unavailable', `it has been read up to ${now} of ${newest}.`)
    await pause(lookEveryMs, signal)
    signal.throwIfAborted()
    now = (await chain.feed.status(sql, signal)).read ?? 0
  }
}

/**
 * Nearly all addresses are empty, so books are read only for the others, and then their balances again. The books must be the older, since
 * a settlement booked after its balance was read would look like new money. An order that changed meanwhile is left to the next sweep.
 */
async function sweep(
  engine: Engine,
  chain: Chain,
  reader: NativeBalances,
  deposits: readonly DepositAddress[],
  signal: AbortSignal,
): Promise<void> {
  const native = chain.tokens.find((token) => token.address === null)
  if (!native || deposits.length === 0) return
  const firstRead = await readBalances(reader, deposits, signal)
  const holding = deposits.filter(({ address }) => (firstRead?.byAddress.get(address) ?? 0n) > 0n)
  if (holding.length === 0) return
  const orders = await ordersById(
    engine.sql,
    holding.map(({ id }) => id),
  )
  const current = await readBalances(reader, holding, signal)
  // The books follow the watcher's fork. On another one the balance may be coin that left, and that an unseen reorganisation brought back.
  if (!current || !(await reader.isRead(engine.sql, current.at))) return
  const asset = assetOf(native)
  const { at, needed, byAddress } = current
  for (const order of orders) {
    const balance = byAddress.get(findDeposit(order, chain.id) ?? '') ?? 0n
    if (!countsOn(engine, order, chain.id) || unexplained(order, asset, balance, at) === 0n) continue
    try {
      const quote = await priceForArrival(engine, order, asset)
      await recordIfUnchanged(engine, order, { type: 'balance', asset, balance, at, needed, quote })
    } catch (error) {
      if (signal.aborted) throw error
      engine.log.warn({ err: error, order: order.id, chain: chain.id }, 'an order cannot record its balance; retrying at the next sweep')
    }
  }
}

interface Balances extends Pick<FinalBalances, 'at' | 'needed'> {
  readonly byAddress: ReadonlyMap<string, bigint>
}

async function readBalances(
  reader: NativeBalances,
  deposits: readonly DepositAddress[],
  signal: AbortSignal,
): Promise<Balances | undefined> {
  const addresses = deposits.map(({ address }) => address)
  const read = await reader.atLastFinal(addresses, signal)
  return read && { ...read, byAddress: new Map(addresses.map((address, index) => [address, read.amounts[index] ?? 0n])) }
}
