import type { ReceiptSheet } from '../../src/wire/receipt-sheet.ts'
import { printInTurn } from './print-in-turn.ts'

/** Typesetting is a large module, so the first print loads it. */
export const printReceipt = (sheet: ReceiptSheet): Promise<Buffer> =>
  printInTurn(async () => (await import('./receipt-pdf.ts')).receiptPdf(sheet))
