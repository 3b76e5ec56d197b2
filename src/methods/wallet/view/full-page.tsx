import { useAllWords } from '../../../i18n/words.ts'
import { Icon } from '../../../ui/icon.tsx'

/**
 * Inside another site not every wallet lets itself be found. A link, so that the click is never lost; whoever embeds us may open
 * the window instead (host.ts).
 */
export const FullPage = ({ url }: { url: string }) => {
  const words = useAllWords()
  return (
    <>
      <p>{words.t('walletsFramed')}</p>
      <a class="btn two" href={url} target="_blank" rel="noopener noreferrer" data-host="top">
        {words.t('openFullPage')}
        <Icon name="out" />
      </a>
    </>
  )
}

export const isFramed = (): boolean => window.parent !== window
