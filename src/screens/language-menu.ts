import { hrefOf, type Page } from '../model/page.ts'

/** The list of languages is a plain <details>, so that it works without scripts. These listeners add what people expect of a menu. */
export const languageMenu = {
  /** The server rendered the links for the first choice. */
  follow: (page: Page): void => {
    const choice = page.checkout.choice.value
    for (const link of document.querySelectorAll<HTMLAnchorElement>('.foot details a')) link.href = hrefOf(page, choice, link.lang)
  },
  /** Browsers do not close a <details> on Escape. */
  keydown: (event: KeyboardEvent): void => {
    const list = event.key === 'Escape' && document.querySelector<HTMLDetailsElement>('.foot details[open]')
    if (!list) return
    // In a frame or popup this Escape would close the whole checkout (host.ts).
    event.preventDefault()
    list.open = false
    list.querySelector('summary')?.focus()
  },
  /** On a wide screen the list opens below the page's end, where it covers nothing. */
  toggle: (): void => document.querySelector('.foot details[open] ul')?.scrollIntoView({ block: 'nearest' }),
}
