import type { ComponentChildren } from 'preact'
import { copyWords, useAllWords } from '../../../i18n/words.ts'
import { Copy } from '../../../ui/copy.tsx'
import { Head } from '../../../ui/head.tsx'
import { Qr } from '../../../ui/qr.tsx'
import { isPhone } from './surroundings.ts'

/**
 * Shows the code that a wallet on another device scans; `uri` is undefined while it is being made. On a phone, a link opens it in a wallet
 * app there.
 */
export const Pairing = ({ uri, back }: { uri: string | undefined; back: ComponentChildren }) => {
  const words = useAllWords()
  return (
    <>
      {back}
      <Head title={words.t('walletsPair')}>{words.t('walletsPairLead')}</Head>
      {uri === undefined ? (
        <div class="sk" />
      ) : (
        <>
          <section class="card">
            <div class="qr">
              <Qr class="q3" text={uri} label={words.t('walletsPairQr')} most={300} />
            </div>
            <div class="field">
              <code class="one" id="pairing" dir="ltr">
                {uri}
              </code>
              <Copy words={copyWords(words)} text={uri} label={words.t('walletsPairCopy')} shows="pairing" />
            </div>
          </section>
          {isPhone() && (
            <a class="btn" href={uri}>
              {words.t('walletsPairOpen')}
            </a>
          )}
        </>
      )}
    </>
  )
}
