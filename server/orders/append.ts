import { canonicalDeposits } from './model/deposits.ts'
import { nextTick } from './model/ticking.ts'
import { apply } from './model/apply.ts'
import type { Policy } from './model/commands.ts'
import { isUnsigned } from './model/created-by.ts'
import { entriesOf } from './model/entries.ts'
import { announcementOf, type Fact, socketOnlyEvent } from './model/facts.ts'
import type { Order } from './model/order.ts'
import { positionOf } from './model/position.ts'
import { snapshot } from './model/snapshot.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { encodeJson } from '../database/json.ts'
import { encodeOrder } from './stored-order.ts'

interface Step {
  readonly fact: Fact
  readonly before: Order | undefined
  readonly after: Order
}

/**
 * Writes facts and everything derived from them in one atomic statement. If there are facts and the order has changed since `before` was
 * read, it writes nothing and returns undefined. It waits for a webhook that is being deleted, which then gets no delivery.
 */
export async function appendIfUnchanged(
  sql: Sql | Tx,
  before: Order | undefined,
  facts: readonly Fact[],
  policy: Policy,
  now: number,
): Promise<Order | undefined> {
  const steps = stepsOf(before, facts, now)
  const after = steps.at(-1)?.after ?? before
  if (!after) throw new Error('no order and no facts to append')
  if (steps.length === 0) return after
  const at = new Date(now)
  const transfers = transferRows(before, after)
  const entries = entryRows(steps)
  const written = await sql`
    with changed as (${writeOrder(sql, before, after, policy)} returning id, organization_id),
    inserted_facts as (
      insert into facts (order_id, number, at, fact)
      select id, new_fact.number, ${at}, new_fact.fact
      from changed, jsonb_to_recordset(${encodeJson(factRows(steps))}::text::jsonb) as new_fact (number integer, fact jsonb)
    ),
    ${before ? sql`` : writeDeposits(sql, after)}
    ${transfers.length > 0 ? writeTransfers(sql, transfers, at) : sql``}
    ${entries.length > 0 ? writeEntries(sql, entries) : sql``}
    inserted_events as (
      insert into events (xid, order_id, organization_id, event, socket_only, unsigned, delivered_at, body)
      select ${logPosition(sql)}, id, organization_id, new_event.event, new_event.socket_only, ${isUnsigned(after.terms)}, ${at}, new_event.body
      from changed, jsonb_to_recordset(${encodeJson(eventRows(steps, after, policy, at))}::text::jsonb)
        as new_event (position integer, event text, socket_only boolean, body text)
      order by new_event.position
      returning seq, order_id, organization_id, event, socket_only, unsigned
    ),
    inserted_deliveries as (
      insert into deliveries (webhook_id, order_id, seq)
      select webhooks.id, inserted_events.order_id, inserted_events.seq
      from inserted_events
        join webhooks on webhooks.organization_id = inserted_events.organization_id and active and inserted_events.event = any(webhooks.events)
      where not inserted_events.socket_only and (include_unsigned or not inserted_events.unsigned)
      for key share of webhooks
    )
    select id from changed`
  return written.length === 1 ? after : undefined
}

/**
 * The log is read in the order of transaction ids, so an order's event never gets a smaller id than its previous one, even in an older
 * transaction. No reader has passed that id yet, since readers wait for the older transaction (see server/events/log.ts). They would also
 * wait for an id beyond this cluster's own, which comes from the cluster that the database was restored from, so it is ignored.
 */
const logPosition = (sql: Sql | Tx) =>
  sql`greatest(pg_current_xact_id(), (
    select xid from events where order_id = changed.id and xid < pg_snapshot_xmax(pg_current_snapshot()) order by seq desc limit 1))`

