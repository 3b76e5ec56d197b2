import { useEffect } from 'preact/hooks'
import { copyWords, useAllWords } from '../../i18n/words.ts'
import { hrefOf } from '../../model/page.ts'
import { Copy } from '../../ui/copy.tsx'
import { Fold } from '../../ui/fold.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Note } from '../../ui/note.tsx'
import { usePage } from './page-context.ts'
import { useOwnState } from '../../ui/own-state.ts'

/** A payer needs another browser only in these steps, in which the order can still be paid. */
const needed: readonly string[] = ['choose', 'method', 'pick', 'pay', 'expired']

/** Links to wallets often fail in the browser inside another app, so this offers to open the page in the system's browser. */
export const OpenInBrowser = () => {
  const words = useAllWords()
  const page = usePage()
  const hasTexts = useOwnState(false)
  useEffect(
    () =>
      void words.rest().then(
        () => void (hasTexts.value = true),
        () => undefined,
      ),
    [],
  )
  if (!hasTexts.value || !needed.includes(page.checkout.step.value.at) || isAtHome(window)) return null
  const { boot, checkout } = page
  // The full page has its own URL, even if this one is shown in a frame.
  const url = (boot.order.hosted_url ?? location.origin + boot.path) + hrefOf(page, checkout.choice.value).slice(boot.path.length)
  const step = checkout.step.value
  const isWallet = step.at === 'method' && step.slug === 'wallet'
  const steps = (
    <>
      <a class={isWallet ? 'btn' : 'btn two'} href={browserLink(url, navigator.userAgent)} target="_top" rel="noreferrer">
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
    </>
  )
  // Only wallets need another browser, so elsewhere this is one line.
  return isWallet ? (
    <section class="stack">
      <Note icon="phone" title={words.t('inAppTitle')}>
        <p>{words.t('inAppLead')}</p>
      </Note>
      {steps}
    </section>
  ) : (
    <Fold title={words.t('inAppTitle')}>
      <div class="stack">
        <p>{words.t('inAppLead')}</p>
        {steps}
      </div>
    </Fold>
  )
}

/** The browser of a wallet needs no change, and an app with one of our bridges (src/host.ts) handles links itself. */
const isAtHome = (win: Window & { readonly webkit?: { readonly messageHandlers?: object } }): boolean =>
  'ethereum' in win || 'ReactNativeWebView' in win || 'TillAndroid' in win || 'till' in (win.webkit?.messageHandlers ?? {})

/** An intent opens the system's browser on Android, and the scheme `x-safari-` opens Safari on iOS. */
export const browserLink = (url: string, userAgent: string): string =>
  /Android/.test(userAgent)
    ? `intent://${url.replace(/^https?:\/\//, '')}#Intent;scheme=${new URL(url).protocol.slice(0, -1)};action=android.intent.action.VIEW;category=android.intent.category.BROWSABLE;end`
    : `x-safari-${url}`
