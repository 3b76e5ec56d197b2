import { chainFacts, type ChainFamily } from '../../../wire/chain-facts.ts'
import type { CurrencyRead } from '../../../wire/currency.ts'
import { nativeAddress } from '../../../wire/chain-facts.ts'
import type { Funds } from '../../../wire/funds.ts'
import { formatUnits } from '../../../wire/money.ts'

export interface PaymentTarget {
  readonly address: string
  readonly due: Funds
  /** For wallets that want an identifier of the payment. */
  readonly reference: string
}

export const isNative = ({ address }: CurrencyRead): boolean => !address || address === nativeAddress

/** What wallets read: address, token, network and amount in one. Undefined on a network without such a thing. */
export const paymentUri = (target: PaymentTarget): string | undefined => {
  const family = chainFacts(target.due.currency.chain_id)?.family
  return family && uris[family](target)
}

const uris: { readonly [F in ChainFamily]: (target: PaymentTarget) => string | undefined } = {
  // EIP-681. The token is the one called; the receiver and the amount are the call's arguments.
  evm: ({ address, due: { raw, currency } }) =>
    isNative(currency)
      ? `ethereum:${address}@${currency.chain_id}?value=${raw}`
      : `ethereum:${currency.address}@${currency.chain_id}/transfer?address=${address}&uint256=${raw}`,
  // BIP-21 counts in whole coins.
  bitcoin: ({ address, due }) => `bitcoin:${address}?amount=${formatUnits(due.raw, due.currency.decimals)}`,
  // Solana Pay counts in whole tokens too.
  solana: ({ address, due: { raw, currency } }) =>
    `solana:${address}?amount=${formatUnits(raw, currency.decimals)}${isNative(currency) ? '' : `&spl-token=${currency.address}`}`,
  // Sui's Payment Kit: every payment carries a number of its own.
  sui: ({ address, due: { raw, currency }, reference }) => {
    const coinType = isNative(currency) ? '0x2::sui::SUI' : (currency.address ?? '')
    return `sui:${address}?${new URLSearchParams({ amount: String(raw), coinType, nonce: reference.slice(0, 36) })}`
  },
}
