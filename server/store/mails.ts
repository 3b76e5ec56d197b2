import type { Sql, Tx } from './connect.ts'

export type MailKind = 'invoice' | 'invoice_paid_twice'

export interface OwedMail {
  readonly id: string
  readonly kind: MailKind
  readonly invoiceId: string
  readonly orderId: string | undefined
  readonly attempts: number
  readonly firstTriedAt: Date
  readonly takenAt: Date
}

/** Owed once per kind, invoice and order, however often the reason is met. */
export const oweMail = async (tx: Tx, mail: { id: string; kind: MailKind; invoiceId: string; orderId?: string }): Promise<void> => {
  await tx`insert into mails ${tx({ id: mail.id, kind: mail.kind, invoice_id: mail.invoiceId, order_id: mail.orderId ?? null })} on conflict do nothing`
}

const leaseSeconds = 120

/** Takes due mails for this process; the lease outlasts the sending, so that a crash means once more, not never. */
export const claimMails = async (sql: Sql, limit: number): Promise<OwedMail[]> => {
  const rows = await sql`
    with due as (
      select id from mails where next_at <= now() and sent_at is null and given_up_at is null
      order by next_at limit ${limit} for update skip locked)
    update mails m set attempts = m.attempts + 1, next_at = now() + ${`${leaseSeconds} seconds`}::interval, first_tried_at = coalesce(m.first_tried_at, now())
    from due where m.id = due.id
    returning m.id, m.kind, m.invoice_id, m.order_id, m.attempts, m.first_tried_at, now() as taken_at`
  return rows.map((row) => ({
    id: row.id,
    kind: row.kind,
    invoiceId: row.invoice_id,
    orderId: row.order_id ?? undefined,
    attempts: row.attempts,
    firstTriedAt: row.first_tried_at,
    takenAt: row.taken_at,
  }))
}

export const mailSent = async (sql: Sql, id: string): Promise<void> => {
  await sql`update mails set sent_at = now(), last_error = null where id = ${id}`
}

/** `nextAt` undefined: it will never be delivered. */
export const mailFailed = async (sql: Sql, id: string, error: string, nextAt: Date | undefined): Promise<void> => {
  await sql`
    update mails set last_error = ${error.slice(0, 500)}, next_at = coalesce(${nextAt ?? null}, next_at), given_up_at = ${nextAt ? null : new Date()}
    where id = ${id}`
}
