import { useWords } from '../i18n/words.ts'
import { Head } from '../ui/head.tsx'
import { Strays } from './strays.tsx'
import { Transfers } from './transfers.tsx'
import { Waiting } from './waiting.tsx'

/** A status from a newer service: neutral words, and the page keeps listening. */
export const Unknown = () => {
  const words = useWords()
  return (
    <>
      <Head seal="info" title={words.t('unknownTitle')}>
        {words.t('unknownLead')}
      </Head>
      <Waiting text={words.t('keepsWatching')} />
      <Transfers title={words.t('receivedSoFar')} />
      <Strays />
    </>
  )
}
