import { day } from '../../i18n/day.ts'
import { useAllWords } from '../../i18n/words.ts'
import { Icon } from '../../ui/icon.tsx'
import type { InvoiceSheet as Sheet } from '../../wire/boot.ts'
import { DueDate } from './due-date.tsx'
import { Logo } from './logo.tsx'

/** Names and items are other people's texts. `bdi` isolates them, so that right-to-left text does not reorder its neighbours. */
export const InvoiceSheet = ({ sheet, pdf }: { sheet: Sheet; pdf: string }) => {
  const words = useAllWords()
  const money = (decimal: string) => <bdi class="num">{words.fiat(decimal, sheet.unit)}</bdi>
  return (
    <>
      <header>
        <Logo name={sheet.from.name} />
        <div>
          <h2>{words.rich('invoiceNo', { number: <bdi class="num">{sheet.no}</bdi> })}</h2>
          <small>{words.t('issuedOn', { date: day(words.locale, sheet.date) })}</small>
          <DueDate sheet={sheet} />
        </div>
      </header>
      <dl class="ends">
        {(['from', 'to'] as const).map((side) => (
          <div>
            <dt class="soft">{words.t(side === 'from' ? 'invoiceFrom' : 'invoiceTo')}</dt>
            <dd>
              <b>
                <bdi>{sheet[side].name}</bdi>
              </b>
              {[sheet[side].email, ...sheet[side].address].map((line) => (
                <small>
                  <bdi>{line}</bdi>
                </small>
              ))}
              {sheet[side].tax_number && <small>{words.rich('taxNumber', { number: <bdi>{sheet[side].tax_number}</bdi> })}</small>}
            </dd>
          </div>
        ))}
      </dl>
      <table>
        <thead>
          <tr>
            <th scope="col">{words.t('item')}</th>
            <th scope="col">{words.t('tax')}</th>
            <th scope="col">{words.t('amountLabel')}</th>
          </tr>
        </thead>
        <tbody>
          {sheet.lines.map((line) => (
            <tr>
              <td>
                <bdi>{line.name}</bdi>
                <small>
                  <bdi dir="ltr">
                    {words.decimal(line.quantity)} × {words.fiat(line.price, sheet.unit)}
                  </bdi>
                </small>
              </td>
              <td>{line.rate === '0' ? '' : <bdi class="num">{words.decimal(line.rate)}%</bdi>}</td>
              <td>{money(line.amount)}</td>
            </tr>
          ))}
        </tbody>
      </table>
      <dl class="tot">
        {sheet.taxes.length > 0 && (
          <div>
            <dt>{words.t('subtotal')}</dt>
            <dd>{money(sheet.subtotal)}</dd>
          </div>
        )}
        {sheet.taxes.map((tax) => (
          <div>
            <dt>{words.t('taxAt', { rate: words.decimal(tax.rate) })}</dt>
            <dd>{money(tax.amount)}</dd>
          </div>
        ))}
        <div>
          <dt>{words.t('total')}</dt>
          <dd>{money(sheet.total)}</dd>
        </div>
      </dl>
      <a class="link" href={pdf} download>
        <Icon name="save" />
        {words.t('downloadPdf')}
      </a>
    </>
  )
}
