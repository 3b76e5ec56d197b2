import { languages } from '../i18n/languages.ts'
import { useWords } from '../i18n/words.ts'
import { hrefOf } from '../state/page.ts'
import { Icon } from '../ui/icon.tsx'
import { usePage } from './page-context.ts'

export const Footer = () => {
  const words = useWords()
  const page = usePage()
  const current = languages.find((language) => language.code === words.locale)?.name
  return (
    <footer class="foot">
      <span>
        <Icon name="till" />
        <span>{words.rich('poweredBy', { name: <b>Till</b> })}</span>
      </span>
      <details>
        <summary aria-label={`${words.t('language')}: ${current}`}>{current}</summary>
        <ul>
          {languages.map(({ code, name }) => (
            <li>
              <a
                href={hrefOf({ ...page, boot: { ...page.boot, asked: code } }, page.checkout.choice.value)}
                lang={code}
                hreflang={code}
                aria-current={code === words.locale ? 'true' : undefined}
              >
                {name}
              </a>
            </li>
          ))}
        </ul>
      </details>
    </footer>
  )
}
