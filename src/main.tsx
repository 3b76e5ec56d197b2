import { hydrate } from 'preact'
import { App } from './app.tsx'
import type { Messages } from './i18n/messages.ts'
import { recallFrom } from './i18n/recall.ts'
import { createWords, WordsContext } from './i18n/words.ts'
import { createCheckout } from './model/checkout.ts'
import { createClock } from './model/clock.ts'
import { createConnection } from './model/connection.ts'
import { createPiece } from './model/piece.ts'
import { isWaiting } from './order/step.ts'
import { QrContext } from './ui/qr.tsx'
import type { OrderBoot } from './wire/boot.ts'
import { choiceQuery, parseChoice } from './wire/choice.ts'

/** A native app that shows this page in its webview puts one of these there, and listens. */
const bridges = ['ReactNativeWebView', 'TillAndroid', 'webkit']

const renewMs = 10_000

/**
 * The first piece of the page: it brings to life what the server drew, from the data of this very response, and then fetches the piece that
 * talks to the service (live.ts). The screens that most pages do not start with are a piece (screens/secondary.tsx), and so are wallets.
 */
const root = document.getElementById('till')
const data = document.getElementById('boot')?.textContent
// Nobody else writes this element, and the renderer typed it a moment ago: no second parser here.
if (root && data) void start(root, JSON.parse(data) as Sent)

interface Sent {
  readonly boot: OrderBoot
  readonly messages: Messages
  readonly said: Readonly<Record<string, string>>
  readonly needsSecondary: boolean
}

async function start(root: HTMLElement, { boot, messages, said, needsSecondary }: Sent): Promise<void> {
  const clock = createClock(boot.now, {
    device: Date.now,
    every: (ms, run) => {
      const timer = setInterval(run, ms)
      return () => clearInterval(timer)
    },
  })
  // Texts are looked up when they are used, so that those which come later join these.
  const words = createWords(boot.locale, messages, {
    rest: async () => Object.assign(messages, await (await live).loadRest(boot.locale)),
    recall: recallFrom(said),
  })
  const connection = createConnection()
  const fetchSecondary = async () => (await import('./screens/secondary.tsx')).secondary
  // What the server has drawn has to be here before it is brought to life.
  const secondary = createPiece(fetchSecondary, needsSecondary ? await fetchSecondary() : undefined)
  const fetchAhead = () => void secondary.load().catch(() => undefined)
  // Not before this function has hydrated the page.
  const live = Promise.resolve().then(() => import('./live.ts'))
  const service = live.then(({ connectTo }) => connectTo(boot, clock, words))
  // Its failure is shown below, and where something is asked for.
  service.catch(() => undefined)
  const checkout = createCheckout(boot, parseChoice(new URLSearchParams(location.search)), {
    clock,
    service,
    canReceive: async (chainId, text) => (await secondary.load()).canReceive(chainId, text),
    newsOf: (before, after) => secondary.content.peek()?.newsOf(before, after),
    go: (choice, how) => {
      const url = location.pathname + choiceQuery(choice, boot.asked)
      if (how === 'push') history.pushState(null, '', url)
      else history.replaceState(null, '', url)
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
  if (boot.hosts || bridges.some((bridge) => bridge in window)) void import('./host.ts').then(({ startHost }) => startHost(page, words))
  addEventListener('popstate', () => checkout.restore(parseChoice(new URLSearchParams(location.search))))
  clock.start()
  // In a task of its own: times that are shown already are written anew.
  setTimeout(() => clock.localise(() => Intl.DateTimeFormat().resolvedOptions().timeZone))
  live.then(
    ({ goLive }) => {
      goLive(page)
      root.dataset.ready = 'live'
      // Whoever pays will need it, perhaps when they are offline.
      fetchAhead()
    },
    () => {
      connection.giveUp(boot.now)
      setInterval(() => void (isWaiting(checkout.step.peek(), checkout.choice.peek()) && renewPage()), renewMs)
    },
  )
}

/** Browsers never ask again for a module that could not be fetched: as without scripts, the page is read anew, once the service answers. */
function renewPage(): void {
  fetch(location.href, { method: 'HEAD' }).then(
    ({ ok }) => ok && location.reload(),
    () => {},
  )
}
