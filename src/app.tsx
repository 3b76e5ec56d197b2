import { useEffect } from 'preact/hooks'
import { useAllWords } from './i18n/words.ts'
import { askedOf } from './order/funding.ts'
import type { Step } from './order/step.ts'
import { transfersOf } from './order/transfers.ts'
import { Choose } from './screens/choose.tsx'
import { InvoiceAside } from './screens/invoice/invoice-aside.tsx'
import { Method } from './screens/method.tsx'
import { Pay } from './screens/pay.tsx'
import { LostNotice } from './screens/pieces/connection-state.tsx'
import { Fetched } from './screens/pieces/fetched.tsx'
import { Frame } from './screens/pieces/frame.tsx'
import { PageContext, type ScreenPage } from './screens/pieces/page-context.ts'
import { AmountDue, Summary } from './screens/pieces/summary.tsx'
import { AnnounceContext } from './ui/announce.ts'
import { useOwnState } from './ui/own-state.ts'
import { useTitleFocus } from './ui/title-focus.ts'
import { isCharged } from './wire/is-charged.ts'

const nothing: { text: string; show?: boolean } = { text: '' }

export const App = ({ page }: { page: ScreenPage }) => {
  const words = useAllWords()
  const { checkout, boot } = page
  const step = checkout.step.value
  const order = checkout.order.value
  const news = checkout.news.value
  const notice = useOwnState(nothing)
  // Screen readers announce only what changes, so the same words again differ by a space that nobody sees.
  const announce = (text: string, show?: boolean) => {
    notice.value = { text: notice.peek().text === text ? `${text}\u00a0` : text, show }
  }
  const secondary = page.secondary.content.value
  useTitleFocus(step.at)
  // What was announced on another screen is no longer true.
  useEffect(() => void (notice.value = nothing), [step.at])
  useEffect(() => {
    if (news && secondary) notice.value = { text: secondary.newsText(words, news) }
  }, [news, secondary])
  return (
    <PageContext.Provider value={page}>
      <AnnounceContext.Provider value={announce}>
        <Frame aside={boot.invoice ? <InvoiceAside /> : <Summary step={step} />}>
          <LostNotice />
          {boot.inApp && secondary && <secondary.OpenInBrowser />}
          {boot.invoice && <AmountDue step={step} />}
          {(step.at === 'choose' || step.at === 'pick' || step.at === 'method') && transfersOf(order).length > 0 && (
            <Fetched piece={page.secondary} placeholder={null}>
              {({ Misdirected }) => <Misdirected due={isCharged(order) ? undefined : askedOf(order, 'due')} />}
            </Fetched>
          )}
          <Screen step={step} page={page} />
          <p class={notice.value.show ? 'said' : 'hide'} role="status">
            {notice.value.text}
          </p>
        </Frame>
      </AnnounceContext.Provider>
    </PageContext.Provider>
  )
}

const Screen = ({ step, page }: { step: Step; page: ScreenPage }) => {
  switch (step.at) {
    case 'choose':
      return <Choose />
    case 'method':
      return <Method slug={step.slug} />
    case 'pay':
      return <Pay step={step} />
    default:
      return <Fetched piece={page.secondary}>{(secondary) => <secondary.Screen step={step} />}</Fetched>
  }
}
