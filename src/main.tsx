import { hydrate } from 'preact'
import { App } from './app.tsx'
import type { Messages } from './i18n/messages.ts'
import { reuseFormats } from './i18n/format-cache.ts'
import { createWords, WordsContext } from './i18n/words.ts'
import { createCheckout } from './model/checkout.ts'
import { createClock } from './model/clock.ts'
import { createConnection } from './model/connection.ts'
import { createLazyModule } from './model/lazy-module.ts'
import { isWaiting } from './order/step.ts'
import { parseRepeats } from './wire/repeats.ts'
import { QrContext } from './ui/qr.tsx'
import type { OrderBoot } from './wire/boot.ts'
import { choiceQuery, parseChoice } from './wire/choice.ts'

/** A native app injects one of these into the window if it wants the page's events. */
const bridges = ['ReactNativeWebView', 'TillAndroid', 'webkit']

const renewMs = 10_000

/** The entry hydrates the server's HTML, and then fetches live.ts and the screens with which most pages do not start. */
const root = document.getElementById('till')
const data = document.getElementById('boot')?.textContent
// Only our renderer writes this element, from typed data, so the entry needs no schemas and stays small.
if (root && data) void start(root, parseRepeats(data) as Sent)

interface Sent {
  readonly boot: OrderBoot
  readonly messages: Messages
  readonly formatted: Readonly<Record<string, string>>
  readonly needsSecondary: boolean
}

async function start(root: HTMLElement, { boot, messages, formatted, needsSecondary }: Sent): Promise<void> {
  const clock = createClock(boot.now, {
    device: Date.now,
    every: (ms, run) => {
      const timer = setInterval(run, ms)
      return () => clearInterval(timer)
    },
  })
  // Texts are looked up only when they are used, so those that are loaded later can be added to the same object.
  const whole = createLazyModule(async () => (await import('./whole.ts')).loadWhole(boot.locale, messages))
  const words = createWords(boot.locale, messages, {
    rest: whole.load,
    cached: reuseFormats(formatted),
    // Whoever misses a text asks for it once more if it could not be fetched, and renders again when it is there.
    onMissing: () => void (whole.content.value ?? whole.load().catch(noop)),
  })
  const connection = createConnection()
  const fetchSecondary = () => import('./screens/secondary.tsx').then(({ secondary }) => secondary)
  // Hydration needs the code of everything that the server has rendered.
  const rendered = needsSecondary && (await fetchSecondary().catch(noop))
  if (rendered === undefined) return renewWhile(() => true)
  const secondary = createLazyModule(fetchSecondary, rendered || undefined)
  // The import starts in a microtask, which runs after the hydration below because no await lies between.
  const live = Promise.resolve().then(() => import('./live.ts'))
  const service = live.then(({ connectTo }) => connectTo(boot, clock, words))
  const isWhole = whole.load()
  // A failure is handled below and by each action, so an unhandled rejection must not be reported here.
  service.catch(noop)
  const checkout = createCheckout(boot, parseChoice(new URLSearchParams(location.search)), {
    clock,
    service,
    isWhole,
    canReceive: async (order, text, chainId) => (await secondary.load()).canReceive(order, text, chainId),
    newsOf: (before, after) => secondary.content.peek()?.newsOf(before, after),
    navigate: (choice, how) => {
      // Entries that a frame adds to its host's history outlive the frame.
      const write = how === 'push' && boot.surface !== 'frame' ? 'pushState' : 'replaceState'
      history[write](null, '', location.pathname + choiceQuery(choice, boot.asked))
    },
  })
  let isHydrating = true
  const drawQr = (text: string) => secondary.content.value?.encodeQr(text) ?? (isHydrating ? 'drawn' : undefined)
  const page = { boot, checkout, clock, connection, secondary, leave: (url: string) => location.assign(url) }

  hydrate(
    <WordsContext.Provider value={words}>
      <QrContext.Provider value={drawQr}>
        <App page={page} />
      </QrContext.Provider>
    </WordsContext.Provider>,
    root,
  )
  isHydrating = false
  root.dataset.ready = ''
  if (boot.hosts || bridges.some((bridge) => bridge in window))
    import('./host.ts').then(
      ({ connectToHost }) => connectToHost(page, words),
      () => renewWhile(() => boot.awaitsHost),
    )
  clock.start()
  // Changing the zone formats all visible times again, so it runs in a task of its own, after the page is usable.
  setTimeout(() => clock.localise(() => Intl.DateTimeFormat().resolvedOptions().timeZone))
  Promise.all([live, isWhole]).then(
    ([{ goLive }]) => {
      goLive(page, words)
      // The secondary screens are needed after a payment, when the payer may be offline.
      // The first screens work without the others, so they are left in peace.
      const isNeeded = () => !secondary.content.peek() && !['choose', 'pay', 'method'].includes(checkout.step.peek().at)
      secondary.load().catch(() => renewWhile(isNeeded))
    },
    () => {
      connection.giveUp(boot.now)
      renewWhile(() => !whole.content.peek() || isWaiting(checkout.step.peek(), checkout.choice.peek()))
    },
  )
}

/** Some browsers do not retry a module that could not be fetched, so the page itself is reloaded once the service answers. */
const renewWhile = (isNeeded: () => boolean | undefined): void =>
  void setInterval(() => isNeeded() && fetch(location.href, { method: 'HEAD' }).then(({ ok }) => ok && location.reload(), noop), renewMs)

function noop(): undefined {}
