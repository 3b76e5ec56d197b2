import { useWords } from '../../i18n/words.ts'
import { Icon } from '../../ui/icon.tsx'
import { keepServerHtml } from '../../ui/keep-server-html.ts'
import { useServerRendered } from './page-context.ts'

/** The list of languages stays as the server rendered it, so the browser need not load their names. Its links follow the choice (language-menu.ts). */
export const Footer = () => {
  const words = useWords()
  const serverRendered = useServerRendered()?.languages
  return (
    <footer class="foot">
      <span>
        <Icon name="till" />
        <span>{words.rich('poweredBy', { name: <b>Till</b> })}</span>
      </span>
      <details dangerouslySetInnerHTML={serverRendered ? undefined : keepServerHtml}>{serverRendered}</details>
    </footer>
  )
}
