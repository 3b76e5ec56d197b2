import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useWords } from './i18n/words.ts'
import { Choose } from './screens/choose.tsx'
import { Footer } from './screens/footer.tsx'
import { LaterContext, useLater } from './screens/later-context.ts'
import type { Later, LaterStep } from './screens/later.tsx'
import { Loading } from './screens/loading.tsx'
import { LostNotice } from './screens/lost-notice.tsx'
import { Method } from './screens/method.tsx'
import { newsText } from './screens/news-text.ts'
import { PageContext } from './screens/page-context.ts'
import { Pay } from './screens/pay.tsx'
import { Summary } from './screens/summary.tsx'
import type { Page } from './state/page.ts'
import type { Step } from './state/step.ts'
import { SayContext } from './ui/say.ts'

/** The whole page of one order. */
export const App = ({ page }: { page: Page<Later> }) => {
  const words = useWords()
  const { checkout, boot } = page
  const step = checkout.step.value
  const order = checkout.order.value
  const news = checkout.news.value
  const [said, setSaid] = useState<{ text: string; show: boolean }>({ text: '', show: false })
  const later = page.later.part.value
  useFocusAfterMoves(step.at, later)
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
          <Summary step={step} />
          <main class="pay">
            <LostNotice />
            <Screen step={step} need={page.later.need} />
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

const Screen = ({ step, need }: { step: Step; need: () => void }) => {
  switch (step.at) {
    case 'choose':
      return <Choose />
    case 'pay':
      return <Pay step={step} />
    case 'method':
      return <Method slug={step.slug} />
    case 'pick':
    case 'confirming':
    case 'done':
    case 'expired':
    case 'refunded':
    case 'failed':
    case 'unknown':
      return <Fetched step={step} need={need} />
    default:
      return step satisfies never
  }
}

const Fetched = ({ step, need }: { step: LaterStep; need: () => void }) => {
  const later = useLater()
  useEffect(need, [need])
  return later ? <later.Screen step={step} /> : <Loading />
}

/** A new screen starts at its title, for eyes and ears alike; the first one starts where the browser puts it. */
const useFocusAfterMoves = (at: Step['at'], later: unknown) => {
  const shown = useRef(at)
  useLayoutEffect(() => {
    if (shown.current === at) return
    shown.current = at
    document.querySelector<HTMLElement>('main h1')?.focus()
  }, [at, later])
}
