import { expect } from 'vitest'
import { apply, replay } from '../../../server/orders/model/apply.ts'
import type { Command } from '../../../server/orders/model/commands.ts'
import { entriesOf, type Entry } from '../../../server/orders/model/entries.ts'
import type { Fact } from '../../../server/orders/model/facts.ts'
import { atDeposit, everReceived, funding, receivedAssets } from '../../../server/orders/model/funding.ts'
import type { Order } from '../../../server/orders/model/order.ts'
import { snapshot } from '../../../server/orders/model/snapshot.ts'
import { OrderRead } from '../../../src/wire/order-read.ts'
import { Order as WireOrder, type OrderStatus } from '../../../src/wire/order.ts'

/** The status transitions of the contract, copied by hand and independent of the code. */
const legal: Record<OrderStatus, readonly OrderStatus[]> = {
  PENDING: ['AWAITING_PAYMENT', 'AWAITING_CONFIRMATION', 'EXPIRED'],
  AWAITING_PAYMENT: ['AWAITING_CONFIRMATION', 'PARTIAL_PAYMENT', 'EXPIRED'],
  AWAITING_CONFIRMATION: ['OPTIMISTIC_CONFIRMED', 'EXECUTING_ORDER'],
  OPTIMISTIC_CONFIRMED: ['EXECUTING_ORDER'],
  PARTIAL_PAYMENT: ['PARTIAL_PAYMENT', 'AWAITING_CONFIRMATION', 'REFUNDED'],
  EXECUTING_ORDER: ['COMPLETED', 'FAILED'],
  COMPLETED: ['REFUNDED'],
  EXPIRED: ['AWAITING_PAYMENT', 'AWAITING_CONFIRMATION', 'PARTIAL_PAYMENT', 'REFUNDED'],
  FAILED: ['EXECUTING_ORDER', 'REFUNDED'],
  REFUNDED: [],
}

/** A reorganisation may move any unsettled status to what the remaining money implies. */
const unsettled: readonly OrderStatus[] = [
  'PENDING',
  'AWAITING_PAYMENT',
  'AWAITING_CONFIRMATION',
  'OPTIMISTIC_CONFIRMED',
  'PARTIAL_PAYMENT',
  'EXECUTING_ORDER',
  'EXPIRED',
  'FAILED',
]
/** A reorganisation deeper than the confirmations reopens what was settled (docs/decisions/0027-deep-reorganisations.md). */
const reopened: Partial<Record<OrderStatus, readonly OrderStatus[]>> = { COMPLETED: ['EXECUTING_ORDER'], REFUNDED: ['FAILED'] }
const implied: readonly OrderStatus[] = ['AWAITING_PAYMENT', 'AWAITING_CONFIRMATION', 'PARTIAL_PAYMENT', 'EXECUTING_ORDER', 'EXPIRED']

type Log = readonly { readonly fact: Fact; readonly at: number }[]

const isReorganisation = (order: Order, command: Command): boolean =>
  command.type === 'vanished' ||
  command.type === 'lost' ||
  order.settlements.some((settlement) => settlement.reopened && settlement.state !== 'confirmed' && settlement.state !== 'failed') ||
  order.refunds.some((refund) => refund.reopened && refund.state === 'pending') ||
  ((command.type === 'settlement' || command.type === 'refund_outcome') && command.outcome.state === 'unmined') ||
  (command.type === 'arrived' && (command.replaced ?? []).length > 0) ||
  (command.type === 'arrived' &&
    command.transfers.some((arrival) =>
      order.transfers.some(({ key, state, blockHash }) => key === arrival.key && state !== 'dropped' && blockHash !== arrival.blockHash),
    ))

/** A surplus was refunded, and a reorganisation has later undone what had completed the order. */
const lostSurplus = (order: Order): boolean =>
  order.refunds.some((refund) => refund.reason === 'overpaid' && refund.state !== 'failed') &&
  !order.settlements.some((settlement) => settlement.paid?.[0])

const isFinal = ({ status }: Order): boolean =>
  status === 'COMPLETED' || status === 'REFUNDED' || status === 'FAILED' || status === 'EXPIRED'

