import type { ComponentChildren } from 'preact'
import { useEffect, useLayoutEffect, useRef } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import type { Piece } from '../../model/piece.ts'
import { Icon } from '../../ui/icon.tsx'
import { usePage } from './page-context.ts'
import { Warning } from './problem-note.tsx'

interface FetchedProps<T> {
  readonly piece: Piece<T>
  /** Stands above until the piece is here. */
  readonly lead?: ComponentChildren
  /** Stands in its place until it is here. */
  readonly placeholder?: ComponentChildren
  readonly children: (content: T) => ComponentChildren
}

/** Shows a piece of the page that is fetched when it is needed. When it does not come, a message says so, with a link to try again. */
export const Fetched = <T,>({ piece, lead, placeholder = <Loading />, children }: FetchedProps<T>) => {
  const content = piece.content.value
  const failed = piece.failed.value
  const isHere = content !== undefined
  const wasHere = useRef(isHere)
  useEffect(() => void piece.load().catch(() => undefined), [piece])
  useLayoutEffect(() => {
    // The placeholder is gone, and with it the title that had the focus.
    if (isHere && !wasHere.current && document.activeElement === document.body) document.querySelector<HTMLElement>('main h1')?.focus()
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

/** A screen reader announces it; others see the shape of what comes. */
const Loading = () => {
  const words = useWords()
  return (
    <>
      <h1 class="hide" tabIndex={-1}>
        {words.t('loading')}
      </h1>
      <div class="sk" />
      <div class="sk tall" />
    </>
  )
}

const NotFetched = () => (
  <>
    <Warning text={useWords().t('failedAction')} />
    <TryAgain />
  </>
)

/** A link to this very page and not a second import: browsers never ask again for a module that could not be fetched. */
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
