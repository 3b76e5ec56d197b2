import { useWords } from '../../i18n/words.ts'
import { Icon } from '../../ui/icon.tsx'
import { LanguageList } from './language-list.tsx'
import type { ScreenPage } from './page-context.ts'

/** Only the server renders this (footer.tsx). */
export const FooterContent = ({ page }: { page: ScreenPage }) => {
  const words = useWords()
  return (
    <>
      <span>
        <Icon name="till" />
        <span>{words.rich('poweredBy', { name: <b>Till</b> })}</span>
      </span>
      <details>
        <LanguageList page={page} />
      </details>
    </>
  )
}
