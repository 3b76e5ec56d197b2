import type { InvoiceWords } from '../../../src/wire/invoice-words.ts'
import { pause } from '../../lib/pause.ts'
import type { InvoicePaper } from './invoice-pdf.ts'

/** Whoever prints next waits for this. It belongs to the process, as the thread does that all printing blocks. */
let free: Promise<void> = Promise.resolve()

/**
 * What sets type (fonts, shaping, PDF) is large: it is loaded when the first invoice is printed, not when the service starts. A long invoice
 * takes most of a second of the only thread: one is printed at a time, and after it others have as long as it took.
 */
export function printInvoice(paper: InvoicePaper, words: InvoiceWords): Promise<Buffer> {
  const turn = free
  let took = 0
  const printed = turn.then(async () => {
    const { invoicePdf } = await import('./invoice-pdf.ts')
    const began = performance.now()
    const pdf = await invoicePdf(paper, words)
    took = performance.now() - began
    return pdf
  })
  const rest = () => pause(took)
  free = printed.then(rest, rest)
  return printed
}
