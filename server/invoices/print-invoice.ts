import type { InvoiceWords } from '../../src/wire/invoice-words.ts'
import { printInTurn } from '../pdf/print-in-turn.ts'
import type { PrintableInvoice } from './invoice-pdf.ts'

/** Typesetting is a large module, so the first print loads it. */
export const printInvoice = (invoice: PrintableInvoice, words: InvoiceWords): Promise<Buffer> =>
  printInTurn(async () => (await import('./invoice-pdf.ts')).invoicePdf(invoice, words))
