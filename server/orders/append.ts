import { canonicalAddress } from './model/asset.ts'
import { nextTick } from './model/ticking.ts'
import { apply } from './model/apply.ts'
import type { Rules } from './model/commands.ts'
import { isUnsigned } from './model/created-by.ts'
import { entriesOf } from './model/entries.ts'
import { announcementOf, type Fact, quietEvent } from './model/facts.ts'
import type { Order } from './model/order.ts'
import { snapshot } from './model/snapshot.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { encodeJson } from '../database/json.ts'

interface Step {
  readonly fact: Fact
  readonly before: Order | undefined
  readonly after: Order
}

/**
 * Writes facts and everything that is derived from them: the order's state, its transfers by block, the ledger, the public events and the
 * deliveries they owe. It is one statement, so all of it is there, or none, also without a transaction around it; and it writes nothing
 * when the order is not as it was before, which is said by undefined. A webhook that is being deleted is waited for, and owed nothing.
 */
export async function appendUnlessMoved(
  sql: Sql | Tx,
  before: Order | undefined,
  facts: readonly Fact[],
  rules: Rules,
  now: number,
): Promise<Order | undefined> {
  const steps = stepsOf(before, facts, now)
  const after = steps.at(-1)?.after ?? before
  if (!after) throw new Error('nothing to append and nothing there')
  if (steps.length === 0) return after
  const at = new Date(now)
  const transfers = transferRows(before, after)
  const entries = entryRows(steps)
  const written = await sql`
    with changed as (${writeOrder(sql, before, after, rules)} returning id, organization_id),
    noted as (
      insert into facts (order_id, number, at, fact)
      select id, one.number, ${at}, one.fact
      from changed, jsonb_to_recordset(${encodeJson(factRows(steps))}::text::jsonb) as one (number integer, fact jsonb)
    ),
    ${transfers.length > 0 ? writeTransfers(sql, transfers) : sql``}
    ${entries.length > 0 ? writeEntries(sql, entries) : sql``}
    told as (
      insert into events (xid, order_id, organization_id, event, socket_only, unsigned, delivered_at, body)
      select ${placeInLog(sql)}, id, organization_id, one.event, one.socket_only, ${isUnsigned(after.terms)}, ${at}, one.body
      from changed, jsonb_to_recordset(${encodeJson(eventRows(steps, after, rules, at))}::text::jsonb)
        as one (place integer, event text, socket_only boolean, body text)
      order by one.place
      returning seq, order_id, organization_id, event, socket_only, unsigned
    ),
    owed as (
      insert into deliveries (webhook_id, order_id, seq)
      select webhooks.id, told.order_id, told.seq
      from told join webhooks on webhooks.organization_id = told.organization_id and active and told.event = any(webhooks.events)
      where not told.socket_only and (include_unsigned or not told.unsigned)
      for key share of webhooks
    )
    select id from changed`
  return written.length === 1 ? after : undefined
}

/**
 * The log is read by transaction, and a transaction that was there before another may change an order after it: the order's last place is
 * the least. Nobody has read that far: a reader waits for the older transaction (see server/events/log.ts). A place that this cluster has
 * not had yet is another's, from which the database was restored: nobody is made to wait for it.
 */
const placeInLog = (sql: Sql | Tx) =>
  sql`greatest(pg_current_xact_id(), (
    select xid from events where order_id = changed.id and xid < pg_snapshot_xmax(pg_current_snapshot()) order by seq desc limit 1))`

/** The same for whoever holds the order's row, or makes it. */
export async function append(tx: Sql | Tx, before: Order | undefined, facts: readonly Fact[], rules: Rules, now: number): Promise<Order> {
  const after = await appendUnlessMoved(tx, before, facts, rules, now)
  if (!after) throw new Error(`order ${before?.id} changed under its lock`)
  return after
}

function stepsOf(before: Order | undefined, facts: readonly Fact[], now: number): readonly Step[] {
  const steps: Step[] = []
  for (const fact of facts) {
    const current = steps.at(-1)?.after ?? before
    steps.push({ fact, before: current, after: apply(current, fact, now) })
  }
  return steps
}

