import { effect } from '@preact/signals'
import { render } from 'preact'
import { WordsContext, type AllWords } from './i18n/words.ts'
import type { Page } from './model/page.ts'
import { NoOrder } from './screens/no-order.tsx'
import { verifyTerms } from './wire/terms/verify-terms.ts'

/**
 * Checks the order that the page was sent, and each later one before it is drawn. What the server has rendered stays visible meanwhile, but
 * nothing can be copied or opened (check-order.css) until the first order has passed. After one that has not, the page shows nothing of it
 * and stays that way, since whoever changed one answer can change the next.
 */
export const checkOrder = (page: Page, words: AllWords, factory: string): void => {
  const root = document.getElementById('till')!
  const stop = effect(() => {
    if (verifyTerms(page.checkout.order.value, factory).ok) return root.removeAttribute('data-unchecked')
    // Signals must not be written or read for the effect while it runs, and this is still before the next frame.
    queueMicrotask(() => {
      stop()
      render(null, root)
      words.rest().then(show, show)
    })
  })
  const { locale, now, path, surface } = page.boot
  const show = () =>
    render(
      <WordsContext.Provider value={words}>
        <NoOrder boot={{ locale, now, path, surface, view: 'untrue' }} />
      </WordsContext.Provider>,
      root,
    )
}
