const bitcoin = /^((?:bitcoin:)?)((?:bc|tb|bcrt)1[02-9ac-hj-np-z]+)(?=\?|$)/

/**
 * A SegWit address is the same in large letters. A QR code of these alone needs fewer modules, and BIP-321 recommends them in links too. What
 * is copied or opened stays in small letters, because some wallets and exchanges accept no others.
 */
export const qrText = (text: string): string =>
  text.replace(bitcoin, (_, scheme: string, address: string) => scheme + address.toUpperCase())
