import * as z from 'zod/mini'
import { FiatCurrency } from '../../src/wire/currency.ts'
import { InvoiceRead } from '../../src/wire/invoice.ts'
import { sign, textToSign } from '../http/signature.ts'
import type { InvoicePort } from './pages-parts.ts'
import { read } from './remote-orders.ts'

const timeoutMs = 10_000

/** Reads invoices of another service, which shows them to signed requests alone. The secret never leaves this process. */
export const invoicesOf =
  ({ baseUrl, apiKey, apiSecret }: { baseUrl: string; apiKey: string; apiSecret: string }): InvoicePort['find'] =>
  async (id) => {
    const path = `/invoices/${id}`
    const timestamp = String(Math.floor(Date.now() / 1000))
    const signature = sign(apiSecret, textToSign('GET', path, timestamp))
    const reply = await read(InvoiceRead, () =>
      fetch(baseUrl + path, {
        headers: { authorization: apiKey, 'authorization-signature': `APIKey=${apiKey},signature=${signature},timestamp=${timestamp}` },
        redirect: 'error',
        signal: AbortSignal.timeout(timeoutMs),
      }),
    )
    if (!reply.ok) return undefined
    const { data, orders, order_id: latest, published_at: publishedAt, archived_at: archivedAt, created_at: createdAt } = reply.value
    const orderId = orders.find(hasMoney)?.id ?? latest ?? orders.at(-1)?.id
    if (!orderId || publishedAt === null) return undefined
    const order = orders.find(({ id: known }) => known === orderId)
    const unit = reply.value.fiat_unit ?? z.safeParse(FiatCurrency, order?.fulfillment?.fiat_unit).data ?? 'usd'
    return {
      id,
      orderId,
      data,
      fiatUnit: unit,
      isLive: order?.is_live ?? true,
      isClosed: Boolean(archivedAt),
      isOverdue: reply.value.status === 'overdue',
      publishedAt: new Date(publishedAt ?? createdAt),
    }
  }

/** An order that has received money is the one to show, even if there is a newer order. */
const hasMoney = ({ status }: InvoiceRead['orders'][number]): boolean =>
  ['AWAITING_CONFIRMATION', 'OPTIMISTIC_CONFIRMED', 'PARTIAL_PAYMENT', 'EXECUTING_ORDER', 'COMPLETED', 'FAILED', 'REFUNDED'].includes(
    status,
  )
