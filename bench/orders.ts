import { type Figure, load, percentile } from './figures.ts'
import type { Fixture } from './fixture.ts'
import { call } from './http.ts'

const concurrency = 16

type Api = Pick<Fixture, 'baseUrl' | 'signed'>

export const createOrder = async ({ baseUrl, signed }: Api): Promise<{ id: string }> =>
  JSON.parse(await call('POST', `${baseUrl}/orders`, signed('POST', '/orders'), '{"mode":"SALE","amount":"42.50","fiat_unit":"usd"}')) as {
    id: string
  }

export interface PayableOrder {
  readonly id: string
  readonly to: string
  readonly raw: bigint
}

export const createPayableOrder = (fixture: Fixture): Promise<PayableOrder> =>
  orderPayableIn(fixture, { chain_id: 8453, address: fixture.base.token('USDC') })

export async function orderPayableIn(
  api: Api,
  currency: { readonly chain_id: number; readonly address: string | null },
): Promise<PayableOrder> {
  const { id } = await createOrder(api)
  const body = JSON.stringify({ source: { currency, payment_rail: 'CRYPTO' } })
  const path = `/orders/${id}/payment`
  const { data } = JSON.parse(await call('POST', api.baseUrl + path, api.signed('POST', path), body)) as {
    data: { steps: [{ data: { deposit_address: string; amount: string } }] }
  }
  const { deposit_address: to, amount } = data.steps[0].data
  return { id, to, raw: BigInt(amount) }
}

/** Compares creating orders through the API with bare inserts of rows of the same size, and reading them with bare selects. */
export async function orderFigures(fixture: Fixture): Promise<Figure[]> {
  const { sql, baseUrl, apiKey } = fixture
  const { id } = await createOrder(fixture)
  await load(concurrency, 1, () => createOrder(fixture))
  const made = await load(concurrency, 4, () => createOrder(fixture))

  const [row] = await sql`select state from orders where id = ${id}`
  await sql`create table bench_orders (id text primary key, state jsonb not null)`
  let next = 0
  const inserted = await load(concurrency, 3, () => sql`insert into bench_orders (id, state) values (${`order ${next++}`}, ${row!.state})`)

  const get = () => call('GET', `${baseUrl}/orders/${id}`, { 'x-api-key': apiKey })
  await load(concurrency, 1, get)
  const read = await load(4, 4, get)
  const selected = await load(4, 3, () => sql`select state from orders where id = ${id}`)
  return [
    {
      what: 'orders created a second',
      unit: '/s',
      till: made.perSecond,
      plain: inserted.perSecond,
      by: 'one insert of a row of that size',
    },
    {
      what: 'GET order, p50',
      unit: 'ms',
      till: percentile(read.times, 0.5),
      plain: percentile(selected.times, 0.5),
      by: 'one select by primary key, no HTTP',
    },
    {
      what: 'GET order, p99',
      unit: 'ms',
      till: percentile(read.times, 0.99),
      plain: percentile(selected.times, 0.99),
      by: 'one select by primary key, no HTTP',
    },
  ]
}
