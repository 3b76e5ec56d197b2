import type { InvoiceWordsOf } from '../../src/wire/invoice-words.ts'
import { printInvoice } from './print-invoice.ts'
import { type Mail, type MailMessage, MailRefused } from '../providers/mail.ts'
import { publishedInvoice } from './invoice-queries.ts'
import { claimMails, mailFailed, mailSent, type PendingMail } from './mails.ts'
import { organizationById } from '../organizations/organizations.ts'
import { announceChange, cancelChange, changeByNumber } from '../organizations/settlements.ts'
import { settlementLine } from '../orders/settlement-list.ts'
import { movedByOthersMail } from './moved-mail.ts'
import { noticeMail } from './notices.ts'
import { settlementsChangedMail } from './settlements-mail.ts'
import type { Engine } from '../orders/engine.ts'
import { invoiceMail, paidMail, paidTwiceMail } from './invoice-mail.ts'
import { paymentUrl } from './invoicing.ts'
import { pause } from '../lib/pause.ts'

const minute = 60_000
const hour = 60 * minute

/** After these delays a mail is retried daily, until `giveUpAfterMs` has passed. */
const retryDelays = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour] as const
const giveUpAfterMs = 3 * 24 * hour
/** A mail that hangs occupies a slot, so an organisation gets only `perOrganization` of them. */
const concurrency = 8
const perOrganization = 2
const intervalMs = 500

export interface MailerParts {
  readonly engine: Engine
  readonly mail: Mail
  readonly sender: string
  readonly wordsOf: InvoiceWordsOf
  readonly schedule?: readonly number[]
}

/** Sends pending mails, possibly twice but with the same message id, and retries for three days unless the server refuses for good. */
export async function sendMails(parts: MailerParts, signal: AbortSignal): Promise<void> {
  const { engine, schedule = retryDelays } = parts
  const { sql, log } = engine
  const send = async (mail: PendingMail): Promise<void> => {
    const began = performance.now()
    try {
      await parts.mail.send(await composeMail(parts, mail))
      // Before the mail counts as sent: a crash in between repeats the mail, and leaves no change that waits for ever.
      if (mail.kind === 'settlements_changed') await announceChange(sql, mail.settlementChange)
      await mailSent(sql, mail.id)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      // The time is the database's, since its clock decides when the mail is due.
      const at = mail.claimedAt.getTime() + (performance.now() - began) + (schedule[mail.attempts - 1] ?? 24 * hour)
      const isOver = error instanceof MailRefused || at - mail.firstTriedAt.getTime() > giveUpAfterMs
      if (isOver && mail.kind === 'settlements_changed') await cancelChange(sql, mail.settlementChange)
      await mailFailed(sql, mail.id, message, isOver ? undefined : new Date(at))
      log.warn(
        { mail: mail.id, kind: mail.kind, attempts: mail.attempts, error: message },
        isOver ? 'cannot send a mail; giving up' : 'cannot send a mail; retrying later',
      )
    }
  }
  const running = new Map<Promise<void>, string>()
  let freed = (): void => undefined
  const start = (mail: PendingMail): void => {
    const work = send(mail)
      .catch((error: unknown) => log.warn({ err: error, mail: mail.id }, 'cannot store the outcome of a mail; it will be sent again'))
      .finally(() => {
        running.delete(work)
        freed()
      })
    running.set(work, mail.organizationId)
  }
  const runningByOrganization = (): Map<string, number> => {
    const counts = new Map<string, number>()
    for (const id of running.values()) counts.set(id, (counts.get(id) ?? 0) + 1)
    return counts
  }
  while (!signal.aborted) {
    const slotFreed = new Promise<void>((resolve) => (freed = resolve))
    try {
      const free = concurrency - running.size
      const due = free > 0 ? await claimMails(sql, { free, perOrganization, running: runningByOrganization() }) : []
      for (const mail of due) start(mail)
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'cannot read due mails; retrying')
    }
    await Promise.race([slotFreed, pause(intervalMs, signal)])
  }
  await Promise.all(running.keys())
}

async function settlementsMail(
  { engine, sender }: MailerParts,
  mail: Extract<PendingMail, { kind: 'settlements_changed' }>,
): Promise<MailMessage> {
  const change = await changeByNumber(engine.sql, mail.settlementChange)
  const { name, email } = await organizationById(engine.sql, mail.organizationId)
  if (!change) throw new MailRefused('the change is in force or cancelled')
  if (email === undefined) throw new MailRefused('the organisation has no mail address')
  // A mail that was held up begins the time anew (see announceChange).
  const inForceAt = new Date(Math.max(change.inForceAt.getTime(), engine.clock() + change.inForceAt.getTime() - change.askedAt.getTime()))
  const lines = change.settlements.map((settlement) => settlementLine(engine, settlement))
  return settlementsChangedMail({
    id: mail.id,
    name,
    email,
    sender,
    lines,
    inForceAt,
    cancelUrl: `${engine.payUrl}/settlements/${change.token}`,
  })
}

async function movedMail({ engine, sender }: MailerParts, mail: Extract<PendingMail, { kind: 'moved_by_others' }>): Promise<MailMessage> {
  const { name, email } = await organizationById(engine.sql, mail.organizationId)
  if (email === undefined) throw new MailRefused('the organisation has no mail address')
  return movedByOthersMail({ id: mail.id, name, email, sender, orderId: mail.orderId, host: new URL(engine.payUrl).hostname })
}

async function organizationNotice({ engine, sender }: MailerParts, mail: Extract<PendingMail, { kind: 'notice' }>): Promise<MailMessage> {
  const { name, email } = await organizationById(engine.sql, mail.organizationId)
  if (email === undefined) throw new MailRefused('the organisation has no mail address')
  return noticeMail({ id: mail.id, name, email, sender, host: new URL(engine.payUrl).hostname, notice: mail.notice })
}

async function composeMail(parts: MailerParts, mail: PendingMail): Promise<MailMessage> {
  const { engine, sender, wordsOf } = parts
  if (mail.kind === 'settlements_changed') return settlementsMail(parts, mail)
  if (mail.kind === 'moved_by_others') return movedMail(parts, mail)
  if (mail.kind === 'notice') return organizationNotice(parts, mail)
  const invoice = await publishedInvoice(engine.sql, mail.invoiceId)
  if (!invoice?.publishedAt) throw new Error(`invoice ${mail.invoiceId} is not published`)
  const { isLive } = await organizationById(engine.sql, invoice.organizationId)
  const about = { id: mail.id, invoice, paymentUrl: paymentUrl(engine, invoice.id), sender, isLive }
  switch (mail.kind) {
    case 'invoice': {
      const words = wordsOf(invoice.locale)
      return invoiceMail(
        about,
        words,
        await printInvoice({ ...invoice, paymentUrl: about.paymentUrl, isLive, publishedAt: invoice.publishedAt }, words),
      )
    }
    case 'invoice_paid':
      return paidMail(about, wordsOf(invoice.locale))
    case 'invoice_paid_twice':
      return paidTwiceMail(about, mail.orderId)
    default:
      return mail satisfies never
  }
}
