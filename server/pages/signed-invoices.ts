import * as z from 'zod/mini'
import { FiatCurrency } from '../../src/wire/currency.ts'
import { InvoiceRead } from '../../src/wire/invoice.ts'
import { sign, textToSign } from '../http/signature.ts'
import type { InvoicePort } from './invoice-page.ts'
import { read } from './remote-orders.ts'

const patienceMs = 10_000

/** Invoices of the service that we stand before: it shows them to a signature alone, which never leaves this process. */
export const invoicesOf =
  ({ baseUrl, apiKey, apiSecret }: { baseUrl: string; apiKey: string; apiSecret: string }): InvoicePort['find'] =>
  async (id) => {
    const path = `/invoices/${id}`
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = sign(apiSecret, textToSign('GET', path, timestamp))
    const answer = await read(InvoiceRead, () =>
      fetch(baseUrl + path, {
        headers: { authorization: apiKey, 'authorization-signature': `APIKey=${apiKey},signature=${signature},timestamp=${timestamp}` },
        redirect: 'error',
        signal: AbortSignal.timeout(patienceMs),
      }),
    )
    if (!answer.ok) return undefined
    const { data, orders, order_id: latest, published_at: publishedAt, archived_at: archivedAt, created_at: createdAt } = answer.value
    const orderId = orders.find(hasMoney)?.id ?? latest ?? orders.at(-1)?.id
    if (!orderId || publishedAt === null) return undefined
    const order = orders.find((one) => one.id === orderId)
    const unit = answer.value.fiat_unit ?? z.safeParse(FiatCurrency, order?.fulfillment?.fiat_unit).data ?? 'usd'
    return {
      id,
      orderId,
      data,
      fiatUnit: unit,
      isLive: order?.is_live ?? true,
      isClosed: Boolean(archivedAt),
      publishedAt: new Date(publishedAt ?? createdAt),
    }
  }

/** Paid, or on the way there: the page is about that order, even when a newer one was made meanwhile. */
const hasMoney = ({ status }: InvoiceRead['orders'][number]): boolean =>
  ['AWAITING_CONFIRMATION', 'OPTIMISTIC_CONFIRMED', 'PARTIAL_PAYMENT', 'EXECUTING_ORDER', 'COMPLETED', 'FAILED', 'REFUNDED'].includes(
    status,
  )
