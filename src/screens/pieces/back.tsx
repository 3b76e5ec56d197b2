import { useWords } from '../../i18n/words.ts'
import { Icon } from '../../ui/icon.tsx'
import { choiceLink } from './choice-link.ts'
import { usePage } from './page-context.ts'

/** It is a link and not a button, so that it works without scripts and in a new tab. */
export const Back = () => {
  const words = useWords()
  const page = usePage()
  const choice = { method: 'choose', pick: false }
  return (
    <a class="link back" {...choiceLink(page, choice)}>
      <Icon name="back" />
      {words.t('otherWays')}
    </a>
  )
}
