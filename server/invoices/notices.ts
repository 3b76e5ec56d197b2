import { escapeHtml } from '../lib/escape-html.ts'
import type { MailMessage } from '../providers/mail.ts'

/** A mail to the merchant about the organisation itself, and not about an order or an invoice. */
export type Notice =
  /** A token that is meant to be worth one unit of fiat is not. Prices are dollars and decimal, and `day` is a date of UTC. */
  { readonly kind: 'off_peg'; readonly symbol: string; readonly unit: string; readonly usd: string; readonly day: string }

interface NoticeText {
  readonly subject: string
  readonly paragraphs: readonly string[]
}

function textOf(notice: Notice): NoticeText {
  switch (notice.kind) {
    case 'off_peg': {
      const { symbol, unit, usd } = notice
      const fiat = unit.toUpperCase()
      return {
        subject: `${symbol} is not worth one ${fiat} at present`,
        paragraphs: [
          `The market price of ${symbol} is ${usd} USD, which is more than 0.5 % away from one ${fiat}.`,
          `While it is, orders in ${fiat} ask for as many ${symbol} as are worth the amount, and a price is held for 30 minutes. Orders that were quoted before keep their price for as long as it was promised.`,
          `Nothing has to be done. One ${symbol} counts as one ${fiat} again once the price is back. You get this mail at most once a day for a token.`,
        ],
      }
    }
    default:
      return notice.kind satisfies never
  }
}

interface NoticeMail {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly sender: string
  readonly host: string
  readonly notice: Notice
}

/** It is in English, like the API. */
export function noticeMail({ id, name, email, sender, host, notice }: NoticeMail): MailMessage {
  const { subject, paragraphs } = textOf(notice)
  return {
    id: `${id}@${host}`,
    from: { name: 'Till', address: sender },
    replyTo: { name: 'Till', address: sender },
    to: { name, address: email },
    subject,
    text: paragraphs.join('\n\n'),
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body>${paragraphs
      .map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`)
      .join('')}</body></html>`,
    attachments: [],
  }
}
