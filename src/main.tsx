import { hydrate } from 'preact'
import { App } from './app.tsx'
import type { Messages } from './i18n/messages.ts'
import { recallFrom } from './i18n/recall.ts'
import { createWords, WordsContext } from './i18n/words.ts'
import { renew } from './renew.ts'
import type { Parts } from './screens/parts.ts'
import { createCheckout } from './state/checkout.ts'
import { createChunk } from './state/chunk.ts'
import { createClock } from './state/clock.ts'
import { createLine } from './state/line.ts'
import { createQrCodes } from './state/qr.ts'
import { drawnParts } from './state/early.ts'
import { drawnCodes } from './ui/qr-drawn.ts'
import { QrContext } from './ui/qr.tsx'
import type { OrderBoot } from './wire/boot.ts'
import { choiceQuery, parseChoice } from './wire/choice.ts'

/** The page comes to life: the models start from the data of this very response, then the listening part is fetched. */
const root = document.getElementById('till')
const data = document.getElementById('boot')?.textContent
// Nobody else writes this element, and the renderer typed it a moment ago: no second parser here.
if (root && data) void start(root, JSON.parse(data) as Sent)

interface Sent {
  readonly boot: OrderBoot
  readonly messages: Messages
  readonly said: Readonly<Record<string, string>>
}

async function start(root: HTMLElement, { boot, messages, said }: Sent): Promise<void> {
  const clock = createClock(boot.now, {
    device: Date.now,
    every: (ms, run) => {
      const timer = setInterval(run, ms)
      return () => clearInterval(timer)
    },
  })
  const line = createLine()
  const live = createChunk(
    () => import('./live.ts'),
    undefined,
    () => {
      line.value = { at: 'lost', since: boot.now }
      renew()
    },
  )
  const checkout = createCheckout(boot, parseChoice(new URLSearchParams(location.search)), {
    clock,
    requests: async (of) => (await import('./live.ts')).requestsOf(of, boot, clock, words),
    go: (choice, how) => {
      const url = location.pathname + choiceQuery(choice, boot.asked)
      if (how === 'push') history.pushState(null, '', url)
      else history.replaceState(null, '', url)
    },
  })
  const codes = createQrCodes(drawnCodes(root), async () => (await import('./ui/qr-encode.ts')).encodeQr)
  const load = {
    ways: async () => (await import('./screens/ways.tsx')).Ways,
    pay: async () => (await import('./screens/pay.tsx')).Pay,
    later: async () => (await import('./screens/later.tsx')).later,
  }
  // What the server has drawn has to be here before it is brought to life; the rest can wait.
  const drawn = drawnParts(boot, checkout.step.peek())
  const [ways, pay, later] = await Promise.all([drawn.ways && load.ways(), drawn.pay && load.pay(), drawn.later && load.later()])
  const parts: Parts = {
    ways: createChunk(load.ways, ways, reloadWhenStuck),
    pay: createChunk(load.pay, pay, reloadWhenStuck),
    later: createChunk(load.later, later, reloadWhenStuck),
    wayOut: createChunk(async () => (await import('./screens/way-out.tsx')).wayOut(words)),
  }
  const page = { boot, checkout, clock, line, parts, leave: (url: string) => location.assign(url), renew }

  // Read when they are said, so that what comes later joins what is here.
  const words = createWords(boot.locale, messages, {
    whole: async () => Object.assign(messages, await (await import('./i18n/load.ts')).loadMessages(boot.locale)),
    recall: recallFrom(said),
  })

  hydrate(
    <WordsContext.Provider value={words}>
      <QrContext.Provider value={codes}>
        <App page={page} />
      </QrContext.Provider>
    </WordsContext.Provider>,
    root,
  )
  root.dataset.ready = ''
  if (boot.hosts || isHeardByApp()) void import('./host.ts').then(({ startHost }) => startHost(page, words))
  if (boot.inApp) parts.wayOut.need()
  addEventListener('popstate', () => checkout.restore(parseChoice(new URLSearchParams(location.search))))
  clock.start()
  // In a task of its own: times that are shown already are written anew.
  setTimeout(() => clock.localise(() => Intl.DateTimeFormat().resolvedOptions().timeZone))
  live.need()
  addEventListener('online', live.need)
  live.part.subscribe((layer) => {
    if (!layer) return
    layer.goLive(page)
    root.dataset.ready = 'live'
  })
  // On its way while the service makes the instructions.
  checkout.busy.subscribe((at) => at === 'currency' && parts.pay.need())
  // Whoever has instructions will need what comes after them, perhaps on a line that is gone by then.
  checkout.step.subscribe((step) => step.at === 'pay' && parts.later.need())
}

/** A native app shows this page in its webview and listens. */
function isHeardByApp(): boolean {
  return 'ReactNativeWebView' in window || 'TillAndroid' in window || 'webkit' in window
}

/** A placeholder that stays is worse than a new page. */
function reloadWhenStuck(): void {
  if (document.querySelector('main .sk')) renew()
}
