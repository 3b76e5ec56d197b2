import { type Figure, load, percentile } from './figures.ts'
import type { Ground } from './fixture.ts'
import { call } from './http.ts'

const lanes = 16

export const createOrder = async ({ baseUrl, signed }: Ground): Promise<{ id: string }> =>
  JSON.parse(await call('POST', `${baseUrl}/orders`, signed('POST', '/orders'), '{"mode":"SALE","amount":"42.50","fiat_unit":"usd"}')) as {
    id: string
  }

/** Orders made through the API against rows of the same size inserted by a bare statement; orders read against bare selects. */
export async function orderFigures(ground: Ground): Promise<Figure[]> {
  const { sql, baseUrl, apiKey } = ground
  const { id } = await createOrder(ground)
  await load(lanes, 1, () => createOrder(ground))
  const made = await load(lanes, 4, () => createOrder(ground))

  const [row] = await sql`select state from orders where id = ${id}`
  await sql`create table bench_orders (id text primary key, state jsonb not null)`
  let next = 0
  const inserted = await load(lanes, 3, () => sql`insert into bench_orders (id, state) values (${`order ${next++}`}, ${row!.state})`)

  const get = () => call('GET', `${baseUrl}/orders/${id}`, { 'x-api-key': apiKey })
  await load(lanes, 1, get)
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
