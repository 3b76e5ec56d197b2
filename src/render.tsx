import { renderToString } from 'preact-render-to-string'
import { App } from './app.tsx'
import css from './ui/till.css?inline'
import { catalogue } from './i18n/catalogue.ts'
import { firstMessages } from './i18n/first.ts'
import type { Messages } from './i18n/messages.ts'
import { recordTo } from './i18n/recall.ts'
import { createWords, WordsContext, type Words } from './i18n/words.ts'
import { whyText } from './i18n/why.ts'
import { later } from './screens/later.tsx'
import type { Parts } from './screens/parts.ts'
import { Pay } from './screens/pay.tsx'
import { SheetContext } from './screens/invoice-aside.tsx'
import { InvoiceSheet } from './screens/invoice-sheet.tsx'
import { Lone } from './screens/lone.tsx'
import { ReceiptDocument } from './screens/receipt-document.tsx'
import { Ways } from './screens/ways.tsx'
import { titleOf } from './screens/title.ts'
import { htmlDocument } from './html-document.ts'
import { createCheckout } from './state/checkout.ts'
import { createChunk } from './state/chunk.ts'
import { createClock } from './state/clock.ts'
import { drawnParts } from './state/early.ts'
import type { Page } from './state/page.ts'
import { createLine } from './state/line.ts'
import { isFinal } from './state/step.ts'
import { IconSheet } from './ui/icon-sheet.tsx'
import { encodeQr } from './ui/qr-encode.ts'
import { QrContext } from './ui/qr.tsx'
import type { Boot, OrderBoot } from './wire/boot.ts'
import { parseChoice } from './wire/choice.ts'
import { directionOf, type Locale } from './wire/locale.ts'

export { invoiceWords } from './invoice-words.ts'
export { css as sheet }

const iconSheet = renderToString(<IconSheet />)

/** What is the same in every response of a language. */
const sent = new Map<Locale, Partial<Messages>>()
const messagesOf = (locale: Locale): Partial<Messages> => {
  const known = sent.get(locale) ?? firstMessages(catalogue[locale])
  sent.set(locale, known)
  return known
}

/** What the service said in a word, said in the payer's language, so that the page need not bring all there is to say. */
const inWords = (words: Words, data: OrderBoot): OrderBoot => ({
  ...data,
  methods: data.methods?.map((method) => ({ ...method, reason: whyText(words, method.problem) ?? method.reason })),
  problem: data.problem && { ...data.problem, message: whyText(words, data.problem.why) ?? data.problem.message },
})

/** One response: the same components as in the browser, once, to text. */
export const render = ({ shell, data: asked }: Boot): string => {
  const said: Record<string, string> = {}
  const words = createWords(asked.locale, catalogue[asked.locale], { recall: recordTo(said) })
  const data = 'order' in asked ? inWords(words, asked) : asked
  const common = { shell, css, lang: data.locale, dir: directionOf(data.locale), icons: iconSheet }
  if (!('order' in data)) {
    const body = renderToString(
      <WordsContext.Provider value={words}>
        <Lone boot={data} />
      </WordsContext.Provider>,
    )
    return htmlDocument({
      ...common,
      title: words.t(data.view === 'missing' ? 'missingTitle' : 'downTitle'),
      body,
      root: '',
      scripts: [],
      data: undefined,
      refresh: data.view === 'down' ? 15 : undefined,
    })
  }
  const page = stillPage(data)
  const sheet = shell.invoice && <InvoiceSheet sheet={shell.invoice} pdf={`${data.path}/pdf?locale=${data.locale}`} />
  const title = shell.invoice ? words.t('invoiceNo', { number: shell.invoice.no }) : titleOf(words, data.order)
  const receipt = data.view === 'receipt'
  const body = renderToString(
    <WordsContext.Provider value={words}>
      <QrContext.Provider value={encodeQr}>
        {receipt ? (
          <ReceiptDocument page={page} />
        ) : (
          <SheetContext.Provider value={sheet}>
            <App page={page} />
          </SheetContext.Provider>
        )}
      </QrContext.Provider>
    </WordsContext.Provider>,
  )
  const step = page.checkout.step.value
  // Somebody who reads a list or types an address is not to be interrupted; whoever waits for money is.
  const waits = !isFinal(step) && step.at !== 'choose' && step.at !== 'pick' && !data.problem && !page.checkout.choice.value.form
  return htmlDocument({
    ...common,
    title,
    body,
    icons: receipt ? '' : common.icons,
    root: [data.surface === 'frame' ? 'frame' : 'page', data.order.is_live === false ? 'test' : ''].join(' ').trim(),
    scripts: receipt ? [] : scriptsOf(shell, data, page),
    // The language travels with the page: one file less to wait for, and most of it is in the page already.
    data: receipt ? undefined : { boot: data, messages: messagesOf(data.locale), said },
    refresh: receipt || !waits ? undefined : step.at === 'confirming' ? 5 : 10,
  })
}

/** The entry, then all that this very response needs before it is interactive; whatever else comes near, the page asks for. */
const scriptsOf = ({ scripts }: Boot['shell'], data: OrderBoot, { checkout }: Page): readonly string[] => {
  const drawn = drawnParts(data, checkout.step.value)
  const names = ['main', drawn.ways && 'ways', drawn.pay && 'pay', drawn.later && 'later', data.surface !== 'page' && 'host'] as const
  return [...new Set(names.flatMap((name) => (name ? scripts[name] : [])))]
}

/** The models as they are at the first moment; nothing of them runs on the server. */
const stillPage = (boot: OrderBoot): Page<Parts> => {
  const never = () => Promise.reject<never>(new Error('the server renders, it does not act'))
  const clock = createClock(boot.now, { device: () => boot.now, every: () => () => {} })
  const checkout = createCheckout(boot, parseChoice(new URLSearchParams(boot.query)), { clock, requests: never, go: () => {} })
  return {
    boot,
    checkout,
    clock,
    line: createLine(),
    parts: { ways: createChunk(never, Ways), pay: createChunk(never, Pay), later: createChunk(never, later), wayOut: createChunk(never) },
    leave: () => {},
    renew: () => {},
  }
}
