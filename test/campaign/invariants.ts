import { createHmac } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { Order } from '../../src/wire/order.ts'
import { feeCollector } from '../../local/chains/accounts.ts'
import { bitcoinInvariants, booksInBitcoin } from './bitcoin-invariants.ts'
import type { Paid } from './paying.ts'
import { booksOnSolana, solanaInvariants } from './solana-invariants.ts'
import type { CampaignChain, World } from './world.ts'

export interface Verdict {
  readonly checked: number
  readonly wrong: readonly string[]
}

/** A condition that must hold once all work has finished. */
export interface Invariant {
  readonly name: string
  readonly check: (world: World, paid: readonly Paid[]) => Promise<Verdict>
}

const verdict = (wrong: readonly string[], checked: number): Verdict => ({ checked, wrong })
const never = () => AbortSignal.timeout(30_000)
const differ = (what: string, actual: unknown, other: unknown): readonly string[] =>
  actual === other ? [] : [`${what}: ${String(actual)} is not ${String(other)}`]

function grouped<T>(items: readonly T[], nameOf: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>()
  for (const item of items) groups.set(nameOf(item), [...(groups.get(nameOf(item)) ?? []), item])
  return groups
}

const ordersOf = async ({ sql }: World, organizationId?: string) =>
  sql<{ id: string; mode: Order['mode']; status: Order['status']; deposit: string }[]>`
    select id, mode, status, address as deposit from orders join deposits on order_id = id and family = 'evm'
    where ${organizationId ? sql`organization_id = ${organizationId}` : sql`true`} order by id`

const history = ({ chain }: CampaignChain) => chain.head(never()).then(({ number }) => chain.scan(1, number, never()))

/** Reads the current balances of these addresses on a chain. */
async function holding({ chain }: CampaignChain, token: string | null, addresses: readonly string[]): Promise<readonly bigint[]> {
  const { number } = await chain.head(never())
  return chain.balances(addresses, token, number, never())
}

const bothChains = ({ base, ethereum }: World): readonly CampaignChain[] => [base, ethereum]

/** Counts, by order, the transfers from its deposit addresses to its merchant. */
export async function timesSettled(world: World): Promise<ReadonlyMap<string, number>> {
  const elsewhere = await Promise.all([booksInBitcoin, booksOnSolana].map(async (books) => (await books(world)).timesSettled))
  const recipients = [world.merchant.recipient, world.hostile.recipient]
  const { transfers } = await history(world.base)
  const settled = grouped(
    transfers.filter((transfer) => recipients.includes(transfer.to)),
    (transfer) => transfer.from,
  )
  return new Map(
    (await ordersOf(world)).map(({ id, deposit }) => [
      id,
      elsewhere.reduce((times, byOrder) => times + (byOrder.get(id) ?? 0), settled.get(deposit)?.length ?? 0),
    ]),
  )
}

