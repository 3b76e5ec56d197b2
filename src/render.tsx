import { renderToString } from 'preact-render-to-string'
import { App } from './app.tsx'
import { htmlDocument } from './html-document.ts'
import { catalogue } from './i18n/catalogue.ts'
import { type FormatCache, recordFormats } from './i18n/format-cache.ts'
import type { MessageKey, Messages } from './i18n/messages.ts'
import { problemText } from './i18n/problem-text.ts'
import { recordTexts } from './i18n/record-texts.ts'
import { createWords, WordsContext } from './i18n/words.ts'
import { createCheckout } from './model/checkout.ts'
import { createClock } from './model/clock.ts'
import { createConnection } from './model/connection.ts'
import { createLazyModule } from './model/lazy-module.ts'
import { lostToReplacement } from './order/replaced.ts'
import { isWaiting, type Step } from './order/step.ts'
import { waitOf } from './order/wait.ts'
import { transfersOf } from './order/transfers.ts'
import { ClosedInvoice, isClosedUnpaid } from './screens/invoice/closed-invoice.tsx'
import { ClosedNote } from './screens/invoice/closed-note.tsx'
import { InvoiceBar } from './screens/invoice/invoice-bar.tsx'
import { InvoiceSheet } from './screens/invoice/invoice-sheet.tsx'
import { NoOrder } from './screens/no-order.tsx'
import { isSilent } from './screens/pieces/refused-ways.tsx'
import { hasLeastTransfer } from './screens/pieces/least-transfer.tsx'
import { type ScreenPage, ServerRenderedContext } from './screens/pieces/page-context.ts'
import { deadlineShownMs } from './screens/pieces/timer.tsx'
import { ReceiptDocument } from './screens/receipt-document.tsx'
import { FooterContent } from './screens/pieces/footer-content.tsx'
import { secondary } from './screens/secondary.tsx'
import { titleOf } from './screens/title.ts'
import { SymbolSheet, symbolsIn } from './ui/symbol-sheet.tsx'
import { QrContext } from './ui/qr.tsx'
import css from './till.css?inline'
import { type CssPart, drawnHtml, namesOf, readCss, usedCss, withoutUnnamed } from './used-css.ts'
import type { Boot, OrderBoot } from './wire/boot.ts'
import { parseChoice } from './wire/choice.ts'
import { directionOf } from './wire/locale.ts'

export { invoiceWords } from './invoice-words.ts'
export { receiptSheet } from './receipt-sheet.ts'
export { css as sheet }

const sheetParts = readCss(css)
/** Nobody prints a page before the whole stylesheet is there. */
const screenParts = sheetParts.filter((part) => !('condition' in part && part.condition === '@media print'))
/** A copy button gets this class before the whole stylesheet is there, and the root may have the attribute (html-document.ts). */
const early = ['.done', '[data-unchecked]'] as const
/** The payer adds these to a page that no other styles follow. */
const later = ['[open]', ':hover', ':focus', ':focus-visible'] as const
/** A page around ours may choose one of these before the whole stylesheet is there. */
const themes = ['[data-theme=light]', '[data-theme=dark]'] as const
const earlySymbols = ['i-check'] as const

/** The server translates problem codes, so that the page need not load the sentences for all of them. */
const translated = (texts: Messages, data: OrderBoot): OrderBoot => ({
  ...data,
  methods: data.methods?.flatMap((method) =>
    isSilent(method) ? [] : [{ ...method, reason: problemText(texts, method.problem) ?? method.reason }],
  ),
  problem: data.problem && { ...data.problem, message: problemText(texts, data.problem.why) ?? data.problem.message },
})

