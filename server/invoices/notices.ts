import { type ChainId, chains } from '../../src/wire/chain.ts'
import { escapeHtml } from '../lib/escape-html.ts'
import type { MailMessage } from '../providers/mail.ts'

/** A mail to the merchant about the organisation itself, and not about an order or an invoice. */
export type Notice =
  /** A token that is meant to be worth one unit of fiat is not. Prices are dollars and decimal, and `day` is a date of UTC. */
  | { readonly kind: 'off_peg'; readonly symbol: string; readonly unit: string; readonly usd: string; readonly day: string }
  /** An endpoint has accepted nothing since a time, which is an ISO date. Its URL may hold a secret, so a mail names the host alone. */
  | { readonly kind: 'webhook_failing'; readonly webhookId: string; readonly host: string; readonly since: string }
  /** Somebody has given an address on an order's page after money had arrived. */
  | {
      readonly kind: 'refund_address_proposed'
      readonly orderId: string
      readonly reference?: string
      readonly address: string
      readonly chainId: ChainId
    }

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
    case 'webhook_failing': {
      const { webhookId, host, since } = notice
      return {
        subject: `Your webhook at ${host} does not work`,
        paragraphs: [
          `Nothing that was sent to the webhook ${webhookId} at ${host} has been accepted since ${since.slice(0, 16).replace('T', ' ')} UTC. A delivery counts as accepted when the endpoint answers with a status from 200 to 299 within 30 seconds.`,
          `A delivery that fails for three days is not sent again by itself. GET /webhooks/${webhookId}/deliveries lists each attempt with its error, POST /webhooks/${webhookId}/test sends an example, and POST /webhooks/${webhookId}/deliveries/{delivery_id}/resend sends a delivery again.`,
          'New events are still sent. You get this mail once, and again only if the webhook works in between.',
        ],
      }
    }
    case 'refund_address_proposed': {
      const { orderId, reference, address, chainId } = notice
      const order = reference === undefined ? orderId : `${orderId} (${reference})`
      return {
        subject: `Order ${order}: where your customer wants money back`,
        paragraphs: [
          `On the page of order ${order} somebody has asked that money which has to go back is sent to ${address} on ${chains[chainId].name}.`,
          'Anybody who has the link of the page can do this. Ask your customer whether the address is theirs, in a way in which you know them, before you agree.',
          `To agree, send POST /orders/${orderId}/payment with nothing but {"refund_address":"${address}","refund_chain_id":${chainId}}, signed, or POST /orders/${orderId}/refund with this address as the recipient. Until then nothing is sent there.`,
        ],
      }
    }
    default:
      return notice satisfies never
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
