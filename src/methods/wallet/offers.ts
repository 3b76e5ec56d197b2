import { chainFacts } from '../../wire/chain-facts.ts'
import type { CurrencyRead } from '../../wire/currency.ts'
import { type Funds, sameCurrency } from '../../wire/funds.ts'
import type { OrderRead } from '../../wire/order-read.ts'
import { decodeHeader } from '../../wire/x402-header.ts'

/** The service would accept a signature for this transfer. */
export interface Offer {
  readonly chainId: number
  readonly token: `0x${string}`
  readonly payTo: `0x${string}`
  readonly amount: bigint
  /** A signature is bound to this EIP-712 domain of the token, whose name can differ from the name that people know. */
  readonly domain: { readonly name: string; readonly version: string }
  readonly maxTimeoutSeconds: number
  /** This is the offer as the service sent it, because the payment has to echo it unchanged. */
  readonly raw: object
}

export interface PaymentRequired {
  readonly offers: readonly Offer[]
  readonly resource: unknown
  readonly error: string | undefined
  readonly extensions: unknown
}

const isAddress = (value: unknown): value is `0x${string}` => typeof value === 'string' && /^0x[0-9a-fA-F]{40}$/.test(value)

/** Reads the PAYMENT-REQUIRED header. Offers with a scheme or network that this page does not support are ignored. */
export const readPaymentRequired = (header: string | null): PaymentRequired | undefined => {
  const asked = decodeHeader(header)
  if (typeof asked !== 'object' || asked === null || !('x402Version' in asked) || asked.x402Version !== 2) return undefined
  const { accepts, resource, error, extensions } = asked as { accepts?: unknown; resource?: unknown; error?: unknown; extensions?: unknown }
  return {
    offers: Array.isArray(accepts) ? accepts.flatMap((accepted: unknown) => offerOf(accepted) ?? []) : [],
    resource,
    error: typeof error === 'string' ? error : undefined,
    extensions,
  }
}

const offerOf = (raw: unknown): Offer | undefined => {
  if (typeof raw !== 'object' || raw === null) return undefined
  const { scheme, network, amount, asset, payTo, maxTimeoutSeconds, extra } = raw as Record<string, unknown>
  const chainId = typeof network === 'string' ? /^eip155:(\d{1,15})$/.exec(network)?.[1] : undefined
  const { name, version, assetTransferMethod } = (typeof extra === 'object' && extra !== null ? extra : {}) as Record<string, unknown>
  if (scheme !== 'exact' || chainId === undefined || !chainFacts(Number(chainId))) return undefined
  if (assetTransferMethod !== undefined && assetTransferMethod !== 'eip3009') return undefined
  if (typeof amount !== 'string' || !/^\d{1,78}$/.test(amount) || !isAddress(asset) || !isAddress(payTo)) return undefined
  if (typeof name !== 'string' || typeof version !== 'string' || typeof maxTimeoutSeconds !== 'number' || maxTimeoutSeconds < 10)
    return undefined
  return { chainId: Number(chainId), token: asset, payTo, amount: BigInt(amount), domain: { name, version }, maxTimeoutSeconds, raw }
}

/** Finds the offer's token in the order, which has its decimals. Returns undefined for a token that the order does not mention. */
export const fundsOfOffer = (
  { chainId, token, amount }: Pick<Offer, 'chainId' | 'token' | 'amount'>,
  order: OrderRead,
): Funds | undefined => {
  const known: readonly (CurrencyRead | undefined)[] = [
    order.payment?.input?.currency,
    order.fulfillment?.asset,
    ...(order.settlements ?? []).map(({ currency }) => currency),
    order.payment?.output?.currency,
  ]
  const currency = known.find((currency) => currency && sameCurrency(currency, { chain_id: chainId, address: token }))
  return currency && { raw: amount, currency }
}
