import { chains } from '../../../src/wire/chain.ts'
import { nativeAddress } from '../../../src/wire/chain-facts.ts'
import { codecs } from '../../../src/wire/addresses/codecs.ts'
import type { OrderTerms, TermsSettlement } from '../../../src/wire/terms/order-terms.ts'
import { termsAddress } from '../../../src/wire/terms/terms-hash.ts'
import type { Deposit, DepositAddresses, DepositAsk, DepositDestination } from '../chain.ts'

/** An order's address follows from its terms, so it is the same on every EVM chain and nothing has to be stored. */
export const evmDeposits = (factory: string): DepositAddresses => ({ reserve: async (_, ask) => depositOf(factory, ask) })

const { show } = codecs.evm.addressesOn('main')

export function depositOf(factory: string, { orderId, destinations, guard, releaseAt }: DepositAsk): Required<Deposit> {
  const ours = destinations.filter(({ chainId }) => chains[chainId].family === 'evm')
  const [first] = ours
  if (!first) throw new Error(`order ${orderId} settles on no EVM chain`)
  const terms: OrderTerms = {
    version: 1,
    order_id: orderId,
    factory: show(factory),
    settlements: ours.map((destination, i) => settlementOf(destination, isFirst(ours, i))).toSorted(byChainAndToken),
    default_recipient: show(first.recipient),
    guard: show(guard ?? nativeAddress),
    release_at: releaseAt,
  }
  return { address: termsAddress(terms), terms }
}

const isFirst = (all: readonly DepositDestination[], at: number): boolean =>
  all.findIndex(({ chainId }) => chainId === all[at]!.chainId) === at

const settlementOf = (
  { chainId, token, recipient, feeCollector, maxFeeBps, maxFeeFlat }: DepositDestination,
  firstOfChain: boolean,
): TermsSettlement => ({
  chain_id: chainId,
  token: token === null ? null : show(token),
  recipient: show(recipient),
  fee_collector: show(feeCollector),
  max_fee_bps: maxFeeBps,
  max_fee_flat: maxFeeFlat.toString(),
  first_of_chain: firstOfChain,
})

/** The native coin comes first, as the zero address would. */
function byChainAndToken(a: TermsSettlement, b: TermsSettlement): number {
  const [tokenA, tokenB] = [a.token?.toLowerCase() ?? '', b.token?.toLowerCase() ?? '']
  return a.chain_id - b.chain_id || (tokenA < tokenB ? -1 : tokenA > tokenB ? 1 : 0)
}
