import { escapeHtml } from '../lib/escape-html.ts'
import type { Change, Effects } from '../orders/engine.ts'
import type { Order } from '../orders/model/order.ts'
import { organizationById } from '../organizations/organizations.ts'
import type { MailMessage } from '../providers/mail.ts'
import { newId } from '../orders/new-order.ts'
import { enqueueMail } from './mails.ts'

/** What others move reaches nobody but whom the terms and the guard allow. But it may mean that a key has been stolen. */
export const movedEffects: Effects = {
  settlement_found: { concerns: (_, { isAnnounced }) => isAnnounced === true, perform: reportMoved },
  refund_found: { perform: reportMoved },
}

async function reportMoved({ tx }: Change, { id, organizationId }: Order): Promise<void> {
  if ((await organizationById(tx, organizationId)).email === undefined) return
  await enqueueMail(tx, { id: newId('mail'), kind: 'moved_by_others', orderId: id })
}

interface MovedMail {
  readonly id: string
  readonly name: string
  readonly email: string
  readonly sender: string
  readonly orderId: string
  readonly host: string
}

/** It is in English, like the API. */
export function movedByOthersMail({ id, name, email, sender, orderId, host }: MovedMail): MailMessage {
  const paragraphs = [
    `Somebody other than this service has moved the money of order ${orderId} of ${name}. It can only have gone where the order's terms say, or where your guard has signed for.`,
    'After the release time of an order anybody can pay you what is there. Before it, or if the money went back as a refund, somebody has used a key that belongs to the operator of this service: ask them.',
    `GET /orders/${orderId} says what has been paid.`,
  ]
  return {
    id: `${id}@${host}`,
    from: { name: 'Till', address: sender },
    replyTo: { name: 'Till', address: sender },
    to: { name, address: email },
    subject: `Somebody else has moved the money of order ${orderId}`,
    text: paragraphs.join('\n\n'),
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"></head><body>${paragraphs
      .map((paragraph) => `<p>${escapeHtml(paragraph)}</p>`)
      .join('')}</body></html>`,
    attachments: [],
  }
}
