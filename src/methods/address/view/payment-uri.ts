import { chainFacts, type ChainFamily, nativeAddress } from '../../../wire/chain-facts.ts'
import type { CurrencyRead } from '../../../wire/currency.ts'
import type { Funds } from '../../../wire/funds.ts'
import { formatUnits } from '../../../wire/money.ts'

export interface PaymentTarget {
  readonly address: string
  readonly due: Funds
  /** Sui's wallets require an identifier of the payment, so this is the order's id. */
  readonly reference: string
}

export const isNative = ({ address }: CurrencyRead): boolean => !address || address === nativeAddress

/** Wallets read address, token, network and amount from this URI. Returns undefined for a network that we do not know. */
export const paymentUri = (target: PaymentTarget): string | undefined => {
  const family = chainFacts(target.due.currency.chain_id)?.family
  return family && uris[family](target)
}

const uris: { readonly [F in ChainFamily]: (target: PaymentTarget) => string | undefined } = {
  // In EIP-681 a token transfer is a call of the token's contract, with the receiver and the amount as arguments.
  evm: ({ address, due: { raw, currency } }) =>
    isNative(currency)
      ? `ethereum:${address}@${currency.chain_id}?value=${raw}`
      : `ethereum:${currency.address}@${currency.chain_id}/transfer?address=${address}&uint256=${raw}`,
  // BIP-21 expects the amount in whole coins.
  bitcoin: ({ address, due }) => `bitcoin:${address}?amount=${formatUnits(due.raw, due.currency.decimals)}`,
  // Solana Pay also expects whole coins or tokens.
  solana: ({ address, due: { raw, currency } }) =>
    `solana:${address}?amount=${formatUnits(raw, currency.decimals)}${isNative(currency) ? '' : `&spl-token=${currency.address}`}`,
  // Sui's Payment Kit requires a nonce, which may have at most 36 characters.
  sui: ({ address, due: { raw, currency }, reference }) => {
    const coinType = isNative(currency) ? '0x2::sui::SUI' : (currency.address ?? '')
    return `sui:${address}?${new URLSearchParams({ amount: String(raw), coinType, nonce: reference.slice(0, 36) })}`
  },
}
