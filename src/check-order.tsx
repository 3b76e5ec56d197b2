import { effect } from '@preact/signals'
import { render } from 'preact'
import { WordsContext, type AllWords } from './i18n/words.ts'
import type { Page } from './model/page.ts'
import { NoOrder } from './screens/no-order.tsx'
import { verifyTerms } from './wire/terms/verify-terms.ts'

/**
 * Checks the order that the page was sent, and each later one before it is drawn. What the server has rendered stays visible meanwhile, but
 * nothing can be copied or opened (check-order.css) until the first order has passed. After one that has not, the page shows nothing of it
 * and stays that way, since whoever changed one answer can change the next. The terms of an order never change, so an order with other terms
 * is refused too, although its address follows from them.
 */
export const checkOrder = (page: Page, words: AllWords, factory: string): void => {
  const root = document.getElementById('till')!
  const first = verifyTerms(page.boot.order, factory)
  const stop = effect(() => {
    const checked = verifyTerms(page.checkout.order.value, factory)
    if (first.ok && checked.ok && checked.address === first.address) return root.removeAttribute('data-unchecked')
    // Signals must not be written or read for the effect while it runs, and this is still before the next frame.
    queueMicrotask(() => {
      stop()
      refuseOrder(page, words)
    })
  })
}

/** Shows that the order cannot be paid here, in place of everything that the page has shown. */
export const refuseOrder = ({ boot }: Page, words: AllWords): void => {
  const root = document.getElementById('till')!
  const { locale, now, path, surface } = boot
  const show = () =>
    render(
      <WordsContext.Provider value={words}>
        <NoOrder boot={{ locale, now, path, surface, view: 'untrue' }} />
      </WordsContext.Provider>,
      root,
    )
  // The screen stands alone, as the server draws it, and not beside an order's details.
  root.classList.remove('page')
  render(null, root)
  words.rest().then(show, show)
}