/** Renders one response with the components that the browser hydrates, so both produce the same HTML. */
export const render = ({ shell, data: asked }: Boot): string => {
  const formatted: Record<string, string> = {}
  const texts = catalogue[asked.locale]
  const words = createWords(asked.locale, texts, { cached: recordFormats(formatted) })
  const data = 'order' in asked ? translated(texts, asked) : asked
  const common = { shell, lang: data.locale, dir: directionOf(data.locale) }
  if (!('order' in data)) {
    const body = renderToString(
      <WordsContext.Provider value={words}>
        <NoOrder boot={data} />
      </WordsContext.Provider>,
    )
    return htmlDocument({
      ...common,
      ...dressed(body, '', common.dir),
      title: words.t(`${data.view}Title`),
      scripts: [],
      data: undefined,
      refresh: data.view === 'down' ? 15 : undefined,
    })
  }
  const page = createStaticPage(data)
  const step = page.checkout.step.value
  const pdf = `${data.path}/pdf?locale=${data.locale}`
  if (shell.invoice && isClosedUnpaid(shell.invoice, data.order, step, page.checkout.choice.value)) {
    const body = renderToString(
      <WordsContext.Provider value={words}>
        <ClosedInvoice page={page} sheet={shell.invoice} pdf={pdf} />
      </WordsContext.Provider>,
    )
    return htmlDocument({
      ...common,
      ...dressed(body, rootOf(data), common.dir),
      title: `${words.t('closedTitle', { name: shell.invoice.from.name })} · ${titleOf(words, page)}`,
      scripts: [],
      data: undefined,
      refresh: undefined,
    })
  }
  const invoice = shell.invoice && {
    bar: <InvoiceBar sheet={shell.invoice} />,
    sheet: (
      <>
        {shell.invoice.closed && <ClosedNote name={shell.invoice.from.name} />}
        <InvoiceSheet sheet={shell.invoice} pdf={pdf} />
      </>
    ),
  }
  const title = titleOf(words, page)
  const isReceipt = data.view === 'receipt'
  const body = renderToString(
    <WordsContext.Provider value={words}>
      <QrContext.Provider value={secondary.encodeQr}>
        {isReceipt ? (
          <ReceiptDocument page={page} />
        ) : (
          <ServerRenderedContext.Provider value={{ invoice, footer: <FooterContent page={page} /> }}>
            <App page={page} />
          </ServerRenderedContext.Provider>
        )}
      </QrContext.Provider>
    </WordsContext.Provider>,
  )
  if (isReceipt)
    return htmlDocument({ ...common, ...dressed(body, rootOf(data), common.dir), title, scripts: [], data: undefined, refresh: undefined })
  const needsSecondary = drawsSecondary(data, step)
  const waits = isWaiting(step, page.checkout.choice.value) && !data.problem
  return htmlDocument({
    ...common,
    ...(shell.styles === undefined ? dressed(body, rootOf(data), common.dir) : dressedForNow(body, data)),
    title,
    styles: shell.styles,
    scripts: scriptsOf(shell, data, needsSecondary),
    // The texts that are shown are sent with the page, so that the browser need not wait for another file.
    data: { boot: data, ...hydrationTexts(page, texts, formatted, needsSecondary), needsSecondary },
    isUnchecked: data.factory !== undefined,
    awaitsHost: data.awaitsHost,
    isFramed: data.surface === 'frame',
    refresh: waits ? (step.at === 'confirming' ? 5 : 10) : undefined,
  })
}

/**
 * Renders once more what the browser renders when it hydrates the page, and returns the texts and numbers that this asks for. The others are in HTML
 * that stays as it is until all texts are there.
 */
function hydrationTexts(page: ScreenPage, texts: Messages, known: Readonly<Record<string, string>>, needsSecondary: boolean) {
  const used = new Set<MessageKey>()
  const formatted: Record<string, string> = {}
  const cached: FormatCache = (key, write) => (formatted[key] ??= known[key] ?? write())
  const words = createWords(page.boot.locale, recordTexts(texts, used), { cached })
  const hydrated = { ...page, secondary: createLazyModule(async () => secondary, needsSecondary ? secondary : undefined) }
  renderToString(
    <WordsContext.Provider value={words}>
      <QrContext.Provider value={() => 'drawn'}>
        <App page={hydrated} />
      </QrContext.Provider>
    </WordsContext.Provider>,
  )
  // The host that frames this page has its bar labelled (host.ts) as soon as it connects.
  if (page.boot.hosts) for (const key of ['secureCheckout', 'close'] as const) used.add(key)
  const messages: Partial<Messages> = Object.fromEntries([...used].map((key) => [key, texts[key]]))
  return { messages, formatted }
}

