import { useAllWords } from '../../i18n/words.ts'
import type { InvoiceSheet } from '../../wire/boot.ts'
import { More } from '../pieces/more.tsx'
import { DueDate } from './due-date.tsx'
import { Logo } from './logo.tsx'

/** On a phone the payment comes first, so there the invoice is folded behind this bar. A wide screen shows the invoice beside the payment. */
export const InvoiceBar = ({ sheet }: { sheet: InvoiceSheet }) => {
  const words = useAllWords()
  return (
    <summary>
      <Logo name={sheet.from.name} />
      <span class="who">
        <b>
          <bdi>{sheet.from.name}</bdi>
        </b>
        <small>{words.rich('invoiceNo', { number: <bdi class="num">{sheet.no}</bdi> })}</small>
        <DueDate sheet={sheet} />
      </span>
      <span class="due">
        <span class="amt">
          <b class="num">{words.fiat(sheet.total, sheet.unit)}</b>
        </span>
      </span>
      <More />
    </summary>
  )
}
