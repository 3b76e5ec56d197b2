import { keepServerHtml } from '../../ui/keep-server-html.ts'
import { useServerRendered } from './page-context.ts'

/** It stays as the server rendered it, so the browser need not load the names of all languages. Its links follow the choice (language-menu.ts). */
export const Footer = () => {
  const serverRendered = useServerRendered()?.footer
  return (
    <footer class="foot" dangerouslySetInnerHTML={serverRendered ? undefined : keepServerHtml}>
      {serverRendered}
    </footer>
  )
}
