import { useLayoutEffect, useRef } from 'preact/hooks'
import { useWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import { Icon } from '../../ui/icon.tsx'
import { keepServerHtml } from '../../ui/keep-server-html.ts'
import { usePage, useServerRendered } from './page-context.ts'

/** The list of languages stays as the server rendered it, so the browser need not load their names. */
export const Footer = () => {
  const words = useWords()
  const page = usePage()
  const serverRendered = useServerRendered()?.languages
  const list = useRef<HTMLDetailsElement>(null)
  const choice = page.checkout.choice.value
  // The server rendered the links for the first choice, so each later choice updates them.
  useLayoutEffect(() => {
    for (const link of list.current?.querySelectorAll('a') ?? []) link.href = hrefOf(page, choice, link.lang)
  }, [choice])
  return (
    <footer class="foot">
      <span>
        <Icon name="till" />
        <span>{words.rich('poweredBy', { name: <b>Till</b> })}</span>
      </span>
      <details ref={list} dangerouslySetInnerHTML={serverRendered ? undefined : keepServerHtml}>
        {serverRendered}
      </details>
    </footer>
  )
}
