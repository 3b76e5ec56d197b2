import type { ComponentChildren, VNode } from 'preact'
import { useWords } from '../../i18n/words.ts'
import { Footer } from './footer.tsx'
import { usePage } from './page-context.ts'

/** Every page says whether it is a test, what is paid for, and what to do. A shop may hide the footer. */
export const Frame = ({ aside, children }: { aside: VNode; children: ComponentChildren }) => {
  const words = useWords()
  const { is_live, settings } = usePage().checkout.order.value
  return (
    <>
      {is_live === false && (
        <aside class="ribbon" aria-label={words.t('testMode')}>
          {words.t('testMode')}
        </aside>
      )}
      {aside}
      <main class="pay">{children}</main>
      {!settings?.hide_footer && <Footer />}
    </>
  )
}
