import type { Sql, Tx } from '../database/connect.ts'

export type MailKind = 'invoice' | 'invoice_paid_twice'

export interface PendingMail {
  readonly id: string
  readonly kind: MailKind
  readonly invoiceId: string
  readonly organizationId: string
  readonly orderId: string | undefined
  readonly attempts: number
  readonly firstTriedAt: Date
  readonly claimedAt: Date
}

/** Enqueues a mail once per kind, invoice and order, however often this is called. */
export async function enqueueMail(tx: Tx, mail: { id: string; kind: MailKind; invoiceId: string; orderId?: string }): Promise<void> {
  await tx`insert into mails ${tx({ id: mail.id, kind: mail.kind, invoice_id: mail.invoiceId, order_id: mail.orderId ?? null })} on conflict do nothing`
}

const leaseSeconds = 120

/** Limits how many mails one process sends concurrently, in all and per organisation. */
export interface MailLimits {
  readonly free: number
  readonly perOrganization: number
  /** Counts the mails that this process is already sending, by organisation. */
  readonly running: ReadonlyMap<string, number>
}

/** Organisations take turns, so no backlog delays another's first mail. A claim is a lease, so a crash may repeat a mail but loses none. */
export async function claimMails(sql: Sql, { free, perOrganization, running }: MailLimits): Promise<PendingMail[]> {
  const rows = await sql`
    with ranked as (
      select m.id, i.organization_id, m.next_at,
        row_number() over (partition by i.organization_id order by m.next_at, m.id) + coalesce(running.count, 0) as position
      from mails m join invoices i on i.id = m.invoice_id
        left join unnest(${[...running.keys()]}::text[], ${[...running.values()]}::int[]) as running (id, count) on running.id = i.organization_id
      where m.next_at <= now() and m.sent_at is null and m.given_up_at is null),
    taken as (
      select m.id, ranked.organization_id from mails m join ranked using (id)
      where ranked.position <= ${perOrganization} and m.next_at <= now() and m.sent_at is null and m.given_up_at is null
      order by ranked.position, ranked.next_at limit ${free} for update of m skip locked)
    update mails m set attempts = m.attempts + 1, next_at = now() + ${`${leaseSeconds} seconds`}::interval, first_tried_at = coalesce(m.first_tried_at, now())
    from taken where m.id = taken.id
    returning m.id, m.kind, m.invoice_id, taken.organization_id, m.order_id, m.attempts, m.first_tried_at, now() as taken_at`
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    invoiceId: row.invoice_id,
    organizationId: row.organization_id,
    orderId: row.order_id ?? undefined,
    attempts: row.attempts,
    firstTriedAt: row.first_tried_at,
    claimedAt: row.taken_at,
  }))
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
