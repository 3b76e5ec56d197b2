import { useAllWords } from '../../../i18n/words.ts'
import { Head } from '../../../ui/head.tsx'

/** Another tab of this browser asks a wallet. */
export const Elsewhere = () => {
  const words = useAllWords()
  return (
    <Head seal="spin" title={words.t('elsewhereTitle')}>
      {words.t('elsewhereLead')}
    </Head>
  )
}
