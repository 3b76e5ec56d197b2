import type { ComponentChildren } from 'preact'
import { copyWords, useAllWords } from '../../../i18n/words.ts'
import { Copy } from '../../../ui/copy.tsx'
import { Head } from '../../../ui/head.tsx'
import { Qr } from '../../../ui/qr.tsx'
import { isPhone } from './surroundings.ts'

/** A phone cannot scan its own screen, so there a link that opens the wallet app comes first. `uri` is undefined while the relay creates the code. */
export const Pairing = ({ uri, back }: { uri: string | undefined; back: ComponentChildren }) => {
  const words = useAllWords()
  const isHere = isPhone()
  const lead = words.t('walletsPairLead')
  return (
    <>
      {back}
      <Head title={words.t(isHere ? 'walletsPairOpen' : 'walletsPair')}>{!isHere && lead}</Head>
      {uri === undefined ? (
        <div class="sk" />
      ) : (
        <>
          {isHere && (
            <>
              <a class="btn" href={uri}>
                {words.t('openWallet')}
              </a>
              <p class="soft">{lead}</p>
            </>
          )}
          <section class="card">
            <div class="qr">
              <Qr class="q3" text={uri} label={words.t('walletsPairQr')} maxWidth={300} />
            </div>
            <div class="field">
              <code class="one" id="pairing" dir="ltr">
                {uri}
              </code>
              <Copy words={copyWords(words)} text={uri} label={words.t('walletsPairCopy')} shows="pairing" />
            </div>
          </section>
        </>
      )}
    </>
  )
}
