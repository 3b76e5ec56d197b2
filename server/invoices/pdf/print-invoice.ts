import type { InvoiceWords } from '../../../src/wire/invoice-words.ts'
import { pause } from '../../lib/pause.ts'
import type { PrintableInvoice } from './invoice-pdf.ts'

/** The next print waits for this promise. It is global because printing blocks the process's only thread. */
let previousPrint: Promise<void> = Promise.resolve()

/** Typesetting is a large module, so the first print loads it. Each print is followed by a pause of the same length for other work. */
export function printInvoice(invoice: PrintableInvoice, words: InvoiceWords): Promise<Buffer> {
  const turn = previousPrint
  let took = 0
  const printed = turn.then(async () => {
    const { invoicePdf } = await import('./invoice-pdf.ts')
    const began = performance.now()
    const pdf = await invoicePdf(invoice, words)
    took = performance.now() - began
    return pdf
  })
  const rest = () => pause(took)
  previousPrint = printed.then(rest, rest)
  return printed
}
