import type { ComponentChildren } from 'preact'
import { plainAmount } from '../../../i18n/number.ts'
import { copyWords, useWords } from '../../../i18n/words.ts'
import { Address } from '../../../ui/address.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Network } from '../../../i18n/amount-text.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Note } from '../../../ui/note.tsx'
import { Qr } from '../../../ui/qr.tsx'
import type { Funds } from '../../../wire/funds.ts'
import { isNative, paymentUri } from './payment-uri.ts'
import { walletLinks } from './wallet-links.ts'

export interface AddressViewProps {
  readonly address: string
  readonly due: Funds
  readonly reference: string
  /** Part of the amount has been received, so `due` is the rest. */
  readonly isRest: boolean
  readonly qr: 'address' | 'amount' | undefined
  readonly onQr: (qr: 'address' | 'amount') => void
  /** This link lets the payer choose another token or network, if that is still possible. */
  readonly change: ComponentChildren
  /** This lists the transfers so far and says whether the page is watching for more. */
  readonly status: ComponentChildren
  readonly help: ComponentChildren
}

/** Shows what a payer needs to send money from any wallet or exchange. The amount is always what is due now. */
export const AddressView = (props: AddressViewProps) => {
  const uri = paymentUri(props)
  return (
    <>
      <PayCard {...props} uri={uri} />
      {!props.isRest && <OnlyThis due={props.due} />}
      {uri && <OpenInWallet {...props} uri={uri} />}
      {props.status}
      <div class="folds">{props.help}</div>
    </>
  )
}

const PayCard = ({ address, due, isRest, qr, onQr, change, uri }: AddressViewProps & { readonly uri: string | undefined }) => {
  const words = useWords()
  // Some wallets misread a link that names a token, which can lose money, so tokens start with the bare address. Coins need no token.
  const first = qr ?? (uri && isNative(due.currency) ? 'amount' : 'address')
  const amount = words.funds(due)
  const copies = copyWords(words)
  return (
    <section class="card side">
      <div class="qr" role="group" aria-label={words.t('qrCode')}>
        {uri && (
          <>
            <input class="hide" type="radio" name="q" id="qb" checked={first === 'address'} onChange={() => onQr('address')} />
            <input class="hide" type="radio" name="q" id="qa" checked={first === 'amount'} onChange={() => onQr('amount')} />
          </>
        )}
        <Qr class="q2" text={address} label={words.t('qrAddressLabel')} />
        {uri && (
          <>
            <Qr class="q1" text={uri} label={words.t('qrAmountLabel', { amount })} />
            <div class="seg">
              <label for="qb">{words.t('qrAddress')}</label>
              <label for="qa">{words.t('qrAmount')}</label>
            </div>
          </>
        )}
      </div>
      <div class="field">
        <div>
          <span class="soft">{words.t('addressLabel')}</span>
          <Address value={address} id="address" />
        </div>
        <Copy main words={copies} text={address} label={words.t('copyAddress')} shows="address" />
      </div>
      <div class="field">
        <div>
          <span class="soft">{words.t(isRest ? 'restLabel' : 'amountLabel')}</span>
          <span class="big num">
            <span id="amount">{words.amount(due.raw, due.currency.decimals)}</span> {words.tokenOn(due.currency)}
          </span>
        </div>
        <Copy words={copies} text={plainAmount(due.raw, due.currency.decimals)} label={words.t('copyAmount')} shows="amount" />
      </div>
      <div class="field line">
        <span class="soft">{words.t('networkLabel')}</span>
        <b>
          <Network chainId={due.currency.chain_id} />
        </b>
        {change}
      </div>
    </section>
  )
}

const OnlyThis = ({ due }: { due: Funds }) => {
  const words = useWords()
  return (
    <Note>
      <p>{words.rich('onlyThis', { token: <b>{due.currency.symbol}</b>, network: <b>{words.networkName(due.currency.chain_id)}</b> })}</p>
    </Note>
  )
}

const OpenInWallet = ({ uri, ...props }: AddressViewProps & { readonly uri: string }) => {
  const words = useWords()
  const links = [{ name: words.t('openDefault'), href: uri }, ...walletLinks(props, uri)]
  return (
    <details class="open">
      <summary class="btn two" onClick={() => props.onQr('amount')}>
        <Icon name="phone" />
        {words.t('openWallet')}
      </summary>
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
    </details>
  )
}
