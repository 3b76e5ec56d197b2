import { useWords } from '../i18n/words.ts'
import { Head } from '../ui/head.tsx'
import { Misdirected } from './pieces/misdirected.tsx'
import { TransferList } from './pieces/transfer-list.tsx'
import { Waiting } from './pieces/connection-state.tsx'

/** A status from a newer service: neutral words, and the page keeps listening. */
export const Unknown = () => {
  const words = useWords()
  return (
    <>
      <Head seal="info" title={words.t('unknownTitle')}>
        {words.t('unknownLead')}
      </Head>
      <Waiting text={words.t('keepsWatching')} />
      <TransferList title={words.t('receivedSoFar')} />
      <Misdirected />
    </>
  )
}
