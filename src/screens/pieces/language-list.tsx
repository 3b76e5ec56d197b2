import { useWords } from '../../i18n/words.ts'
import { languageQuery } from '../../model/page.ts'
import { localeCodes, locales } from '../../wire/locale.ts'
import type { ScreenPage } from './page-context.ts'

/**
 * Each language has its own name for itself, so that payers find theirs even if they cannot read this page. The links have no path, which would
 * be in the page sixteen times.
 */
export const LanguageList = ({ page }: { page: ScreenPage }) => {
  const words = useWords()
  const current = locales[words.locale]
  return (
    <>
      <summary aria-label={`${words.t('language')}: ${current}`}>{current}</summary>
      <ul>
        {localeCodes.map((code) => (
          <li>
            <a href={languageQuery(page, code)} lang={code} aria-current={code === words.locale ? 'true' : undefined}>
              {locales[code]}
            </a>
          </li>
        ))}
      </ul>
    </>
  )
}
