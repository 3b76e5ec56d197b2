import type { InvoiceWordsOf } from '../../src/wire/invoice-words.ts'
import { printInvoice } from './pdf/print-invoice.ts'
import { type Mail, MailRefused } from '../providers/mail.ts'
import { publishedInvoice } from './invoice-queries.ts'
import { claimMails, mailFailed, mailSent, type PendingMail } from './mails.ts'
import { organizationById } from '../organizations/organizations.ts'
import type { Engine } from '../orders/engine.ts'
import { invoiceMail, paidTwiceMail } from './invoice-mail.ts'
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
      await mailSent(sql, mail.id)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      // The time is the database's, since its clock decides when the mail is due.
      const at = mail.claimedAt.getTime() + (performance.now() - began) + (schedule[mail.attempts - 1] ?? 24 * hour)
      const isOver = error instanceof MailRefused || at - mail.firstTriedAt.getTime() > giveUpAfterMs
      await mailFailed(sql, mail.id, message, isOver ? undefined : new Date(at))
      log.warn(
        { mail: mail.id, invoice: mail.invoiceId, attempts: mail.attempts, error: message },
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

async function composeMail({ engine, sender, wordsOf }: MailerParts, mail: PendingMail) {
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
    case 'invoice_paid_twice':
      return paidTwiceMail(about, mail.orderId ?? '')
    default:
      return mail.kind satisfies never
  }
}
