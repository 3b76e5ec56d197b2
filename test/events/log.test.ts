import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { postgresSignal } from '../../server/events/event-signal.ts'
import { follow } from '../../server/events/follow.ts'
import { type LogEvent, logEnd, logLag, readOnward } from '../../server/events/log.ts'
import { connect, type Sql } from '../../server/database/connect.ts'
import { createDatabase, type TestDatabase } from '../support/service/database.ts'
import { until } from '../support/wait.ts'
import { bareOrder, bareOrganization, silent, writeEvent } from './support.ts'

let database: TestDatabase
let sql: Sql
let other: Sql
let orderId: string
beforeAll(async () => {
  database = await createDatabase()
  sql = connect(database.url, 20)
  other = connect(database.url, 2)
  await bareOrganization(sql)
  orderId = await bareOrder(sql, 'org_a')
})
afterAll(async () => {
  await Promise.all([sql.end(), other.end()])
  await database.drop()
})

/** Starts a transaction that stays open until the returned function commits it. */
async function openWriter(event: string) {
  let finish = (): void => undefined
  const released = new Promise<void>((resolve) => (finish = resolve))
  let wrote = (): void => undefined
  const written = new Promise<void>((resolve) => (wrote = resolve))
  const done = sql.begin(async (tx) => {
    await writeEvent(tx, orderId, event)
    wrote()
    await released
  })
  await written
  return async () => {
    finish()
    await done
  }
}

test('behavior: an event committed late is not missed, and followers receive events in order', async () => {
  const cursor = await logEnd(sql)
  const commitFirst = await openWriter('ORDER_CREATED')
  await writeEvent(sql, orderId, 'ORDER_COMPLETED')
  // Reading by serial number alone would return the second event now and skip the first forever.
  const early = await readOnward(sql, cursor)
  expect(early).toMatchObject({ events: [], waiting: true, cursor })
  expect(await logLag(sql)).toBeGreaterThanOrEqual(0)
  await commitFirst()
  const page = await until(async () => {
    const read = await readOnward(sql, cursor)
    return read.events.length === 2 ? read : undefined
  })
  expect(page.events.map(({ event }) => event)).toEqual(['ORDER_CREATED', 'ORDER_COMPLETED'])
  expect(await readOnward(sql, page.cursor)).toMatchObject({ events: [] })
})

test('behavior: a rolled-back writer leaves no gap that followers wait for', async () => {
  const cursor = await logEnd(sql)
  await sql
    .begin(async (tx) => {
      await writeEvent(tx, orderId, 'ORDER_ERROR')
      throw new Error('never mind')
    })
    .catch(() => undefined)
  await writeEvent(sql, orderId, 'ORDER_EXPIRED')
  const page = await until(async () => {
    const read = await readOnward(sql, cursor)
    return read.events.length > 0 ? read : undefined
  })
  expect(page.events.map(({ event }) => event)).toEqual(['ORDER_EXPIRED'])
})

test('behavior: many concurrent writers, two followers: each follower receives everything once, in the same order', async () => {
  const stopping = new AbortController()
  const received: LogEvent[][] = [[], []]
  const following = received.map((events, index) =>
    follow(
      { sql: index === 0 ? sql : other, events: postgresSignal(index === 0 ? sql : other), log: silent },
      (page) => void events.push(...page),
      stopping.signal,
    ),
  )
  // Followers receive only events written after they started, so this one proves that they have started.
  await until(
    async () => {
      await writeEvent(sql, orderId, 'ORDER_CREATED')
      return received.every((events) => events.length > 0)
    },
    { every: 30 },
  )
  const signal = postgresSignal(sql)
  const written: number[] = []
  await Promise.all(
    Array.from({ length: 15 }, async (_, lane) => {
      for (let turn = 0; turn < 40; turn++) {
        await sql.begin(async (tx) => {
          // Other transactions overtake this one both before and after it writes.
          await tx`select pg_current_xact_id()`
          if ((lane + turn) % 3 === 0) await sleep(Math.random() * 8)
          const seq = await writeEvent(tx, orderId, 'ORDER_CONFIRMING')
          if ((lane + turn) % 4 === 0) await sleep(Math.random() * 8)
          written.push(seq)
        })
        signal.notify()
      }
    }),
  )
  await until(() => received.every((events) => events.filter(({ event }) => event === 'ORDER_CONFIRMING').length >= written.length))
  stopping.abort()
  await Promise.all(following)
  const order = await sql`select seq from events where event = 'ORDER_CONFIRMING' order by xid, seq`
  const expected = order.map(({ seq }) => Number(seq))
  expect([...expected].sort((a, b) => a - b)).toEqual([...written].sort((a, b) => a - b))
  for (const events of received) expect(events.filter(({ event }) => event === 'ORDER_CONFIRMING').map(({ seq }) => seq)).toEqual(expected)
  // The order by serial number must differ, or this test would prove nothing.
  expect(expected).not.toEqual([...expected].sort((a, b) => a - b))
})

