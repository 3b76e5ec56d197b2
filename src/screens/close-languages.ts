/** The list of languages is a plain <details>, which browsers do not close on Escape. */
export const closeLanguages = ({ key }: KeyboardEvent): void => {
  const list = key === 'Escape' && document.querySelector<HTMLDetailsElement>('.foot details[open]')
  if (!list) return
  list.open = false
  list.querySelector('summary')?.focus()
}
