import { nativeAddress } from '../../wire/chain-facts.ts'
import type { CurrencyRead, NetworkFee } from '../../wire/currency.ts'
import { type Funds, sameCurrency } from '../../wire/funds.ts'
import type { FlowPorts } from '../method.ts'
import type { Offer } from './offers.ts'
import { payableOn } from './payable-on.ts'
import { isRecord, readFunds } from './read-funds.ts'

/** What an account has of a currency, and what the order would cost in it. */
export interface Holding {
  readonly due: Funds
  readonly balance: bigint
  /** The payer signs this, and pays no network fee. Without it the wallet sends a transfer. */
  readonly offer: Offer | undefined
  /** The network's fee for a transfer, in fiat. */
  readonly fee: NetworkFee | undefined
  /** A transfer needs the chain's coin for the network fee, and the account has none. */
  readonly lacksCoin: boolean
}

export const isEnough = ({ due, balance, lacksCoin }: Holding): boolean => balance >= due.raw && !lacksCoin

/**
 * Asks the service once what the account could pay with, on all chains of the order together: it has nodes, and a wallet may have none. What is
 * enough comes first, then what is signed, since that costs no fee, and there what needs no change of the network. Returns [] if the service
 * does not answer, because the payment goes on without this.
 */
export const readHoldings = async (
  { api, order }: Pick<FlowPorts, 'api' | 'order'>,
  account: string,
  offers: readonly Offer[],
  currentChain: number | undefined,
  signal: AbortSignal,
): Promise<readonly Holding[]> => {
  const chain_ids = [...new Set(payableOn(order(), 'evm').map(({ chain_id }) => chain_id))]
  if (chain_ids.length === 0) return []
  const filter = { wallet: { address: account, chain_type: 'EVM', chain_ids }, limit: mostHoldings }
  try {
    const headers = { 'X-API-KEY': api.key, 'Content-Type': 'application/json' }
    const response = await api.post(`/orders/${encodeURIComponent(order().id)}/quotes`, headers, signal, { filter })
    const answer: unknown = response.ok ? await response.json() : undefined
    const options =
      isRecord(answer) && Array.isArray(answer.options) ? answer.options.flatMap((option: unknown) => readOption(option) ?? []) : []
    const coinless = new Set(
      options.flatMap(({ due: { currency }, balance }) => (isCoin(currency) && balance === 0n ? currency.chain_id : [])),
    )
    const holdings = options.map((option): Holding => {
      const { currency, raw } = option.due
      const offer = offers.find(({ chainId, token }) => sameCurrency(currency, { chain_id: chainId, address: token }))
      return { ...option, due: { raw: offer?.amount ?? raw, currency }, offer, lacksCoin: !offer && coinless.has(currency.chain_id) }
    })
    const rank = (holding: Holding): number =>
      (isEnough(holding) ? 4 : 0) + (holding.offer ? (holding.offer.chainId === currentChain ? 3 : 2) : 0)
    return holdings.sort((a, b) => rank(b) - rank(a))
  } catch {
    return []
  }
}

/** The service returns at most this many. */
const mostHoldings = 50

const isCoin = ({ address }: CurrencyRead): boolean => !address || address === nativeAddress

const readOption = (option: unknown): Pick<Holding, 'due' | 'balance' | 'fee'> | undefined => {
  if (!isRecord(option) || !isRecord(option.input)) return undefined
  const { amount, balance, currency } = option.input
  const [due, held] = [isRecord(amount) ? amount.raw : undefined, isRecord(balance) ? balance.raw : undefined].map((raw) =>
    readFunds(raw, currency),
  )
  return due && held && { due, balance: held.raw, fee: readFee(option.network_fee, due.currency.chain_id) }
}

/** One network's fee must not be shown for another. */
const readFee = (fee: unknown, chainId: number): NetworkFee | undefined =>
  isRecord(fee) && typeof fee.amount === 'number' && typeof fee.unit === 'string' && fee.chain_id === chainId
    ? { amount: fee.amount, unit: fee.unit, chain_id: chainId }
    : undefined