/** Appends facts for a caller that holds the order's row lock or creates the order, so an order that changed meanwhile is a bug. */
export async function append(tx: Sql | Tx, before: Order | undefined, facts: readonly Fact[], policy: Policy, now: number): Promise<Order> {
  const after = await appendIfUnchanged(tx, before, facts, policy, now)
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

function writeOrder(sql: Sql | Tx, before: Order | undefined, after: Order, policy: Policy) {
  const { id, status, version, terms } = after
  const state = encodeOrder(after)
  const updatedAt = new Date(after.updatedAt)
  const tick = nextTick(after, policy)
  const nextAt = tick === undefined ? null : new Date(tick)
  if (before)
    return sql`
      update orders set status = ${status}, version = ${version}, state = ${state}::text::jsonb, updated_at = ${updatedAt}, next_tick = ${nextAt},
        status_since = case when status = ${status} then status_since else ${updatedAt} end
      where id = ${id} and version = ${before.version}`
  return sql`
    insert into orders (id, organization_id, parent_id, mode, status, deposit_address, version, state, created_at, updated_at, next_tick, status_since)
    values (${id}, ${after.organizationId}, ${terms.refundOf?.orderId ?? null}, ${terms.mode}, ${status}, ${canonicalDeposits(after).evm ?? null},
      ${version}, ${state}::text::jsonb, ${new Date(after.createdAt)}, ${updatedAt}, ${nextAt}, ${updatedAt})`
}

const writeDeposits = (sql: Sql | Tx, order: Order) => sql`
  inserted_deposits as (
    insert into deposits (order_id, family, address)
    select id, deposit.key, deposit.value from changed, jsonb_each_text(${encodeJson(canonicalDeposits(order))}::text::jsonb) as deposit
  ),`

const factRows = (steps: readonly Step[]) => steps.map(({ fact, after }) => ({ number: after.version, fact }))

function transferRows(before: Order | undefined, after: Order) {
  const old = new Map(before?.transfers.map((transfer) => [transfer.key, transfer]))
  return after.transfers
    .filter((transfer) => {
      const known = old.get(transfer.key)
      return !known || known.state !== transfer.state || positionOf(known)?.id !== positionOf(transfer)?.id
    })
    .map((transfer) => {
      const { key, asset, txHash, amount, state } = transfer
      const at = positionOf(transfer)
      return {
        key,
        chain_id: asset.chainId,
        token: asset.address,
        tx_hash: txHash,
        amount: amount.toString(),
        block: at?.height,
        block_hash: at?.id,
        state,
      }
    })
}

const writeTransfers = (sql: Sql | Tx, rows: ReturnType<typeof transferRows>, at: Date) => sql`
  upserted_transfers as (
    insert into transfers (key, order_id, chain_id, token, tx_hash, amount, block, block_hash, state, held_at)
    select new_transfer.key, id, new_transfer.chain_id, token, tx_hash, amount, block, block_hash, new_transfer.state,
      case when new_transfer.state = 'held' then ${at}::timestamptz end
    from changed, jsonb_to_recordset(${encodeJson(rows)}::text::jsonb)
      as new_transfer (key text, chain_id bigint, token text, tx_hash text, amount numeric, block bigint, block_hash text, state text)
    on conflict (key) do update set block = excluded.block, block_hash = excluded.block_hash, state = excluded.state,
      held_at = case when excluded.state = 'held' then coalesce(transfers.held_at, excluded.held_at) end
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
  inserted_entries as (
    insert into ledger (order_id, number, organization_id, account, chain_id, token, amount)
    select id, entry.number, organization_id, entry.account, entry.chain_id, entry.token, entry.amount
    from changed, jsonb_to_recordset(${encodeJson(rows)}::text::jsonb)
      as entry (number integer, account text, chain_id bigint, token text, amount numeric)
  ),`

/** A change without a public event is published to sockets only. The last event of a change carries its final state. */
function eventRows(steps: readonly Step[], after: Order, policy: Policy, at: Date) {
  const announced = steps.flatMap((step) => {
    const announcement = announcementOf(step.fact)
    return announcement ? [{ ...announcement, order: step.after }] : []
  })
  const facts = steps.map(({ fact }) => fact)
  const events = announced.length > 0 ? announced : [{ event: socketOnlyEvent(facts, after.status), socketOnly: true, order: after }]
  return events.map(({ event, socketOnly, order }, position) => {
    const shown = position === events.length - 1 ? after : order
    const body = JSON.stringify({ event, delivered_at: at.toISOString(), order: snapshot(shown) })
    return { position, event, socket_only: socketOnly, body }
  })
}
