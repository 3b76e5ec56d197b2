import { useLayoutEffect, useRef } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import { Icon } from '../../ui/icon.tsx'
import { usePage, kept, useWritten } from './page-context.ts'

/** The names of the languages are kept as the server wrote them. */
export const Footer = () => {
  const words = useWords()
  const page = usePage()
  const written = useWritten()?.languages
  const list = useRef<HTMLDetailsElement>(null)
  const choice = page.checkout.choice.value
  // The links lead to what is shown now.
  useLayoutEffect(() => {
    for (const link of list.current?.querySelectorAll('a') ?? []) link.href = hrefOf(page, choice, link.lang)
  }, [choice])
  return (
    <footer class="foot">
      <span>
        <Icon name="till" />
        <span>{words.rich('poweredBy', { name: <b>Till</b> })}</span>
      </span>
      <details ref={list} dangerouslySetInnerHTML={written ? undefined : kept}>
        {written}
      </details>
    </footer>
  )
}
