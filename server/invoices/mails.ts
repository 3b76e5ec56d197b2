import { decodeJson } from '../database/json.ts'
import type { Sql, Tx } from '../database/connect.ts'
import type { Notice } from './notices.ts'

/** A mail is about an invoice, perhaps with one of its orders, about a change of an organisation's settlements, about an order, or about the organisation. */
export type MailSubject =
  | { readonly kind: 'invoice' | 'invoice_paid'; readonly invoiceId: string }
  | { readonly kind: 'invoice_paid_twice'; readonly invoiceId: string; readonly orderId: string }
  | { readonly kind: 'settlements_changed'; readonly settlementChange: string }
  | { readonly kind: 'moved_by_others'; readonly orderId: string }
  | { readonly kind: 'notice'; readonly notice: Notice }

export type PendingMail = MailSubject & {
  readonly id: string
  readonly organizationId: string
  readonly attempts: number
  readonly firstTriedAt: Date
  readonly claimedAt: Date
}

/** Enqueues a mail once per kind and subject, however often this is called. */
export async function enqueueMail(tx: Tx, mail: Exclude<MailSubject, { kind: 'notice' }> & { readonly id: string }): Promise<void> {
  const row = {
    id: mail.id,
    kind: mail.kind,
    invoice_id: 'invoiceId' in mail ? mail.invoiceId : null,
    order_id: 'orderId' in mail ? mail.orderId : null,
    settlement_change: 'settlementChange' in mail ? mail.settlementChange : null,
  }
  await tx`insert into mails ${tx(row)} on conflict do nothing`
}

/** Enqueues a notice once for each organisation and key. */
export async function enqueueNotice(
  sql: Sql | Tx,
  { id, organizationId, key, notice }: { id: string; organizationId: string; key: string; notice: Notice },
): Promise<void> {
  await sql`
    insert into mails (id, kind, organization_id, notice_key, notice)
    values (${id}, 'notice', ${organizationId}, ${key}, ${sql.json({ ...notice })}) on conflict do nothing`
}

const leaseSeconds = 120

/** Limits how many mails one process sends concurrently, in all and per organisation. */
export interface MailLimits {
  readonly free: number
  readonly perOrganization: number
  /** Counts the mails that this process is already sending, by organisation. */
  readonly running: ReadonlyMap<string, number>
}

/** Strangers cause these mails. */
const isLast = (sql: Sql) => sql`coalesce(m.kind = 'moved_by_others' or m.notice->>'kind' = 'refund_address_proposed', false)`

/** Warnings about settlements go before all else, what strangers cause goes last, and organisations take turns, so no backlog delays another's first mail. A claim is a lease, so a crash may repeat a mail but loses none. */
export async function claimMails(sql: Sql, { free, perOrganization, running }: MailLimits): Promise<PendingMail[]> {
  const rows = await sql`
    with ranked as (
      select m.id, about.organization_id, m.next_at,
        row_number() over (partition by about.organization_id order by m.kind <> 'settlements_changed', ${isLast(sql)}, m.next_at, m.id) + coalesce(running.count, 0) as position
      from mails m
        left join invoices i on i.id = m.invoice_id
        left join settlement_changes c on c.number = m.settlement_change
        left join orders o on o.id = m.order_id
        cross join lateral (select coalesce(i.organization_id, c.organization_id, o.organization_id, m.organization_id) as organization_id) about
        left join unnest(${[...running.keys()]}::text[], ${[...running.values()]}::int[]) as running (id, count) on running.id = about.organization_id
      where m.next_at <= now() and m.sent_at is null and m.given_up_at is null),
    taken as (
      select m.id, ranked.organization_id from mails m join ranked using (id)
      where ranked.position <= ${perOrganization} and m.next_at <= now() and m.sent_at is null and m.given_up_at is null
      order by m.kind <> 'settlements_changed', ${isLast(sql)}, ranked.position, ranked.next_at limit ${free} for update of m skip locked)
    update mails m set attempts = m.attempts + 1, next_at = now() + ${`${leaseSeconds} seconds`}::interval, first_tried_at = coalesce(m.first_tried_at, now())
    from taken where m.id = taken.id
    returning m.id, m.kind, m.invoice_id, taken.organization_id, m.order_id, m.settlement_change, m.notice, m.attempts, m.first_tried_at, now() as taken_at`
  return rows.map((row) => ({
    ...subjectOf(row),
    id: row.id,
    organizationId: row.organization_id,
    attempts: row.attempts,
    firstTriedAt: row.first_tried_at,
    claimedAt: row.taken_at,
  }))
}

function subjectOf({ kind, invoice_id, order_id, settlement_change, notice }: Record<string, unknown>): MailSubject {
  switch (kind) {
    case 'invoice':
    case 'invoice_paid':
      return { kind, invoiceId: String(invoice_id) }
    case 'invoice_paid_twice':
      return { kind, invoiceId: String(invoice_id), orderId: String(order_id) }
    case 'settlements_changed':
      return { kind, settlementChange: String(settlement_change) }
    case 'moved_by_others':
      return { kind, orderId: String(order_id) }
    case 'notice':
      return { kind, notice: decodeJson<Notice>(notice) }
    default:
      throw new Error(`a mail has the unknown kind ${String(kind)}`)
  }
}

export async function mailSent(sql: Sql, id: string): Promise<void> {
  await sql`update mails set sent_at = now(), last_error = null where id = ${id}`
}

/** Without `nextAt` there is no further attempt. */
export async function mailFailed(sql: Sql, id: string, error: string, nextAt: Date | undefined): Promise<void> {
  await sql`
    update mails set last_error = ${error.slice(0, 500)}, next_at = coalesce(${nextAt ?? null}, next_at), given_up_at = ${nextAt ? null : new Date()}
    where id = ${id}`
}