const rootOf = ({ surface, order }: OrderBoot): string =>
  [surface === 'frame' ? 'frame' : 'page', order.is_live === false ? 'test' : ''].join(' ').trim()

/** Adds the icons, the marks and all styles that the body needs, for a page that fetches no others. */
function dressed(body: string, root: string, dir: string) {
  const symbols = symbolSheetOf(body)
  return { body, root, symbols, css: stylesOf(sheetParts, symbols + body, { root, dir }, later) }
}

/** Adds the icons, the marks and the styles of what is drawn at first. All of the stylesheet follows. */
function dressedForNow(body: string, data: OrderBoot) {
  const root = rootOf(data)
  const symbols = symbolSheetOf(body)
  const also = [...early, ...(data.hosts ? themes : [])]
  return { body, root, symbols, css: stylesOf(screenParts, symbols + drawnHtml(body), { root, dir: directionOf(data.locale) }, also) }
}

function symbolSheetOf(body: string): string {
  const ids = symbolsIn(body)
  return ids.size > 0 ? renderToString(<SymbolSheet ids={new Set([...ids, ...earlySymbols])} />) : ''
}

const stylesOf = (
  parts: readonly CssPart[],
  html: string,
  { root, dir }: { readonly root: string; readonly dir: string },
  also: readonly string[],
): string => withoutUnnamed(usedCss(parts, namesOf(`<html dir="${dir}"><body><style><div id="till" class="${root}">${html}`, also)))

/** Lists the entry first, and then only the files that this response needs at once. The page fetches the others itself. */
const scriptsOf = ({ scripts }: Boot['shell'], data: OrderBoot, needsSecondary: boolean): readonly string[] => [
  ...new Set([...scripts.main, ...(needsSecondary ? scripts.secondary : []), ...(data.surface === 'page' ? [] : scripts.host)]),
]

/** Returns whether the page shows texts that only an order needs that waits for minutes. */
const drawsLateTexts = (order: OrderBoot['order']): boolean => waitOf(order) !== undefined || lostToReplacement(order) !== undefined

/** Returns whether the page shows anything of the secondary screens now, or will within 10 s. */
const drawsSecondary = ({ order, methods, now }: OrderBoot, step: Step): boolean => {
  switch (step.at) {
    case 'choose':
      return methods === undefined || transfersOf(order).length > 0
    case 'method':
      return transfersOf(order).length > 0
    case 'pay': {
      const isNear = step.until !== undefined && step.until - now <= deadlineShownMs + 10_000
      return (
        isNear ||
        drawsLateTexts(order) ||
        hasLeastTransfer(step.funding.currency) ||
        step.funding.received + step.funding.seen > 0n ||
        transfersOf(order).length > 0
      )
    }
    case 'pick':
    case 'confirming':
    case 'done':
    case 'expired':
    case 'refunded':
    case 'failed':
    case 'unknown':
      return true
    default:
      return step satisfies never
  }
}

/** The server uses the models only for their initial state, so nothing in them runs. */
const createStaticPage = (boot: OrderBoot): ScreenPage => {
  const clock = createClock(boot.now, { device: () => boot.now, every: () => () => {} })
  const checkout = createCheckout(boot, parseChoice(new URLSearchParams(boot.query)), {
    clock,
    // Rendering makes no requests, so this never resolves.
    service: new Promise(() => {}),
    canReceive: async () => false,
    newsOf: () => undefined,
    navigate: () => {},
  })
  return {
    boot,
    checkout,
    clock,
    connection: createConnection(),
    secondary: createLazyModule(async () => secondary, secondary),
    leave: () => {},
  }
}
