import { useEffect, useState } from 'preact/hooks'
import { copyWords, useAllWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import { Copy } from '../../ui/copy.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Note } from '../../ui/note.tsx'
import { usePage } from './page-context.ts'

/** While there is something to pay. */
const needed: readonly string[] = ['choose', 'method', 'pick', 'pay', 'expired']

/** For a payer in another app's browser: the same page in their own, where wallets open. */
export const OpenInBrowser = () => {
  const words = useAllWords()
  const page = usePage()
  const [hasTexts, setHasTexts] = useState(false)
  useEffect(
    () =>
      void words.rest().then(
        () => setHasTexts(true),
        () => undefined,
      ),
    [],
  )
  if (!hasTexts || !needed.includes(page.checkout.step.value.at) || isAtHome(window)) return null
  const { boot, checkout } = page
  // At its own link, whatever it stands in.
  const url = (boot.order.hosted_url ?? location.origin + boot.path) + hrefOf(page, checkout.choice.value).slice(boot.path.length)
  return (
    <section class="stack">
      <Note icon="phone" title={words.t('inAppTitle')}>
        <p>{words.t('inAppLead')}</p>
      </Note>
      <a class="btn" href={browserLink(url, navigator.userAgent)} target="_top" rel="noreferrer">
        {words.t('inAppOpen')}
        <Icon name="out" />
      </a>
      <p class="soft">{words.t('inAppHint')}</p>
      <div class="card">
        <div class="field">
          <span id="full-page" class="one soft">
            {url.replace(/^https?:\/\//, '')}
          </span>
          <Copy words={copyWords(words)} text={url} label={words.t('copyLink')} shows="full-page" />
        </div>
      </div>
    </section>
  )
}

/** A wallet's own browser is the right place already, and an app that listens to this page decides about links itself. */
const isAtHome = (win: Window & { readonly webkit?: { readonly messageHandlers?: object } }): boolean =>
  'ethereum' in win || 'ReactNativeWebView' in win || 'TillAndroid' in win || 'till' in (win.webkit?.messageHandlers ?? {})

/** What hands the address to the system's browser: Android's intent, and the scheme that iOS keeps for Safari. */
export const browserLink = (url: string, userAgent: string): string =>
  /Android/.test(userAgent)
    ? `intent://${url.replace(/^https?:\/\//, '')}#Intent;scheme=${new URL(url).protocol.slice(0, -1)};action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;end`
    : `x-safari-${url}`
