/** The list of languages is a plain <details>, so that it works without scripts. These listeners add what people expect of a menu. */
export const languageMenu = {
  /** Browsers do not close a <details> on Escape. */
  keydown: ({ key }: KeyboardEvent): void => {
    const list = key === 'Escape' && document.querySelector<HTMLDetailsElement>('.foot details[open]')
    if (!list) return
    list.open = false
    list.querySelector('summary')?.focus()
  },
  /** On a wide screen the list opens below the page's end, where it covers nothing. */
  toggle: (): void => document.querySelector('.foot details[open] ul')?.scrollIntoView({ block: 'nearest' }),
}
