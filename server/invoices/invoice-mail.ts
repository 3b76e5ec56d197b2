import type { InvoiceWords } from '../../src/wire/invoice-words.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import { fiatDecimal } from '../orders/model/rate.ts'
import { invoiceTotals } from './invoice.ts'
import type { MailMessage } from '../providers/mail.ts'
import type { Invoice } from './invoice-queries.ts'

interface MailContext {
  readonly id: string
  readonly invoice: Invoice
  readonly paymentUrl: string
  /** Mail comes from our own address: to send from the merchant's, their domain's SPF and DKIM would have to include us. */
  readonly sender: string
  readonly isLive: boolean
}

export const fileNameOf = (number: string): string => `invoice-${number.replace(/[^A-Za-z0-9_-]+/g, '-').slice(0, 64)}.pdf`

const host = (url: string): string => new URL(url).hostname

/** Composes the payer's mail. It loads nothing from the network, so opening it reports nothing to anyone. */
export function invoiceMail({ id, invoice, paymentUrl, sender, isLive }: MailContext, words: InvoiceWords, pdf: Buffer): MailMessage {
  const { data, fiatUnit } = invoice
  const totals = invoiceTotals(data, fiatUnit)
  const subject = { number: data.invoice.no, name: data.from.name }
  const total = words.money(fiatDecimal(totals.total, totals.digits), fiatUnit)
  const lead = words.mailLead({ ...subject, total, date: data.invoice.due_date })
  const notes = [words.mailAttached, ...(isLive ? [] : [words.testMode])]
  const html = `<!doctype html><html lang="${words.locale}" dir="${words.dir}"><head><meta charset="utf-8"></head><body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#14191c;background:#fff">
<h1 style="font-size:24px;line-height:30px;margin:0 0 12px"><bdi>${escapeHtml(words.title(subject.number))}</bdi></h1>
<p style="margin:0 0 20px">${escapeHtml(lead)}</p>
<p style="margin:0 0 20px"><a href="${escapeHtml(paymentUrl)}" style="display:inline-block;padding:14px 20px;border-radius:12px;background:#14191c;color:#fff;font-weight:600;text-decoration:none">${escapeHtml(words.mailPay)}</a></p>
${notes.map((note) => `<p style="margin:0 0 12px;color:#4e585e">${escapeHtml(note)}</p>`).join('\n')}
</body></html>`
  return {
    id: `${id}@${host(paymentUrl)}`,
    from: { name: data.from.name, address: sender },
    replyTo: { name: data.from.name, address: data.from.email },
    to: { name: data.recipient.name, address: data.recipient.email },
    subject: words.mailSubject(subject),
    text: [lead, `${words.mailPay}:\n${paymentUrl}`, ...notes].join('\n\n'),
    html,
    attachments: [{ name: fileNameOf(subject.number), type: 'application/pdf', bytes: pdf }],
  }
}

/** Informs the merchant that another order of a paid invoice received money. It is in English, like the API. */
export function paidTwiceMail({ id, invoice, paymentUrl, sender }: MailContext, orderId: string): MailMessage {
  const { data } = invoice
  const text = `Invoice ${data.invoice.no} was paid twice. Money that reached order ${orderId} after that is held and is not settled to you. If the payer gave a refund address, it is refunded automatically. Otherwise decide with POST /orders/${orderId}/refund.\n\n${paymentUrl}`
  return {
    id: `${id}@${host(paymentUrl)}`,
    from: { name: 'Till', address: sender },
    replyTo: { name: data.recipient.name, address: data.recipient.email },
    to: { name: data.from.name, address: data.from.email },
    subject: `Invoice ${data.invoice.no} was paid twice`,
    text,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body>${text
      .split('\n\n')
      .map((part) => `<p>${escapeHtml(part)}</p>`)
      .join('')}</body></html>`,
    attachments: [],
  }
}
