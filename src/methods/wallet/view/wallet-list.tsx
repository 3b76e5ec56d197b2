import type { ComponentChildren } from 'preact'
import { useAllWords } from '../../../i18n/words.ts'
import { Fold } from '../../../ui/fold.tsx'
import { Head } from '../../../ui/head.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Qr } from '../../../ui/qr.tsx'
import type { ListedWallet } from '../wallets.ts'
import { appsFor } from './apps.ts'
import { isFramed, isPhone } from './surroundings.ts'
import { walletName } from './wallet-name.ts'
import { WalletTile } from './wallet-tile.tsx'

export interface ListProps<W extends ListedWallet> {
  readonly wallets: readonly W[]
  readonly looking: boolean
  /** Wallet apps open this URL of the page in their own browser. */
  readonly url: string
  readonly notice?: ComponentChildren
  readonly back?: ComponentChildren
  /** It is undefined while there is no wallet to pick. */
  readonly onPick?: (wallet: W) => void
  /** Pairs a wallet on another device, or in an app of this phone. It is undefined if the service has no relay. */
  readonly onPair?: () => void
  readonly toAddress?: () => void
}

/** Wallets in this browser come first, because they need no change of app or device. */
export const List = <W extends ListedWallet>({ wallets, looking, url, notice, back, onPick, onPair, toAddress }: ListProps<W>) => {
  const words = useAllWords()
  const isHere = isPhone()
  const apps = looking || !isHere ? [] : appsFor(url).filter((app) => !wallets.some((wallet) => wallet.name.startsWith(app.name)))
  const isNone = !looking && wallets.length === 0 && apps.length === 0
  return (
    <>
      {back}
      {notice}
      <Head title={words.t('walletsTitle')}>{words.t(isNone ? 'walletsNone' : 'walletsLead')}</Head>
      {looking && <div class="sk" />}
      {wallets.length > 0 && (
        <section class="stack">
          <h2 class="soft">{words.t('walletsHere')}</h2>
          <ul class="card">
            {wallets.map((wallet) => (
              <li key={wallet.rdns}>
                <button class="row" onClick={() => onPick?.(wallet)}>
                  <Row
                    name={walletName(words, wallet)}
                    icon={wallet.icon}
                    text={
                      wallet.usedBefore
                        ? words.t('walletUsed')
                        : wallet.network
                          ? words.networkName(wallet.network)
                          : words.t('walletReady')
                    }
                  />
                  <Icon name="next" />
                </button>
              </li>
            ))}
          </ul>
        </section>
      )}
      {isNone && (
        <section class="stack">
          <h2 class="soft">{words.t('onPhone')}</h2>
          <OnPhone url={url} />
        </section>
      )}
      {apps.length > 0 && (
        <section class="stack">
          <h2 class="soft">{words.t('walletsApps')}</h2>
          <ul class="card">
            {apps.map(({ name, href }) => (
              <li key={name}>
                <a class="row" href={href} target={isFramed() ? '_blank' : undefined} rel="noreferrer">
                  <Row name={name} />
                  <Icon name="out" />
                </a>
              </li>
            ))}
          </ul>
        </section>
      )}
      {onPair && (
        <ul class="card">
          <li>
            <button class="row" onClick={onPair}>
              <span class="tile" aria-hidden="true">
                <Icon name={isHere ? 'phone' : 'qr'} />
              </span>
              <span>
                <b>{words.t(isHere ? 'walletsOther' : 'walletsRemote')}</b>
                <small>{isHere ? 'WalletConnect' : words.t('walletsRemoteText')}</small>
              </span>
              <Icon name="next" />
            </button>
          </li>
        </ul>
      )}
      {!looking && !isNone && !isHere && !onPair && (
        <Fold title={words.t('onPhone')}>
          <OnPhone url={url} />
        </Fold>
      )}
      {!looking && isFramed() && <FullPage url={url} />}
      {toAddress && (
        <button class="link" onClick={toAddress}>
          {words.t('walletsToAddress')}
          <Icon name="next" />
        </button>
      )}
    </>
  )
}

const Row = ({ name, icon, text }: { name: string; icon?: string; text?: string }) => (
  <>
    <WalletTile name={name} icon={icon} />
    <span>
      <b>{name}</b>
      {text && <small>{text}</small>}
    </span>
  </>
)

/** A desk without a wallet has a phone beside it more often than not, and there the same page can open wallet apps. */
const OnPhone = ({ url }: { url: string }) => {
  const words = useAllWords()
  return (
    <>
      <div class="card qr">
        <Qr text={url} label={words.t('onPhone')} />
      </div>
      <p class="soft">{words.t('onPhoneHint')}</p>
    </>
  )
}

/** Some wallets are not available in a frame, so this offers the full page. It is a link, so that it works without a host. */
const FullPage = ({ url }: { url: string }) => {
  const words = useAllWords()
  return (
    <>
      <p>{words.t('walletsFramed')}</p>
      <a class="btn two" href={url} target="_blank" rel="noopener noreferrer" data-host="top">
        {words.t('openFullPage')}
        <Icon name="out" />
      </a>
    </>
  )
}
