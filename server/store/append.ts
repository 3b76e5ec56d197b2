import { canonicalAddress } from '../domain/asset.ts'
import { nextTick } from '../domain/ticking.ts'
import { apply } from '../domain/apply.ts'
import type { Rules } from '../domain/commands.ts'
import { entriesOf } from '../domain/entries.ts'
import { announcementOf, type Fact, quietEvent } from '../domain/facts.ts'
import type { Order, Transfer } from '../domain/order.ts'
import { snapshot } from '../domain/snapshot.ts'
import type { Tx } from './connect.ts'
import { toJsonb } from './json.ts'

/**
 * Writes facts and everything that is derived from them in the caller's transaction: the order's state, its transfers by block,
 * the ledger, the public events and the deliveries they owe. All of it is there, or none.
 */
export const append = async (tx: Tx, before: Order | undefined, facts: readonly Fact[], rules: Rules, now: number): Promise<Order> => {
  const steps: { fact: Fact; before: Order | undefined; after: Order }[] = []
  for (const fact of facts) {
    const current = steps.at(-1)?.after ?? before
    steps.push({ fact, before: current, after: apply(current, fact, now) })
  }
  const after = steps.at(-1)?.after ?? before
  if (!after) throw new Error('nothing to append and nothing there')
  if (steps.length === 0) return after

  // Handed over all at once, they travel together: one wait for all of them, and they are carried out in this order.
  const writes: PromiseLike<unknown>[] = [writeOrder(tx, before, after, rules)]
  writes.push(
    tx`insert into facts ${tx(steps.map((step) => ({ order_id: after.id, number: step.after.version, at: new Date(now), fact: tx.json(toJsonb(step.fact)) })))}`,
  )
  writes.push(...writeTransfers(tx, before, after))
  const entries = steps.flatMap((step) =>
    entriesOf(step.before, step.fact).map(({ account, asset, amount }) => ({
      order_id: after.id,
      number: step.after.version,
      organization_id: after.organizationId,
      account,
      chain_id: asset.chainId,
      token: asset.address,
      amount: amount.toString(),
    })),
  )
  if (entries.length > 0) writes.push(tx`insert into ledger ${tx(entries)}`)
  writes.push(...writeEvents(tx, after, steps, rules, now))
  await Promise.all(writes)
  return after
}

const writeOrder = (tx: Tx, before: Order | undefined, after: Order, rules: Rules): PromiseLike<unknown> => {
  const tick = nextTick(after, rules)
  const row = {
    status: after.status,
    version: after.version,
    state: tx.json(toJsonb(after)),
    updated_at: new Date(after.updatedAt),
    next_tick: tick === undefined ? null : new Date(tick),
  }
  if (before) return tx`update orders set ${tx(row)} where id = ${after.id}`
  const birth = {
    id: after.id,
    organization_id: after.organizationId,
    parent_id: after.terms.refundOf?.orderId ?? null,
    mode: after.terms.mode,
    deposit_address: canonicalAddress(after.depositAddress),
    created_at: new Date(after.createdAt),
  }
  return tx`insert into orders ${tx({ ...birth, ...row })}`
}

const writeTransfers = (tx: Tx, before: Order | undefined, after: Order): PromiseLike<unknown>[] => {
  const old = new Map(before?.transfers.map((one) => [one.key, one]))
  const changed = after.transfers.filter((one) => {
    const known: Transfer | undefined = old.get(one.key)
    return !known || known.state !== one.state || known.blockHash !== one.blockHash
  })
  return changed.map((one) => {
    const row = {
      key: one.key,
      order_id: after.id,
      chain_id: one.asset.chainId,
      token: one.asset.address,
      tx_hash: one.txHash,
      amount: one.amount.toString(),
      block: one.block,
      block_hash: one.blockHash,
      state: one.state,
    }
    return tx`
      insert into transfers ${tx(row)}
      on conflict (key) do update set ${tx({ block: row.block, block_hash: row.block_hash, state: row.state })}`
  })
}

/** Each status entered is an event; a change without one is told to sockets only. */
const writeEvents = (
  tx: Tx,
  after: Order,
  steps: readonly { fact: Fact; after: Order }[],
  rules: Rules,
  now: number,
): PromiseLike<unknown>[] => {
  const loud = steps.flatMap((step) => {
    const announced = announcementOf(step.fact)
    return announced ? [{ ...announced, order: step.after }] : []
  })
  const events =
    loud.length > 0
      ? loud
      : [
          {
            event: quietEvent(
              steps.map((step) => step.fact),
              after.status,
            ),
            socketOnly: true,
            order: after,
          },
        ]
  const deliveredAt = new Date(now)
  // What the reactions of one command changed is one change: its events carry the whole that they end in, last.
  return events.map(({ event, socketOnly, order }, index) => {
    const shown = index === events.length - 1 ? after : order
    const body = JSON.stringify({ event, delivered_at: deliveredAt.toISOString(), order: snapshot(shown, rules.heldForMs) })
    const insert = tx`
      insert into events (order_id, organization_id, event, socket_only, delivered_at, body)
      values (${after.id}, ${after.organizationId}, ${event}, ${socketOnly}, ${deliveredAt}, ${body})`
    if (socketOnly) return insert
    return tx`
      with event as (${insert} returning seq)
      insert into deliveries (webhook_id, order_id, seq)
      select webhooks.id, ${after.id}, event.seq from event, webhooks
      where organization_id = ${after.organizationId} and active and ${event} = any(events)`
  })
}
