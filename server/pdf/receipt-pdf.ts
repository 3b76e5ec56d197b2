import type { ReceiptSheet } from '../../src/wire/receipt-sheet.ts'
import { inner, openPaper, soft } from './paper.ts'

const labelWidth = 150
const amountWidth = 110

/** A receipt to keep: it looks the same offline and years later. */
export async function receiptPdf(sheet: ReceiptSheet): Promise<Buffer> {
  const { locale, dir, title, amount, merchant, reference, at, lines, facts, testMode } = sheet
  const paper = await openPaper({
    locale,
    dir,
    title: `${title} · ${reference}`,
    author: merchant,
    at: new Date(at ?? 0),
    texts: [
      amount ?? '',
      merchant,
      ...lines.flatMap((line) => [line.name, line.detail ?? '', line.amount ?? '']),
      ...facts.flatMap(({ label, value }) => [label, value]),
    ],
    foot: testMode,
  })
  const { put, putEnd, block, style, figure, rule } = paper
  const [body, code, small] = [style(10), style(9), style(8.5)]

  put(title, 0, paper.y, body, soft)
  paper.y = block(amount ?? merchant, 0, paper.y + 28, inner, style(20, 600)) + 2
  if (amount !== undefined) paper.y = block(merchant, 0, paper.y, inner, body, soft)
  paper.y += 18

  rule(paper.y - 14)
  for (const { name, detail, amount: price } of lines) {
    const width = inner - amountWidth
    paper.need(paper.countLines(name, body, width) * 14.5 + 26)
    if (price !== undefined) putEnd(price, inner, paper.y + 4, figure(body))
    let below = block(name, 0, paper.y + 4, width, body)
    if (detail !== undefined) below = block(detail, 0, below - 1, width, small, soft)
    rule(below)
    paper.y = below + 16
  }
  for (const { label, value, as, link } of facts) {
    const [width, of] = [inner - labelWidth, as === undefined ? body : figure(as === 'code' ? code : body)]
    paper.need(paper.countLines(value, of, width) * 14.5 + 8)
    put(label, 0, paper.y + 4, body, soft)
    const height = paper.countLines(value, of, width) * 14.5
    if (link === undefined) block(value, labelWidth, paper.y + 4, width, of)
    else paper.link(link, value, labelWidth, paper.y + 4, width, of)
    paper.y += height + 5
  }
  return paper.finish()
}
