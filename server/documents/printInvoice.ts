import type { InvoiceWords } from '../../src/wire/invoice-words.ts'
import type { InvoicePaper } from './invoicePdf.ts'

/** What sets type (fonts, shaping, PDF) is large: it is loaded when the first invoice is printed, not when the service starts. */
export const printInvoice = async (paper: InvoicePaper, words: InvoiceWords): Promise<Buffer> => {
  const { invoicePdf } = await import('./invoicePdf.ts')
  return invoicePdf(paper, words)
}
