import type { Render } from '../../src/wire/boot.ts'
import type { InvoiceWordsOf } from '../../src/wire/invoice-words.ts'
import type { ReceiptSheetOf } from '../../src/wire/receipt-sheet.ts'

/** What the build has made of the page for the server, which must not import its code. */
export interface BuiltPage {
  readonly render: Render
  readonly receiptSheet: ReceiptSheetOf
  readonly invoiceWords: InvoiceWordsOf
  /** The API reference uses this style sheet of the page too. */
  readonly sheet: string
}
