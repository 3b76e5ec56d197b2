import { useWords } from '../i18n/words.ts'
import type { Transfer } from '../state/transfers.ts'
import { Icon } from '../ui/icon.tsx'

export const ExplorerLink = ({ of }: { of: Pick<Transfer, 'link' | 'funds'> }) => {
  const words = useWords()
  if (!of.link) return null
  return (
    <a class="link" href={of.link} target="_blank" rel="noreferrer">
      {words.t('explorer', { network: words.networkName(of.funds.currency.chain_id) })}
      <Icon name="out" />
    </a>
  )
}
