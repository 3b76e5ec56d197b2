import { type Block, type Chain, finalBlock } from '../chains/chain.ts'
import { unexplained } from '../orders/model/balance.ts'
import { canonicalAddress } from '../orders/model/asset.ts'
import type { Order } from '../orders/model/order.ts'
import { markSwept, readBlockCursor, storedHash } from './block-cursor.ts'
import { type DepositAddress, depositsAfter, depositsToSweep, ordersById } from '../orders/order-queries.ts'
import type { Engine } from '../orders/engine.ts'
import { assetOf } from '../orders/quoting.ts'
import { recordIfUnchanged } from '../orders/record.ts'
import { priceForArrival } from '../orders/pricing.ts'

/** Each sweep also reads this many of all addresses ever issued, so a million addresses take 2,000 sweeps. */
const slice = 500

/**
 * Native coin that a contract sends shows only in the balance. So every `everyBlocks` blocks, and before an order expires, balances are
 * compared with the books: of orders that may still be paid and, since coin may arrive later, of the next slice of all addresses.
 */
export async function sweepDue(engine: Engine, chain: Chain, everyBlocks: number, head: Block, signal: AbortSignal): Promise<void> {
  const cursor = await readBlockCursor(engine.sql, chain.id)
  if (!cursor || head.number - cursor.sweptAt < everyBlocks) return
  const [payable, others] = await Promise.all([depositsToSweep(engine.sql), depositsAfter(engine.sql, cursor.sweptTo, slice)])
  const deposits = new Map([...payable, ...others].map((deposit) => [deposit.id, deposit]))
  await sweep(engine, chain, [...deposits.values()], signal)
  await markSwept(engine.sql, chain.id, head.number, others.length < slice ? '' : (others.at(-1)?.id ?? ''))
}

/** Sweeps one order's address, either on the chains of its quotes ('asked') or on all chains. */
export async function sweepOrder(
  engine: Engine,
  { id, depositAddress, quotes }: Order,
  where: 'asked' | 'all',
  signal: AbortSignal,
): Promise<void> {
  const address = canonicalAddress(depositAddress) ?? ''
  const chains = [...engine.chains.values()].filter((chain) => where === 'all' || quotes.some(({ source }) => source.chainId === chain.id))
  const swept = await Promise.allSettled(chains.map((chain) => sweep(engine, chain, [{ id, address }], signal)))
  const failed = swept.find((result) => result.status === 'rejected')
  if (failed) throw failed.reason
}

/**
 * Nearly all addresses are empty, so books are read only for the others, and then their balances again. The books must be the older, since
 * a settlement booked after its balance was read would look like new money. An order that changed meanwhile is left to the next sweep.
 */
async function sweep(engine: Engine, chain: Chain, deposits: readonly DepositAddress[], signal: AbortSignal): Promise<void> {
  const native = chain.tokens.find((token) => token.address === null)
  if (!native || deposits.length === 0) return
  const firstRead = await balancesAtLast(chain, deposits, signal)
  const holding = deposits.filter(({ address }) => (firstRead?.balances.get(address) ?? 0n) > 0n)
  if (holding.length === 0) return
  const orders = await ordersById(
    engine.sql,
    holding.map(({ id }) => id),
  )
  const current = await balancesAtLast(chain, holding, signal)
  // The books follow the watcher's fork. On another one the balance may be coin that left, and that an unseen reorganisation brought back.
  if (!current || (await storedHash(engine.sql, chain.id, current.block.number)) !== current.block.hash) return
  const asset = assetOf(native)
  for (const order of orders) {
    const balance = current.balances.get(canonicalAddress(order.depositAddress) ?? '') ?? 0n
    if (unexplained(order, asset, balance, current.block.number) === 0n) continue
    const { block, head } = current
    try {
      const quote = await priceForArrival(engine, order, asset)
      const seen = { asset, balance, block: block.number, blockHash: block.hash, needed: chain.confirmations, head, quote }
      await recordIfUnchanged(engine, order, { type: 'balance', ...seen })
    } catch (error) {
      if (signal.aborted) throw error
      engine.log.warn({ err: error, order: order.id, chain: chain.id }, 'an order cannot record its balance; retrying at the next sweep')
    }
  }
}

interface Balances {
  /** The balances are those of the newest final block. */
  readonly block: Block
  readonly head: number
  readonly balances: ReadonlyMap<string, bigint>
}

async function balancesAtLast(chain: Chain, deposits: readonly DepositAddress[], signal: AbortSignal): Promise<Balances | undefined> {
  const { number: head } = await chain.head(signal)
  const final = finalBlock(chain, head)
  const block = final < 1 ? undefined : await chain.block(final, signal)
  if (!block) return undefined
  const addresses = deposits.map(({ address }) => address)
  const balances = await chain.balances(addresses, null, final, signal)
  return { block, head, balances: new Map(addresses.map((address, index) => [address, balances[index] ?? 0n])) }
}
