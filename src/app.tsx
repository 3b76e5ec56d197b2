import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks'
import { useWords } from './i18n/words.ts'
import { Choose } from './screens/choose.tsx'
import { Confirming } from './screens/confirming.tsx'
import { Done } from './screens/done.tsx'
import { Expired } from './screens/expired.tsx'
import { Failed } from './screens/failed.tsx'
import { Footer } from './screens/footer.tsx'
import { LostNotice } from './screens/lost-notice.tsx'
import { Method } from './screens/method.tsx'
import { newsText } from './screens/news-text.ts'
import { PageContext } from './screens/page-context.ts'
import { Pay } from './screens/pay.tsx'
import { Pick } from './screens/pick.tsx'
import { Refunded } from './screens/refunded.tsx'
import { Summary } from './screens/summary.tsx'
import { Unknown } from './screens/unknown.tsx'
import type { Page } from './state/page.ts'
import type { Step } from './state/step.ts'
import { SayContext } from './ui/say.ts'

/** The whole page of one order. */
export const App = ({ page }: { page: Page }) => {
  const words = useWords()
  const { checkout, boot } = page
  const step = checkout.step.value
  const order = checkout.order.value
  const news = checkout.news.value
  const [said, setSaid] = useState<{ text: string; show: boolean }>({ text: '', show: false })
  useFocusAfterMoves(step.at)
  useEffect(() => {
    if (news) setSaid({ text: newsText(words, news), show: false })
  }, [news])
  return (
    <PageContext.Provider value={page}>
      <SayContext.Provider value={(text, show = false) => setSaid({ text, show })}>
        {order.is_live === false && (
          <div class="ribbon" role="note">
            {words.t('testMode')}
          </div>
        )}
        <Summary step={step} />
        <main class="pay">
          <LostNotice />
          <Screen step={step} />
          <p class={said.show ? 'said' : 'hide'} role="status">
            {said.text}
          </p>
        </main>
        {boot.order.settings?.hide_footer !== true && <Footer />}
      </SayContext.Provider>
    </PageContext.Provider>
  )
}

const Screen = ({ step }: { step: Step }) => {
  switch (step.at) {
    case 'choose':
      return <Choose />
    case 'pick':
      return <Pick />
    case 'pay':
      return <Pay step={step} />
    case 'method':
      return <Method slug={step.slug} />
    case 'confirming':
      return <Confirming step={step} />
    case 'done':
      return <Done step={step} />
    case 'expired':
      return <Expired step={step} />
    case 'refunded':
      return <Refunded step={step} />
    case 'failed':
      return <Failed step={step} />
    case 'unknown':
      return <Unknown />
    default:
      return step satisfies never
  }
}

/** A new screen starts at its title, for eyes and ears alike; the first one starts where the browser puts it. */
const useFocusAfterMoves = (at: Step['at']) => {
  const shown = useRef(at)
  useLayoutEffect(() => {
    if (shown.current === at) return
    shown.current = at
    document.querySelector<HTMLElement>('main h1')?.focus()
  }, [at])
}
