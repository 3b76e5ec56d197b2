import { useWords } from '../../i18n/words.ts'
import { Icon } from '../../ui/icon.tsx'

/** The end of a bar that opens what it sums up. */
export const More = () => (
  <span class="more">
    <span>{useWords().t('details')}</span>
    <Icon name="down" />
  </span>
)
