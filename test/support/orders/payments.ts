import { expect } from 'vitest'
import type { Order, Payment } from '../../../src/wire/order.ts'
import type { Client } from '../client/client.ts'
import type { Stage } from '../service/stage.ts'
import { until } from '../wait.ts'

export interface Checkout {
  readonly id: string
  readonly created: Order
  readonly payment: Payment
  readonly deposit: string
  readonly required: bigint
  readonly path: { readonly params: { readonly order_id: string } }
}

interface Asset {
  readonly chain_id: number
  readonly address: string | null
}

/** Makes an order with instructions. */
export async function checkout(
  client: Client,
  body: Record<string, unknown>,
  more: { refund_address?: string; source?: Asset } = {},
): Promise<Checkout> {
  const created = await client.ask('createOrder', { body: { mode: 'SALE', ...body } })
  const path = { params: { order_id: created.id } }
  const { source, ...rest } = more
  const { data: payment } = await client.ask('requestPayment', {
    ...path,
    body: { source: { currency: source ?? currencyOf(created), payment_rail: 'CRYPTO' }, ...rest },
  })
  const step = payment.steps[0]
  if (step?.kind !== 'deposit') throw new Error('no deposit step')
  return { id: created.id, created, payment, deposit: step.data.deposit_address, required: BigInt(step.data.amount), path }
}

export const currencyOf = ({ fulfillment: { asset } }: Order): Asset => ({ chain_id: asset.chain_id, address: asset.address })

export async function untilOrder(client: Client, id: string, fits: (order: Order) => boolean, timeout = 60_000): Promise<Order> {
  let last: Order | undefined
  try {
    return await until(
      async () => {
        last = await client.ask('getOrder', { params: { order_id: id } })
        return fits(last) ? last : undefined
      },
      { timeout, every: 30, what: `order ${id}: ${fits.toString()}` },
    )
  } catch (error) {
    throw new Error(`${(error as Error).message.split('\n')[0]}\nit is ${last?.status}: ${JSON.stringify(last?.payment, undefined, 1)}`, {
      cause: error,
    })
  }
}

export const untilStatus = (client: Client, id: string, status: Order['status'], timeout?: number): Promise<Order> =>
  untilOrder(client, id, (order) => order.status === status, timeout)

/** Moves the end of the order's payment window, and of its quotes, to so many seconds from now. */
export const endWindowIn = ({ database: { sql } }: { readonly database: Pick<Stage['database'], 'sql'> }, id: string, seconds: number) =>
  sql`
    update orders set next_tick = now(), state = state || (
      select jsonb_build_object('expiresAt', ends, 'quotes', (
        select coalesce(jsonb_agg(quote || jsonb_build_object('expiresAt', ends) order by place), '[]')
        from jsonb_array_elements(state->'quotes') with ordinality as list (quote, place)))
      from (select (extract(epoch from now()) * 1000)::bigint + ${seconds * 1000}::bigint as ends) as window_end)
    where id = ${id} and status in ('PENDING', 'AWAITING_PAYMENT', 'PARTIAL_PAYMENT')`

/** Ends the order's payment window until the order has this status, since a change of the order at the same moment overwrites the end. */
export async function expireUntil(stage: Stage, client: Client, id: string, status: Order['status'] = 'EXPIRED'): Promise<void> {
  const read = () => client.ask('getOrder', { params: { order_id: id } })
  await until(async () => (await read()).status === status || (await endWindowIn(stage, id, -1), false), {
    every: 300,
    what: `order ${id} is ${status}`,
  })
}

/**
 * Checks the books of these orders, or of all: the entries of each fact add up to zero, and each deposit account equals its balance on the
 * chain.
 */
export async function expectBooks({ database: { sql }, base, ethereum }: Stage, orderIds?: readonly string[]): Promise<void> {
  const mine = orderIds ? sql`order_id = any(${orderIds as string[]})` : sql`true`
  const unbalanced =
    await sql`select order_id, number, token, sum(amount)::text from ledger where ${mine} group by order_id, number, chain_id, token having sum(amount) <> 0`
  expect([...unbalanced]).toEqual([])
  const orders = await sql<{ id: string; address: string }[]>`select order_id as id, address from deposits where family = 'evm' and ${mine}`
  for (const { anvil, chain } of [base, ethereum]) {
    const head = await chain.head(AbortSignal.timeout(60_000))
    for (const token of chain.tokens) {
      const rows = await sql<{ order_id: string; held: string }[]>`
        select order_id, sum(amount)::text as held from ledger
        where ${mine} and account = 'deposit' and chain_id = ${anvil.chainId} and token is not distinct from ${token.address} group by order_id`
      const booked = new Map(rows.map((row) => [row.order_id, BigInt(row.held)]))
      const there = await chain.balances(
        orders.map((order) => order.address),
        token.address,
        head.number,
        AbortSignal.timeout(60_000),
      )
      const onChain = orders.map((order, index) => [order.id, token.symbol, there[index]])
      expect(orders.map((order) => [order.id, token.symbol, booked.get(order.id) ?? 0n])).toEqual(onChain)
    }
  }
}

export async function expectAllTransfersEnded({ database: { sql } }: Stage): Promise<void> {
  const open = await sql`select key, state from transfers where state not in ('applied', 'refunded', 'held', 'dropped')`
  expect([...open]).toEqual([])
}
