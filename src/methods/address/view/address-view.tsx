import type { ComponentChildren } from 'preact'
import { plainAmount } from '../../../i18n/number.ts'
import { copyWords, useWords } from '../../../i18n/words.ts'
import { Address } from '../../../ui/address.tsx'
import { Copy } from '../../../ui/copy.tsx'
import { Network } from '../../../i18n/amount-text.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { Qr } from '../../../ui/qr.tsx'
import { isNative, paymentUri, type PaymentTarget } from './payment-uri.ts'

export interface AddressViewProps extends PaymentTarget {
  /** What that is worth in the payer's money, if it is known. */
  readonly worth: ComponentChildren
  /** What it includes, and what comes on top of it. */
  readonly notes: ComponentChildren
  /** Part of the amount has been received, so `due` is the rest. */
  readonly isRest: boolean
  readonly qr: 'address' | 'amount' | undefined
  readonly onQr: (qr: 'address' | 'amount') => void
  /** This link lets the payer choose another token or network, if that is still possible. */
  readonly change: ComponentChildren
  /** These open a wallet with the payment filled in. Without them, while their code is being loaded, nothing offers to do so. */
  readonly links: ComponentChildren
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
      {uri && props.links && <OpenInWallet {...props} />}
      {props.status}
      <div class="folds">{props.help}</div>
    </>
  )
}

/** A phone cannot scan its own screen, so copying comes first, and there the QR code waits behind a button (qr.css). */
const PayCard = (props: AddressViewProps & { readonly uri: string | undefined }) => {
  const words = useWords()
  const { address, due, worth, notes, isRest, change } = props
  const copies = copyWords(words)
  return (
    <div class="side">
      <section class="card">
        <div class="field">
          <div>
            <span class="soft">{words.t('addressLabel')}</span>
            <Address value={address} id="address" />
          </div>
          <Copy main words={copies} text={address} label={words.t('copyAddress')} shows="address" />
        </div>
        <div class="field">
          <div>
            <span class="soft">
              {words.t(isRest ? 'restLabel' : 'amountLabel')} {worth}
            </span>
            <span class="big num">
              <span id="amount">{words.amount(due.raw, due.currency.decimals)}</span> {due.currency.symbol}
            </span>
            {notes}
          </div>
          <Copy words={copies} text={plainAmount(due.raw, due.currency.decimals)} label={words.t('copyAmount')} shows="amount" />
        </div>
        <div class="field line warn">
          <span class="soft">{words.t('networkLabel')}</span>
          <b>
            <Network chainId={due.currency.chain_id} />
          </b>
          {change}
          <p>
            {words.rich('onlyThis', { token: <b>{due.currency.symbol}</b>, network: <b>{words.networkName(due.currency.chain_id)}</b> })}
          </p>
        </div>
      </section>
      <details>
        <summary class="btn two">
          <Icon name="qr" />
          {words.t('showQr')}
        </summary>
      </details>
      <QrCodes {...props} />
    </div>
  )
}

const QrCodes = ({ address, due, qr, onQr, uri }: AddressViewProps & { readonly uri: string | undefined }) => {
  const words = useWords()
  // Some wallets misread a link that names a token, which can lose money, so tokens start with the bare address. Coins need no token.
  const first = qr ?? (uri && isNative(due.currency) ? 'amount' : 'address')
  const amount = words.funds(due)
  return (
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
  )
}

/** The links themselves are not needed until the payer opens this, so the first script leaves them out. */
const OpenInWallet = ({ onQr, links }: AddressViewProps) => {
  const words = useWords()
  return (
    <details class="open">
      <summary class="btn two" onClick={() => onQr('amount')}>
        <Icon name="phone" />
        {words.t('openWallet')}
      </summary>
      {links}
    </details>
  )
}
