import type { VNode } from 'preact'
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useWords } from './i18n/words.ts'
import { Footer } from './screens/footer.tsx'
import { InvoiceAside } from './screens/invoice-aside.tsx'
import { LaterContext } from './screens/later-context.ts'
import { Loading } from './screens/loading.tsx'
import { LostNotice } from './screens/lost-notice.tsx'
import { newsText } from './screens/news-text.ts'
import { PageContext } from './screens/page-context.ts'
import type { Parts } from './screens/parts.ts'
import { AmountDue, Summary } from './screens/summary.tsx'
import type { Chunk } from './state/chunk.ts'
import type { Page } from './state/page.ts'
import type { Step } from './state/step.ts'
import { SayContext } from './ui/say.ts'

/** The whole page of one order. */
export const App = ({ page }: { page: Page<Parts> }) => {
  const words = useWords()
  const { checkout, boot } = page
  const step = checkout.step.value
  const order = checkout.order.value
  const news = checkout.news.value
  const [said, setSaid] = useState<{ text: string; show: boolean }>({ text: '', show: false })
  const later = page.parts.later.part.value
  const ways = page.parts.ways.part.value
  const pay = page.parts.pay.part.value
  const WayOut = page.parts.wayOut.part.value
  // Beside the address, what comes with money may arrive at any time: no reason to take anybody there.
  useFocusAfterMoves(step.at, step.at === 'pay' ? pay !== undefined : Number(later !== undefined) + Number(ways !== undefined))
  useEffect(() => {
    if (news) setSaid({ text: newsText(words, news), show: false })
  }, [news])
  return (
    <PageContext.Provider value={page}>
      <LaterContext.Provider value={later}>
        <SayContext.Provider value={(text, show = false) => setSaid({ text, show })}>
          {order.is_live === false && (
            <aside class="ribbon" aria-label={words.t('testMode')}>
              {words.t('testMode')}
            </aside>
          )}
          {boot.invoice ? <InvoiceAside /> : <Summary step={step} />}
          <main class="pay">
            <LostNotice />
            {WayOut && <WayOut />}
            {boot.invoice && <AmountDue step={step} />}
            <Screen step={step} parts={page.parts} />
            <p class={said.show ? 'said' : 'hide'} role="status">
              {said.text}
            </p>
          </main>
          {boot.order.settings?.hide_footer !== true && <Footer />}
        </SayContext.Provider>
      </LaterContext.Provider>
    </PageContext.Provider>
  )
}

const Screen = ({ step, parts }: { step: Step; parts: Parts }) => {
  switch (step.at) {
    case 'choose':
    case 'method':
      return <Fetched chunk={parts.ways} show={(Ways) => <Ways step={step} />} />
    case 'pay':
      return <Fetched chunk={parts.pay} show={(Pay) => <Pay step={step} />} />
    case 'pick':
    case 'confirming':
    case 'done':
    case 'expired':
    case 'refunded':
    case 'failed':
    case 'unknown':
      return <Fetched chunk={parts.later} show={(later) => <later.Screen step={step} />} />
    default:
      return step satisfies never
  }
}

interface FetchedProps<T> {
  readonly chunk: Chunk<T>
  readonly show: (part: T) => VNode
}

const Fetched = <T,>({ chunk, show }: FetchedProps<T>) => {
  const part = chunk.part.value
  useEffect(chunk.need, [chunk])
  return part ? show(part) : <Loading />
}

/** A new screen starts at its title, for eyes and ears alike; the first one starts where the browser puts it. */
const useFocusAfterMoves = (at: Step['at'], parts: number | boolean) => {
  const shown = useRef<Step['at']>(at)
  const complete = useRef(parts)
  useLayoutEffect(() => {
    // A part that arrives later replaces the placeholder, and with it the title that had the focus.
    const lost = complete.current !== parts && document.activeElement === document.body
    const moved = shown.current !== at
    shown.current = at
    complete.current = parts
    if (moved || lost) document.querySelector<HTMLElement>('main h1')?.focus()
  }, [at, parts])
}
