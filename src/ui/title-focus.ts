import { useLayoutEffect, useRef } from 'preact/hooks'

export const focusTitle = (): void => document.querySelector<HTMLElement>('main h1')?.focus()

/** Moves the focus to the title of each new screen, so that screen readers announce it. On loading, the browser's focus is left alone. */
export const useTitleFocus = (at: string | undefined): void => {
  const shown = useRef(at)
  useLayoutEffect(() => {
    if (shown.current && shown.current !== at) focusTitle()
    shown.current = at
  }, [at])
}
