export interface App {
  readonly name: string
  readonly href: string
}

/** Each link opens this page in a wallet app's browser. They are plain links, because a phone may block opening an app from a script. */
export const appsFor = (url: string): readonly App[] => {
  const encoded = encodeURIComponent(url)
  return [
    { name: 'MetaMask', href: `https://link.metamask.io/dapp/${url.replace(/^https?:\/\//, '')}` },
    { name: 'Coinbase Wallet', href: `https://go.cb-w.com/dapp?cb_url=${encoded}` },
    { name: 'Trust Wallet', href: `https://link.trustwallet.com/open_url?coin_id=60&url=${encoded}` },
    { name: 'Rainbow', href: `https://rnbwapp.com/dapp?url=${encoded}` },
    {
      name: 'OKX Wallet',
      href: `https://web3.okx.com/download?deeplink=${encodeURIComponent(`okx://wallet/dapp/url?dappUrl=${encoded}`)}`,
    },
    { name: 'Phantom', href: `https://phantom.com/ul/browse/${encoded}?ref=${encodeURIComponent(new URL(url).origin)}` },
  ]
}