test('behavior: a backlog longer than a page is read to its end', async () => {
  const cursor = await logEnd(sql)
  await sql`
    insert into events (order_id, organization_id, event, socket_only, delivered_at, body)
    select ${orderId}, 'org_a', 'ORDER_CREATED', false, now(), n::text from generate_series(1, 1234) as n`
  const bodies: string[] = []
  let at = cursor
  await until(async () => {
    const page = await readOnward(sql, at)
    at = page.cursor
    bodies.push(...page.events.map(({ body }) => body))
    return bodies.length >= 1234
  })
  expect(bodies).toEqual(Array.from({ length: 1234 }, (_, index) => String(index + 1)))
})

test('behavior: a notification carries no payload, and several are coalesced', async () => {
  let received = 0
  const stop = await postgresSignal(other).listen(() => void received++)
  expect(received).toBe(1)
  const signal = postgresSignal(sql)
  for (let i = 0; i < 1_000; i++) signal.notify()
  await until(() => received > 1)
  expect(received).toBeLessThan(10)
  await stop()
})

test('behavior: a follower that starts while the database is down follows once it is up', async () => {
  let refusals = 2
  const refuse = () => (refusals-- > 0 ? Promise.reject(new Error('the database system is starting up')) : undefined)
  const away = new Proxy(sql, { apply: (target, self, args) => refuse() ?? Reflect.apply(target, self, args) })
  const signal = postgresSignal(sql)
  let failsToListen = true
  const events = {
    ...signal,
    listen: async (notify: () => void) => {
      if (failsToListen) {
        failsToListen = false
        throw new Error('the database system is shutting down')
      }
      return signal.listen(notify)
    },
  }
  const stopping = new AbortController()
  const received: string[] = []
  const following = follow(
    { sql: away, events, log: silent },
    (page) => void received.push(...page.map(({ body }) => body)),
    stopping.signal,
  )
  await until(async () => {
    await writeEvent(sql, orderId, 'ORDER_CREATED', { body: 'late' })
    return received.includes('late')
  })
  expect([failsToListen, refusals < 0]).toEqual([false, true])
  stopping.abort()
  await following
})

test('behavior: a follower whose connection is cut resumes where it was', async () => {
  const mine = connect(`${database.url}?application_name=follower`, 3)
  const stopping = new AbortController()
  const received: string[] = []
  const following = follow(
    { sql: mine, events: postgresSignal(mine), log: silent },
    (page) => void received.push(...page.map(({ body }) => body)),
    stopping.signal,
  )
  await until(
    async () => {
      await writeEvent(sql, orderId, 'ORDER_CREATED', { body: 'begun' })
      return received.length > 0
    },
    { every: 30 },
  )
  for (let round = 0; round < 3; round++) {
    await sql`select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'follower' or (pid <> pg_backend_pid() and datname = current_database() and query like 'listen%')`
    await writeEvent(sql, orderId, 'ORDER_CREATED', { body: `round ${round}` })
    await until(() => received.includes(`round ${round}`))
  }
  expect(received.filter((body) => body.startsWith('round'))).toEqual(['round 0', 'round 1', 'round 2'])
  stopping.abort()
  await following
  await mine.end({ timeout: 1 })
})

test('behavior: a follower continues after its database was restored to an earlier state', async () => {
  const { epoch } = await logEnd(sql)
  const before: Promise<unknown>[] = [
    Promise.resolve([{ epoch, xid: '9000000000000000' }]),
    Promise.reject(new Error('terminating connection due to administrator command')),
  ]
  before[1]?.catch(() => undefined)
  const exchanged = new Proxy(sql, { apply: (target, self, args) => before.shift() ?? Reflect.apply(target, self, args) })
  const stopping = new AbortController()
  const received: string[] = []
  const following = follow(
    { sql: exchanged, events: postgresSignal(sql), log: silent },
    (page) => void received.push(...page.map(({ body }) => body)),
    stopping.signal,
  )
  await until(async () => {
    await writeEvent(sql, orderId, 'ORDER_CREATED', { body: 'after' })
    return received.includes('after')
  })
  stopping.abort()
  await following
})
