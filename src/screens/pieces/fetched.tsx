import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import type { LazyModule } from '../../model/lazy-module.ts'
import { Icon } from '../../ui/icon.tsx'
import { focusTitle } from '../../ui/title-focus.ts'
import { usePage } from './page-context.ts'
import { Warning } from './problem-note.tsx'

interface FetchedProps<T> {
  readonly piece: LazyModule<T>
  /** This is shown above the placeholder, for example a link back, and disappears with it. */
  readonly lead?: ComponentChildren
  readonly placeholder?: ComponentChildren
  readonly children: (content: T) => ComponentChildren
}

/** Fetches a module of the page and shows its content. If fetching fails, it shows a message with a link to try again. */
export const Fetched = <T,>({ piece, lead, placeholder = <Loading />, children }: FetchedProps<T>) => {
  const content = piece.content.value
  const failed = piece.failed.value
  const isHere = content !== undefined
  const wasHere = useRef(isHere)
  useEffect(() => void piece.load().catch(() => undefined), [piece])
  useLayoutEffect(() => {
    // Removing the placeholder also removed its title, which had the focus.
    if (isHere && !wasHere.current && document.activeElement === document.body) focusTitle()
    wasHere.current = isHere
  }, [isHere])
  if (isHere) return <>{children(content)}</>
  return (
    <>
      {lead}
      {failed ? <NotFetched /> : placeholder}
    </>
  )
}

/** The hidden title is for screen readers, and the grey shapes are for everybody else. */
const Loading = () => {
  const words = useWords()
  return (
    <>
      <h1 class="hide js" tabIndex={-1}>
        {words.t('loading')}
      </h1>
      <div class="sk js" />
      <div class="sk tall js" />
    </>
  )
}

const NotFetched = () => (
  <>
    <Warning text={useWords().t('failedAction')} />
    <TryAgain />
  </>
)

/** Some browsers do not retry a module that could not be fetched, so this link reloads the page instead of importing again. */
export const TryAgain = () => {
  const words = useWords()
  const page = usePage()
  return (
    <a class="btn" href={hrefOf(page, page.checkout.choice.value)}>
      <Icon name="reload" />
      {words.t('tryAgain')}
    </a>
  )
}
