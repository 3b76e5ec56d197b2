import { nativeAddress } from '../../wire/chain-facts.ts'
import type { CurrencyRead, NetworkFee } from '../../wire/currency.ts'
import { fiatOf } from '../../wire/fiat.ts'
import { type Funds, sameCurrency } from '../../wire/funds.ts'
import { parseUnits } from '../../wire/money.ts'
import type { FlowPorts } from '../method.ts'
import type { Offer } from './offers.ts'
import { payableOn } from './payable-on.ts'

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

/** What nobody can price comes after everything else. */
const unknownCents = 10n ** 30n

export const isEnough = ({ due, balance, lacksCoin }: Holding): boolean => balance >= due.raw && !lacksCoin

/**
 * Asks the service once what the account could pay with, on all chains of the order together: it has nodes, and a wallet may have none. What is
 * enough comes first, then what is signed, since that costs no fee, and there what needs no change of the network. Otherwise the cheapest comes
 * first, and of those that cost the same the order's own network. Returns [] if the service does not answer, because the payment goes on
 * without this.
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
  try {
    const options = await api.holdings(order().id, account, chain_ids, signal)
    const coinless = new Set(
      options.flatMap(({ input: { currency, balance } }) => (isCoin(currency) && balance.raw === '0' ? currency.chain_id : [])),
    )
    const holdings = options.map(({ input: { amount, balance, currency }, network_fee: fee }): Holding => {
      const offer = offers.find(({ chainId, token }) => sameCurrency(currency, { chain_id: chainId, address: token }))
      return {
        due: { raw: offer?.amount ?? BigInt(amount.raw), currency },
        balance: BigInt(balance.raw),
        offer,
        // One network's fee must not be shown for another.
        fee: fee?.chain_id === currency.chain_id ? fee : undefined,
        lacksCoin: !offer && coinless.has(currency.chain_id),
      }
    })
    const rank = (holding: Holding): number =>
      (isEnough(holding) ? 4 : 0) + (holding.offer ? (holding.offer.chainId === currentChain ? 3 : 2) : 0)
    const centsOf = ({ due, offer, fee }: Holding): bigint =>
      parseUnits(fiatOf(order(), due, offer ? undefined : fee)?.decimal ?? '', 2) ?? unknownCents
    const chainAt = ({ due }: Holding): number => chain_ids.indexOf(due.currency.chain_id)
    return holdings.sort((a, b) => rank(b) - rank(a) || Number(centsOf(a) - centsOf(b)) || chainAt(a) - chainAt(b))
  } catch {
    return []
  }
}

const isCoin = ({ address }: CurrencyRead): boolean => !address || address === nativeAddress