export const invariants: readonly Invariant[] = [
  {
    name: 'each payment ended as what was paid implies',
    check: async ({ merchant, hostile }, paid) => {
      const wrong: string[] = []
      for (const [client, all] of [
        [merchant.client, paid],
        [hostile.client, hostile.paid],
      ] as const) {
        for (const { orderId, ends } of all) {
          const order = await client.ask('getOrder', { params: { order_id: orderId } })
          if (!ends(order)) wrong.push(`${orderId} is ${order.status}: ${JSON.stringify(order.payment)}`)
        }
      }
      return verdict(wrong, paid.length + hostile.paid.length)
    },
  },
  {
    name: 'the rows of each fact add up to nothing',
    check: async ({ sql }) => {
      const rows = await sql`select order_id, number, sum(amount) = 0 as even from ledger group by order_id, number, chain_id, token`
      return verdict(
        rows.filter(({ even }) => !even).map((row) => `${row.order_id} ${row.number}`),
        rows.length,
      )
    },
  },
  {
    name: 'deposit addresses hold on the chain what the ledger says',
    check: async (world) => {
      const orders = await ordersOf(world)
      const wrong: string[] = []
      let checked = 0
      for (const onChain of bothChains(world)) {
        for (const { address, symbol } of onChain.chain.tokens) {
          const rows = await world.sql<{ id: string; booked: string }[]>`
            select order_id as id, sum(amount)::text as booked from ledger
            where account = 'deposit' and chain_id = ${onChain.chain.id} and token is not distinct from ${address} group by order_id`
          const booked = new Map(rows.map((row) => [row.id, BigInt(row.booked)]))
          const there = await holding(
            onChain,
            address,
            orders.map(({ deposit }) => deposit),
          )
          checked += orders.length
          wrong.push(
            ...orders.flatMap(({ id }, index) => differ(`${id} ${symbol} on ${onChain.chain.id}`, there[index], booked.get(id) ?? 0n)),
          )
        }
      }
      return verdict(wrong, checked)
    },
  },
  {
    name: 'merchants, fees and refunds got on the chain what the ledger says',
    check: async (world) => {
      const { sql, merchant, hostile } = world
      const refunded = await sql<{ to: string }[]>`
        select distinct fact->'refund'->>'address' as to from facts where fact->>'type' = 'refund_planned'
        union select distinct leg->>'to' from facts, jsonb_array_elements(fact->'legs') as leg
        where fact->>'type' = 'settlement_planned' and leg->>'role' = 'refund'`
      const outside = [
        { accounts: ['recipient'], addresses: [merchant.recipient], of: merchant.organizationId },
        { accounts: ['recipient'], addresses: [hostile.recipient], of: hostile.organizationId },
        { accounts: ['fees', 'gas'], addresses: [feeCollector.address] },
        { accounts: ['refunds'], addresses: refunded.map(({ to }) => to.toLowerCase()).filter((to) => to.startsWith('0x')) },
      ]
      const wrong: string[] = []
      let checked = 0
      for (const onChain of bothChains(world)) {
        for (const { address, symbol } of onChain.chain.tokens) {
          for (const { accounts, addresses, of } of outside) {
            const [row] = await sql<{ booked: string }[]>`
              select coalesce(sum(amount), 0)::text as booked from ledger
              where account = any(${accounts}) and chain_id = ${onChain.chain.id} and token is not distinct from ${address}
                and ${of ? sql`organization_id = ${of}` : sql`true`}`
            const there = (await holding(onChain, address, addresses)).reduce((sum, balance) => sum + balance, 0n)
            wrong.push(...differ(`${accounts.join('+')} ${symbol} on ${onChain.chain.id}`, there, BigInt(row!.booked)))
            checked++
          }
        }
      }
      return verdict(wrong, checked)
    },
  },
  {
    name: 'each transfer on the chain is on record once, and no other is',
    check: async (world) => {
      const { sql } = world
      const orders = await ordersOf(world)
      const deposits = new Map(orders.map(({ id, deposit }) => [deposit, id]))
      const sends = await sql<{ hash: string; id: string }[]>`
        select a.tx_hash as hash, s.order_id as id from send_attempts a join sends s on s.id = a.send_id where s.kind in ('settlement', 'refund')`
      const own = new Map(sends.map(({ hash, id }) => [hash, id]))
      const wrong: string[] = []
      let checked = 0
      for (const onChain of bothChains(world)) {
        const { transfers } = await history(onChain)
        // The output of an order's own conversion returns to its address and is not a payment.
        const arrived = transfers.filter(
          (transfer) => deposits.has(transfer.to) && own.get(transfer.txHash) !== deposits.get(transfer.to) && transfer.amount > 0n,
        )
        const keyOf = ({ chainId, txHash, logIndex }: (typeof arrived)[number]) => `${chainId}:${txHash}:${logIndex}`
        const rows = await sql<{ key: string; id: string; tx_hash: string; amount: string }[]>`
          select key, order_id as id, tx_hash, amount::text from transfers where chain_id = ${onChain.chain.id} and state <> 'dropped'`
        const known = new Set(rows.map(({ key }) => key))
        const there = new Set(arrived.map(keyOf))
        // Native coin that was recorded from a balance before its transaction was read is never recorded again.
        const byBalance = rows.filter((row) => row.tx_hash.startsWith('balance:'))
        const unnamed = arrived.filter((transfer) => !known.has(keyOf(transfer)))
        for (const { id } of orders) {
          const shown = byBalance.filter((row) => row.id === id).reduce((total, row) => total + BigInt(row.amount), 0n)
          const native = unnamed
            .filter((transfer) => transfer.token === null && deposits.get(transfer.to) === id)
            .reduce((total, transfer) => total + transfer.amount, 0n)
          wrong.push(...differ(`native coin without a name of ${id}`, shown, native))
        }
        wrong.push(...unnamed.filter((transfer) => transfer.token !== null).map((transfer) => `${keyOf(transfer)} is not on record`))
        wrong.push(
          ...rows
            .filter((row) => !there.has(row.key) && !byBalance.includes(row))
            .map((row) => `${row.key} is on record for ${row.id} and not on the chain`),
        )
        checked += arrived.length
      }
      return verdict(wrong, checked)
    },
  },
  {
    name: 'each transfer is applied, refunded, or held for a reason',
    check: async ({ sql }) => {
      const orders = await sql<{ id: string; transfers: { key: string; state: string; reason?: string }[] }[]>`
        select id, state->'transfers' as transfers from orders`
      const all = orders
        .flatMap(({ id, transfers }) => transfers.map((transfer) => ({ id, ...transfer })))
        .filter(({ state }) => state !== 'dropped')
      const ended = ({ state, reason }: { state: string; reason?: string }) =>
        state === 'applied' || state === 'refunded' || (state === 'held' && reason !== undefined)
      return verdict(
        all.filter((transfer) => !ended(transfer)).map((transfer) => `${transfer.id} ${transfer.key} is ${transfer.state}`),
        all.length,
      )
    },
  },
  {
    name: 'each order is settled once, or not at all',
    check: async (world) => {
      const orders = await ordersOf(world)
      const settled = await timesSettled(world)
      // A deep reorganisation reverts a completion, and the next completion replaces it.
      const facts = await world.sql<{ id: string; times: number }[]>`
        select id, (count(*) filter (where status = 'COMPLETED') - count(*) filter (where status = 'EXECUTING_ORDER' and before = 'COMPLETED'))::int as times
        from (
          select order_id as id, fact->>'status' as status, lag(fact->>'status') over (partition by order_id order by number) as before
          from facts where fact->>'type' = 'became') became
        group by id`
      const completions = new Map(facts.map(({ id, times }) => [id, times]))
      const wrong = orders.flatMap(({ id, mode, status }) => {
        const due = status === 'COMPLETED' ? 1 : 0
        return [
          ...(world.hostile.moved.has(id)
            ? []
            : differ(`${id} (${status}) was settled on the chain`, settled.get(id) ?? 0, mode === 'SALE' ? due : 0)),
          ...differ(`${id} (${status}) became COMPLETED`, completions.get(id) ?? 0, due),
        ]
      })
      return verdict(wrong, orders.length)
    },
  },
  {
    name: 'each send is final: it is on the chain, or it was refused before it got there',
    check: async ({ sql }) => {
      const rows = await sql`select id, state from sends`
      return verdict(
        rows.filter(({ state }) => state !== 'confirmed' && state !== 'refused').map(({ id, state }) => `${id} is ${state}`),
        rows.length,
      )
    },
  },
  {
    name: 'of each order every message is newer than the one before',
    check: async ({ sql }) => {
      const rows = await sql`
        select order_id, seq, at <= before as stale from (
          select order_id, seq, body::json->'order'->>'updated_at' as at,
            lag(body::json->'order'->>'updated_at') over (partition by order_id order by xid, seq) as before from events) e`
      return verdict(
        rows.filter(({ stale }) => stale).map(({ order_id, seq }) => `${order_id} ${seq}`),
        rows.length,
      )
    },
  },
  {
    name: 'each webhook arrived, signed, with the bytes of the log',
    check: async ({ sql, merchant: { receiver, webhookSecret, organizationId } }) => {
      const owed = await sql<{ id: string; body: string }[]>`
        select d.id, e.body from deliveries d join events e on e.seq = d.seq where e.organization_id = ${organizationId}`
      const bodies = new Map(owed.map(({ id, body }) => [id, body]))
      const accepted = new Set(receiver.tries.filter((attempt) => attempt.accepted).map(({ id }) => id))
      const sign = (body: string) => createHmac('sha256', webhookSecret).update(body).digest('base64')
      const wrong = [
        ...owed.filter(({ id }) => !accepted.has(id)).map(({ id }) => `${id} never arrived`),
        ...receiver.tries.flatMap((attempt) => [
          ...differ(`the body of ${attempt.id}`, attempt.body, bodies.get(attempt.id)),
          ...differ(`the signature of ${attempt.id}`, attempt.signature, sign(attempt.body)),
        ]),
      ]
      return verdict(wrong, owed.length + receiver.tries.length)
    },
  },
  {
    name: 'webhooks came in order, but for what had failed three times',
    check: async ({ sql, merchant: { receiver, organizationId } }) => {
      const owed = await sql<{ id: string; order: string; attempts: number }[]>`
        select d.id, d.order_id as order, d.attempts from deliveries d join events e on e.seq = d.seq
        where e.organization_id = ${organizationId} order by d.seq`
      const first = new Map<string, number>()
      const done = new Map<string, number>()
      receiver.tries.forEach(({ id, accepted }, index) => {
        if (!first.has(id)) first.set(id, index)
        if (accepted && !done.has(id)) done.set(id, index)
      })
      const wrong = [...grouped(owed, ({ order }) => order).values()].flatMap((ofOrder) =>
        ofOrder.flatMap((later, index) =>
          ofOrder
            .slice(0, index)
            .filter((earlier) => (first.get(later.id) ?? 0) < (done.get(earlier.id) ?? Infinity) && earlier.attempts < 3)
            .map((earlier) => `${later.id} came before ${earlier.id} of ${later.order}, which was tried ${earlier.attempts} times`),
        ),
      )
      return verdict(wrong, owed.length)
    },
  },
  {
    name: 'each connection received a part of the log without gaps, in order',
    check: async ({ sql, merchant }) => {
      const rows = await sql<{ body: string; quiet: boolean }[]>`
        select body, socket_only as quiet from events where organization_id = ${merchant.organizationId} order by xid, seq`
      const log = rows.filter(({ quiet }) => !quiet).map(({ body }) => `{"type":"event","data":${body}}`)
      const positions = new Map(log.map((text, index) => [text, index]))
      const quiet = new Set(rows.filter((row) => row.quiet).map(({ body }) => `{"type":"event","data":${body}}`))
      const wrong: string[] = []
      let checked = 0
      for (const [number, { events }] of merchant.listener.connections.entries()) {
        let expected: number | undefined
        for (const text of events) {
          checked++
          const position = positions.get(text)
          if (position === undefined) {
            if (!quiet.has(text)) wrong.push(`connection ${number} received what is not in the log: ${text.slice(0, 200)}`)
            continue
          }
          if (expected !== undefined && position !== expected) wrong.push(`connection ${number} received ${position} after ${expected - 1}`)
          expected = position + 1
        }
      }
      return verdict(wrong, checked)
    },
  },
  {
    name: 'no connection received an older state of an order after a newer one',
    check: async ({ merchant }) => {
      const wrong: string[] = []
      let checked = 0
      for (const [number, { events }] of merchant.listener.connections.entries()) {
        const newest = new Map<string, string>()
        for (const text of events) {
          const { id, updated_at } = (JSON.parse(text) as { data: { order: Order } }).data.order
          if (updated_at <= (newest.get(id) ?? '')) wrong.push(`connection ${number}: ${id} at ${updated_at} after ${newest.get(id)}`)
          newest.set(id, updated_at)
          checked++
        }
      }
      return verdict(wrong, checked)
    },
  },
  {
    name: 'who listens and who asks see the same orders',
    check: async (world) => {
      const { client, listener, organizationId } = world.merchant
      const wrong: string[] = []
      const orders = await ordersOf(world, organizationId)
      for (const { id } of orders) {
        const fetched = await client.ask('getOrder', { params: { order_id: id } })
        const received = listener.orders.get(id)
        if (!isDeepStrictEqual(received, fetched))
          wrong.push(`${id}: received ${JSON.stringify(received)}\n  and fetched ${JSON.stringify(fetched)}`)
      }
      return verdict(wrong, orders.length)
    },
  },
  {
    name: 'each page shows what the service says, and nothing went wrong in it',
    check: async ({ pages, merchant }) => {
      const wrong: string[] = []
      for (const { orderId, page, wrong: errors } of pages.open) {
        const { status } = await merchant.client.ask('getOrder', { params: { order_id: orderId } })
        const isReceipt = await page.getByRole('region', { name: 'Receipt' }).isVisible()
        wrong.push(...differ(`the page of ${orderId} (${status}) shows a receipt`, isReceipt, status === 'COMPLETED'))
        wrong.push(...errors.map((error) => `the page of ${orderId}: ${error}`))
      }
      return verdict(wrong, pages.open.length)
    },
  },
  {
    name: 'nobody was answered "something went wrong", and no process logged an error',
    check: async ({ sql, merchant, hostile, processes, undone }) => {
      const settledAgain = await sql<{ id: string }[]>`select id from orders where id = any(${[...undone]}) and status = 'COMPLETED'`
      const isTakenBack = (line: string) => [...hostile.takenBack].some((orderId) => line.includes(orderId))
      const isRepaired = (line: string) =>
        line.includes('a send that a reorganisation undid has failed') && settledAgain.some(({ id }) => line.includes(id))
      const errors = processes.flatMap((process) =>
        process
          .output()
          .split('\n')
          .filter((line) => /"level":(50|60)|^\s+at .*process\.js/.test(line) && !isTakenBack(line) && !isRepaired(line)),
      )
      return verdict(
        [...merchant.client.crashes, ...hostile.client.crashes, ...errors.map((line) => line.slice(0, 1_000))],
        processes.length,
      )
    },
  },
  ...bitcoinInvariants,
  ...solanaInvariants,
]
