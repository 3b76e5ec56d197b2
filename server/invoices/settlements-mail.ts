import { escapeHtml } from '../lib/escape-html.ts'
import type { MailMessage } from '../providers/mail.ts'

interface SettlementsMail {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly sender: string
  /** Each line says which currency goes to whom. */
  readonly lines: readonly string[]
  readonly inForceAt: Date
  readonly cancelUrl: string
}

/** Tells a merchant that somebody with a secret key changes where the money goes. It is in English, like the API. */
export function settlementsChangedMail({ id, name, email, sender, lines, inForceAt, cancelUrl }: SettlementsMail): MailMessage {
  const at = `${inForceAt.toISOString().slice(0, 16).replace('T', ' ')} UTC`
  const lead = `Somebody with a secret key of ${name} has changed where its money goes. From ${at} new orders are settled like this:`
  const advice = 'If that was not you, open this link before then and cancel the change, and have the key switched off:'
  return {
    id: `${id}@${new URL(cancelUrl).hostname}`,
    from: { name: 'Till', address: sender },
    replyTo: { name: 'Till', address: sender },
    to: { name, address: email },
    subject: `Where ${name} is paid changes on ${at}`,
    text: [lead, lines.map((line) => `  ${line}`).join('\n'), advice, cancelUrl].join('\n\n'),
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body><p>${escapeHtml(lead)}</p><ul>${lines
      .map((line) => `<li>${escapeHtml(line)}</li>`)
      .join('')}</ul><p>${escapeHtml(advice)}</p><p><a href="${escapeHtml(cancelUrl)}">${escapeHtml(cancelUrl)}</a></p></body></html>`,
    attachments: [],
  }
}
