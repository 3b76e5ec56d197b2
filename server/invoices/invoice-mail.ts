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

interface Letter {
  readonly subject: string
  readonly title: string
  readonly lead: string
  readonly link: { readonly label: string; readonly url: string }
  readonly notes: readonly string[]
}

/** The payer's mails load nothing from the network, so opening one reports nothing to anyone. */
function letter(
  { id, invoice: { data }, paymentUrl, sender }: MailContext,
  words: InvoiceWords,
  { subject, title, lead, link, notes }: Letter,
): Omit<MailMessage, 'attachments'> {
  const html = `<!doctype html><html lang="${words.locale}" dir="${words.dir}"><head><meta charset="utf-8"></head><body style="margin:0;padding:24px;font:16px/1.5 system-ui,sans-serif;color:#14191c;background:#fff">
<h1 style="font-size:24px;line-height:30px;margin:0 0 12px"><bdi>${escapeHtml(title)}</bdi></h1>
<p style="margin:0 0 20px">${escapeHtml(lead)}</p>
<p style="margin:0 0 20px"><a href="${escapeHtml(link.url)}" style="display:inline-block;padding:14px 20px;border-radius:12px;background:#14191c;color:#fff;font-weight:600;text-decoration:none">${escapeHtml(link.label)}</a></p>
${notes.map((note) => `<p style="margin:0 0 12px;color:#4e585e">${escapeHtml(note)}</p>`).join('\n')}
</body></html>`
  return {
    id: `${id}@${host(paymentUrl)}`,
    from: { name: data.from.name, address: sender },
    replyTo: { name: data.from.name, address: data.from.email },
    to: { name: data.recipient.name, address: data.recipient.email },
    subject,
    text: [lead, `${link.label}:\n${link.url}`, ...notes].join('\n\n'),
    html,
  }
}

function aboutInvoice({ invoice: { data, fiatUnit } }: MailContext, words: InvoiceWords) {
  const totals = invoiceTotals(data, fiatUnit)
  return { number: data.invoice.no, name: data.from.name, total: words.money(fiatDecimal(totals.total, totals.digits), fiatUnit) }
}

const notesFor = ({ isLive }: MailContext, words: InvoiceWords): readonly string[] => (isLive ? [] : [words.testMode])

/** Composes the mail that asks the payer to pay. */
export function invoiceMail(context: MailContext, words: InvoiceWords, pdf: Buffer): MailMessage {
  const about = aboutInvoice(context, words)
  return {
    ...letter(context, words, {
      subject: words.mailSubject(about),
      title: words.title(about.number),
      lead: words.mailLead({ ...about, date: context.invoice.data.invoice.due_date }),
      link: { label: words.mailPay, url: context.paymentUrl },
      notes: [words.mailAttached, ...notesFor(context, words)],
    }),
    attachments: [{ name: fileNameOf(about.number), type: 'application/pdf', bytes: pdf }],
  }
}

/** Confirms to the payer that the invoice is paid. The link fetches the receipt, in the invoice's language. */
export function paidMail(context: MailContext, words: InvoiceWords): MailMessage {
  const about = aboutInvoice(context, words)
  return {
    ...letter(context, words, {
      subject: words.paidSubject(about),
      title: words.title(about.number),
      lead: words.paidLead(about),
      link: { label: words.mailReceipt, url: `${context.paymentUrl}/receipt?locale=${words.locale}` },
      notes: notesFor(context, words),
    }),
    attachments: [],
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