/** Applies a command's facts one by one and checks the invariants after each. */
export function checked(start: Order, command: Command, facts: readonly Fact[], log: { fact: Fact; at: number }[], now: number): Order {
  const isReorg = isReorganisation(start, command)
  let order = start
  for (const fact of facts) {
    const before = order
    const entries = entriesOf(before, fact)
    const books = booksOf(log)
    for (const entry of entries) book(books, entry)
    if (sumOf(entries) !== 0n) throw new Error(`the entries of ${fact.type} do not add up to nothing`)
    order = apply(before, fact, now)
    log.push({ fact, at: now })
    if (fact.type === 'refund_address_set' && !fact.signed && before.transfers.some(({ state }) => state !== 'dropped'))
      throw new Error('money had been seen, so only the merchant could set the refund address')
    if (order.updatedAt <= before.updatedAt) throw new Error('updatedAt must grow')
    if (order.status !== before.status || fact.type === 'became')
      checkStep(
        before.status,
        order.status,
        isReorg || lostSurplus(before),
        command.type === 'found' || command.type === 'found_refund' || before.supersededBy !== undefined,
      )
    if (order.settlements.filter((settlement) => settlement.state !== 'confirmed' && settlement.state !== 'failed').length > 1)
      throw new Error('two settlements run at once')
    if (order.settlements.filter((settlement) => settlement.paid?.[0] && !settlement.isForeign).length > 1)
      throw new Error('the recipient was paid twice')
  }
  if (order.version !== log.length) throw new Error('version is the number of facts')
  if (funding(order).remaining < 0n) throw new Error('what is due is never negative')
  if (isFinal(order) && order.transfers.some((transfer) => transfer.state === 'confirmed'))
    throw new Error(`${order.status}, and money is neither applied, refunded nor held`)
  checkBooks(order, log)
  return order
}

/** A status is announced again when others have moved money, and when an invoice was paid twice. */
function checkStep(from: OrderStatus, to: OrderStatus, isReorg: boolean, isAgain: boolean): void {
  const isLegal =
    (isAgain && from === to) ||
    legal[from].includes(to) ||
    (isReorg && ((unsettled.includes(from) && implied.includes(to)) || reopened[from]?.includes(to)))
  if (!isLegal) throw new Error(`illegal step from ${from} to ${to}`)
}

const sumOf = (entries: readonly { amount: bigint }[]): bigint => entries.reduce((sum, entry) => sum + entry.amount, 0n)

type Books = Map<string, bigint>

function book(books: Books, { account, asset, amount }: Entry): void {
  const name = `${account} ${asset.chainId} ${asset.address}`
  books.set(name, (books.get(name) ?? 0n) + amount)
}

/** Derives every account's balance by asset from the facts alone. */
export function ledgerOf(log: Log): Books {
  const books: Books = new Map()
  let order: Order | undefined
  for (const { fact, at } of log) {
    for (const entry of entriesOf(order, fact)) book(books, entry)
    order = apply(order, fact, at)
  }
  return books
}

/** Caches the books of a log, which only grows. */
const kept = new WeakMap<Log, Books>()
function booksOf(log: Log): Books {
  const books = kept.get(log) ?? ledgerOf(log)
  kept.set(log, books)
  return books
}

/** Checks that the order's state and the books agree once nothing is in flight. */
function checkBooks(order: Order, log: Log): void {
  const isMoving =
    order.settlements.some((settlement) => settlement.state !== 'confirmed' && settlement.state !== 'failed') ||
    order.refunds.some((refund) => refund.state === 'pending')
  if (isMoving) return
  const books = booksOf(log)
  for (const asset of receivedAssets(order)) {
    const booked = books.get(`deposit ${asset.chainId} ${asset.address}`) ?? 0n
    if (booked !== atDeposit(order, asset))
      throw new Error(`the ledger has ${booked} ${asset.symbol} at the deposit address, the order ${atDeposit(order, asset)}`)
    const paidIn = -(books.get(`payers ${asset.chainId} ${asset.address}`) ?? 0n)
    if (paidIn !== everReceived(order, asset))
      throw new Error(`the ledger has ${paidIn} ${asset.symbol} received, the order ${everReceived(order, asset)}`)
  }
}

/** Runs the expensive checks at the end of a story. */
export function checkWhole(order: Order, log: Log): void {
  expect(replay(log)).toEqual(order)
  checkSnapshot(order)
}

export function checkSnapshot(order: Order): void {
  const shown: unknown = JSON.parse(JSON.stringify(snapshot(order)))
  // The snapshot has exactly the members of the schema.
  const written = WireOrder.safeParse(shown)
  if (!written.success || JSON.stringify(written.data) !== JSON.stringify(shown)) expect(WireOrder.parse(shown)).toEqual(shown)
  const read = OrderRead.parse(shown)
  if (read.status !== order.status || (read.payment === undefined) !== (written.data?.payment === undefined))
    throw new Error('the page reads another order')
  if (read.payment?.funding?.transactions?.length !== written.data?.payment?.funding?.transactions.length)
    throw new Error('the page misses a transfer')
}
