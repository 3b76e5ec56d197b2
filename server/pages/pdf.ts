import type { Context } from 'hono'
import { type Limiter, limiter } from '../http/limits.ts'
import { busyPage } from './standing-page.ts'
import type { PagesParts } from './pages-parts.ts'

/** Limits how many new PDFs a client's IP address may request, since each takes up to a second of the thread that serves everybody. */
const newPdfLimit = { perSecond: 0.1, burst: 20 } as const
/** Prints go one after another, and the mails of merchants wait among them. However many clients ask, no more than these are ahead. */
const maxWaiting = 8

export interface PdfDoor {
  /** Serves a PDF. One that has to be printed first counts towards the client's allowance. */
  serve(c: Context, pdf: { readonly name: string; readonly isNew: boolean; print(): Promise<Buffer> }): Promise<Response>
}

/** Invoices and receipts share one allowance. */
export function pdfDoor(parts: PagesParts): PdfDoor {
  const prints: Limiter = limiter(newPdfLimit, parts.clock)
  const busy = busyPage(parts)
  let waiting = 0
  return {
    async serve(c, { name, isNew, print }) {
      if (isNew && waiting >= maxWaiting) return busy(c, 5)
      const seconds = isNew ? prints.take(parts.addressOf?.(c) ?? '') : 0
      if (seconds > 0) return busy(c, seconds)
      waiting++
      const bytes = await print().finally(() => waiting--)
      return new Response(new Uint8Array(bytes), {
        headers: {
          'content-type': 'application/pdf',
          'content-disposition': `attachment; filename="${name}"`,
          'cache-control': 'private, no-cache',
          'content-security-policy': "default-src 'none'; sandbox",
          'cross-origin-resource-policy': 'same-origin',
          'referrer-policy': 'no-referrer',
          'x-content-type-options': 'nosniff',
          'x-robots-tag': 'noindex, nofollow',
          vary: 'accept-language',
        },
      })
    },
  }
}
