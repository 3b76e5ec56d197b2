import { hydrate } from 'preact'
import { App } from './app.tsx'
import { loadMessages } from './i18n/load.ts'
import { createWords, WordsContext } from './i18n/words.ts'
import { createCheckout } from './state/checkout.ts'
import { createClock } from './state/clock.ts'
import { createConnection } from './state/live.ts'
import { createQrCodes } from './state/qr.ts'
import { QrContext } from './ui/qr.tsx'
import { drawnCodes } from './ui/qr-drawn.ts'
import type { OrderBoot } from './wire/boot.ts'
import { choiceQuery, parseChoice } from './wire/choice.ts'

/** The page comes to life: the models start from the data of this very response, then the listening part is fetched. */
const root = document.getElementById('till')
const data = document.getElementById('boot')?.textContent
// Nobody else writes this element, and the server passed it through the schema a moment ago: no second parser here.
if (root && data) void start(root, JSON.parse(data) as OrderBoot)

async function start(root: HTMLElement, boot: OrderBoot): Promise<void> {
  const layer = () => import('./live.ts')
  const { messages } = await loadMessages[boot.locale]()
  const words = createWords(boot.locale, messages)
  const clock = createClock(boot.now, {
    device: Date.now,
    every: (ms, run) => {
      const timer = setInterval(run, ms)
      return () => clearInterval(timer)
    },
  })
  const checkout = createCheckout(boot, parseChoice(new URLSearchParams(location.search)), {
    clock,
    api: async () => (await layer()).createApi(boot, clock),
    go: (choice, how) => {
      const url = location.pathname + choiceQuery(choice, boot.asked)
      if (how === 'push') history.pushState(null, '', url)
      else history.replaceState(null, '', url)
    },
  })
  const connection = createConnection(checkout, clock)
  const codes = createQrCodes(drawnCodes(root), async () => (await import('./ui/qr-encode.ts')).encodeQr)
  const page = { boot, checkout, clock, connection, leave: (url: string) => location.assign(url) }

  hydrate(
    <WordsContext.Provider value={words}>
      <QrContext.Provider value={codes}>
        <App page={page} />
      </QrContext.Provider>
    </WordsContext.Provider>,
    root,
  )
  root.dataset.ready = ''
  addEventListener('popstate', () => checkout.restore(parseChoice(new URLSearchParams(location.search))))
  clock.localise(Intl.DateTimeFormat().resolvedOptions().timeZone)
  clock.start()
  const { goLive } = await layer()
  goLive(page)
}
