import type { InvoiceWordsOf } from '../../src/wire/invoice-words.ts'
import { printInvoice } from '../documents/printInvoice.ts'
import { type Mail, MailRefused } from '../providers/mail.ts'
import { publishedInvoice } from '../store/invoices.ts'
import { claimMails, mailFailed, mailSent, type OwedMail } from '../store/mails.ts'
import { organizationById } from '../store/organizations.ts'
import type { Engine } from './engine.ts'
import { invoiceMail, paidTwiceMail } from './invoiceMail.ts'
import { paymentUrl } from './invoices.ts'
import { pause } from './pause.ts'

const minute = 60_000
const hour = 60 * minute

/** After the first try; then daily, until three days have passed. */
const waits = [minute, 5 * minute, 30 * minute, 2 * hour, 6 * hour, 12 * hour] as const
const giveUpAfterMs = 3 * 24 * hour
const atOnce = 4
const everyMs = 500

export interface MailerParts {
  readonly engine: Engine
  readonly mail: Mail
  readonly sender: string
  readonly wordsOf: InvoiceWordsOf
  /** Tests shorten the waits. */
  readonly schedule?: readonly number[]
}

/** Sends what is owed: at least once, under one message id, with patience for a server that is away. */
export const sendMails = async (parts: MailerParts, signal: AbortSignal): Promise<void> => {
  const { engine, schedule = waits } = parts
  const { sql, log } = engine
  const send = async (owed: OwedMail): Promise<void> => {
    const began = performance.now()
    try {
      await parts.mail.send(await written(parts, owed))
      await mailSent(sql, owed.id)
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error)
      // By the database's clock, which says when it is due.
      const at = owed.takenAt.getTime() + (performance.now() - began) + (schedule[owed.attempts - 1] ?? 24 * hour)
      const isOver = error instanceof MailRefused || at - owed.firstTriedAt.getTime() > giveUpAfterMs
      await mailFailed(sql, owed.id, message, isOver ? undefined : new Date(at))
      log.warn(
        { mail: owed.id, invoice: owed.invoiceId, attempts: owed.attempts, error: message },
        isOver ? 'a mail was given up' : 'a mail will be tried again',
      )
    }
  }
  while (!signal.aborted) {
    try {
      const due = await claimMails(sql, atOnce)
      await Promise.all(due.map(send))
      if (due.length === atOnce) continue
    } catch (error) {
      if (!signal.aborted) log.warn({ err: error }, 'due mail cannot be read; trying again')
    }
    await pause(everyMs, signal)
  }
}

const written = async ({ engine, sender, wordsOf }: MailerParts, owed: OwedMail) => {
  const invoice = await publishedInvoice(engine.sql, owed.invoiceId)
  if (!invoice?.publishedAt) throw new Error(`invoice ${owed.invoiceId} is not published`)
  const { isLive } = await organizationById(engine.sql, invoice.organizationId)
  const about = { id: owed.id, invoice, paymentUrl: paymentUrl(engine, invoice.id), sender, isLive }
  switch (owed.kind) {
    case 'invoice': {
      const words = wordsOf(invoice.locale)
      return invoiceMail(
        about,
        words,
        await printInvoice({ ...invoice, paymentUrl: about.paymentUrl, isLive, publishedAt: invoice.publishedAt }, words),
      )
    }
    case 'invoice_paid_twice':
      return paidTwiceMail(about, owed.orderId ?? '')
    default:
      return owed.kind satisfies never
  }
}
