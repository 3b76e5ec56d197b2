import type { Context } from './context.ts'

/** These are shown when nothing can be fetched, so they are here and not in the page's own files. */
const words: Readonly<Record<string, string>> = {
  ar: 'حاول مرة أخرى',
  de: 'Erneut versuchen',
  en: 'Try again',
  es: 'Reintentar',
  fr: 'Réessayer',
  he: 'נסו שוב',
  hi: 'फिर कोशिश करें',
  it: 'Riprova',
  ja: '再試行',
  ko: '다시 시도',
  nl: 'Probeer opnieuw',
  pl: 'Spróbuj ponownie',
  pt: 'Tentar novamente',
  tr: 'Tekrar dene',
  uk: 'Спробувати ще раз',
  zh: '重试',
}

const language = (): string => (document.documentElement.lang || navigator.language).slice(0, 2).toLowerCase()

/** Covers the frame with a button until it is pressed, or until the browser says that there is a connection again. */
export const coverWithRetry = ({ button }: Context, box: HTMLElement, retry: () => void, signal: AbortSignal): void => {
  const again = new AbortController()
  const run = () => {
    again.abort()
    cover.remove()
    if (!signal.aborted) retry()
  }
  const cover = button(words[language()] ?? 'Try again', run)
  cover.className = 'again'
  box.append(cover)
  addEventListener('online', run, { signal: again.signal })
  signal.addEventListener('abort', () => again.abort())
}
