import { formatUnits } from '../../../wire/money.ts'
import { isNative, type PaymentTarget } from './payment-uri.ts'

export interface WalletLink {
  readonly name: string
  readonly href: string
}

/** Trust Wallet identifies networks by these asset codes. */
const trustNetworks: Readonly<Record<number, string>> = {
  1: 'c60',
  10: 'c10000070',
  56: 'c20000714',
  137: 'c966',
  8453: 'c8453',
  42161: 'c10042221',
  20000000000001: 'c0',
  30000000000001: 'c501',
  30000000000002: 'c784',
}

const ethereum = 'ethereum:'

/** Each link opens one wallet with the payment filled in. Unlike an `ethereum:` link, it also works in another app's browser. */
export const walletLinks = ({ address, due }: PaymentTarget, uri: string): readonly WalletLink[] => {
  const trust = trustNetworks[due.currency.chain_id]
  const links: WalletLink[] = []
  if (uri.startsWith(ethereum)) links.push({ name: 'MetaMask', href: `https://link.metamask.io/send/${uri.slice(ethereum.length)}` })
  if (trust) {
    const asset = isNative(due.currency) ? trust : `${trust}_t${due.currency.address}`
    const query = new URLSearchParams({ asset, address, amount: formatUnits(due.raw, due.currency.decimals) })
    links.push({ name: 'Trust Wallet', href: `https://link.trustwallet.com/send?${query}` })
  }
  return links
}
