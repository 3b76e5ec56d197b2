import type { ComponentChildren } from 'preact'
import { useAllWords } from '../../../i18n/words.ts'
import { Head } from '../../../ui/head.tsx'

/** Another tab of this browser asks a wallet. */
export const Elsewhere = ({ back }: { back?: ComponentChildren }) => {
  const words = useAllWords()
  return (
    <>
      {back}
      <Head seal="spin" title={words.t('elsewhereTitle')}>
        {words.t('finishThere')}
      </Head>
    </>
  )
}