function writeOrder(sql: Sql | Tx, before: Order | undefined, after: Order, rules: Rules) {
  const { id, status, version, terms } = after
  const state = encodeJson(after)
  const updatedAt = new Date(after.updatedAt)
  const tick = nextTick(after, rules)
  const nextAt = tick === undefined ? null : new Date(tick)
  if (before)
    return sql`
      update orders set status = ${status}, version = ${version}, state = ${state}::text::jsonb, updated_at = ${updatedAt}, next_tick = ${nextAt}
      where id = ${id} and version = ${before.version}`
  return sql`
    insert into orders (id, organization_id, parent_id, mode, status, deposit_address, version, state, created_at, updated_at, next_tick)
    values (${id}, ${after.organizationId}, ${terms.refundOf?.orderId ?? null}, ${terms.mode}, ${status}, ${canonicalAddress(after.depositAddress)},
      ${version}, ${state}::text::jsonb, ${new Date(after.createdAt)}, ${updatedAt}, ${nextAt})`
}

const factRows = (steps: readonly Step[]) => steps.map(({ fact, after }) => ({ number: after.version, fact }))

function transferRows(before: Order | undefined, after: Order) {
  const old = new Map(before?.transfers.map((transfer) => [transfer.key, transfer]))
  return after.transfers
    .filter((transfer) => {
      const known = old.get(transfer.key)
      return !known || known.state !== transfer.state || known.blockHash !== transfer.blockHash
    })
    .map(({ key, asset, txHash, amount, block, blockHash, state }) => ({
      key,
      chain_id: asset.chainId,
      token: asset.address,
      tx_hash: txHash,
      amount: amount.toString(),
      block,
      block_hash: blockHash,
      state,
    }))
}

const writeTransfers = (sql: Sql | Tx, rows: ReturnType<typeof transferRows>) => sql`
  moved as (
    insert into transfers (key, order_id, chain_id, token, tx_hash, amount, block, block_hash, state)
    select one.key, id, one.chain_id, one.token, one.tx_hash, one.amount, one.block, one.block_hash, one.state
    from changed, jsonb_to_recordset(${encodeJson(rows)}::text::jsonb)
      as one (key text, chain_id bigint, token text, tx_hash text, amount numeric, block bigint, block_hash text, state text)
    on conflict (key) do update set block = excluded.block, block_hash = excluded.block_hash, state = excluded.state
  ),`

const entryRows = (steps: readonly Step[]) =>
  steps.flatMap(({ fact, before, after }) =>
    entriesOf(before, fact).map(({ account, asset, amount }) => ({
      number: after.version,
      account,
      chain_id: asset.chainId,
      token: asset.address,
      amount: amount.toString(),
    })),
  )

const writeEntries = (sql: Sql | Tx, rows: ReturnType<typeof entryRows>) => sql`
  booked as (
    insert into ledger (order_id, number, organization_id, account, chain_id, token, amount)
    select id, one.number, organization_id, one.account, one.chain_id, one.token, one.amount
    from changed, jsonb_to_recordset(${encodeJson(rows)}::text::jsonb)
      as one (number integer, account text, chain_id bigint, token text, amount numeric)
  ),`

/**
 * Each status entered is an event; a change without one is told to sockets only. What the reactions of one command changed is one change:
 * its events carry the whole that they end in, last.
 */
function eventRows(steps: readonly Step[], after: Order, rules: Rules, at: Date) {
  const loud = steps.flatMap((step) => {
    const announced = announcementOf(step.fact)
    return announced ? [{ ...announced, order: step.after }] : []
  })
  const facts = steps.map(({ fact }) => fact)
  const events = loud.length > 0 ? loud : [{ event: quietEvent(facts, after.status), socketOnly: true, order: after }]
  return events.map(({ event, socketOnly, order }, place) => {
    const shown = place === events.length - 1 ? after : order
    const body = JSON.stringify({ event, delivered_at: at.toISOString(), order: snapshot(shown, rules.heldForMs) })
    return { place, event, socket_only: socketOnly, body }
  })
}
