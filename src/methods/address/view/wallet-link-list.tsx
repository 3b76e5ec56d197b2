import { useWords } from '../../../i18n/words.ts'
import { Icon } from '../../../ui/icon.tsx'
import { paymentUri, type PaymentTarget } from './payment-uri.ts'
import { walletLinks } from './wallet-links.ts'

/** Each opens a wallet with the payment filled in. */
export const WalletLinkList = (target: PaymentTarget) => {
  const words = useWords()
  const uri = paymentUri(target)
  const links = uri ? [{ name: words.t('openDefault'), href: uri }, ...walletLinks(target, uri)] : []
  return (
    <div>
      <ul class="card">
        {links.map(({ name, href }) => (
          <li>
            <a class="row slim" href={href} rel="noreferrer">
              <b>{name}</b>
              <Icon name="out" />
            </a>
          </li>
        ))}
      </ul>
      <p class="soft">{words.t('openHint')}</p>
    </div>
  )
}
