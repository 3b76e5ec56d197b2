import { type Asset, sameAsset } from './asset.ts'
import type { Destination, Terms } from './order.ts'
import type { Quote } from './quote.ts'

type DefaultTerms = Pick<Terms, 'asset' | 'recipient' | 'feeCollector'>

/** An order from before several destinations were possible has its default destination alone. */
export const destinationsOf = ({ asset, recipient, feeCollector, destinations }: DefaultTerms & Pick<Terms, 'destinations'>) =>
  destinations ?? [{ asset, recipient, feeCollector }]

/** Nothing crosses chains: an asset settles as it is where that is possible, and else in the first destination of its own chain. */
export function destinationFor(destinations: readonly Destination[], source: Pick<Asset, 'chainId' | 'address'>): Destination | undefined {
  return destinations.find(({ asset }) => sameAsset(asset, source)) ?? destinations.find(({ asset }) => asset.chainId === source.chainId)
}

/** Quotes from before several destinations were possible name no recipient, and settle to the default's. */
export const payeesOf = ({ recipient, feeCollector }: DefaultTerms, quote: Pick<Quote, 'recipient' | 'feeCollector'>) => ({
  recipient: quote.recipient ?? recipient,
  feeCollector: quote.feeCollector ?? feeCollector,
})

/** The gas of a refund goes to the fee collector of the chain that sends it. */
export const feeCollectorOn = (terms: Terms, chainId: number): string =>
  destinationsOf(terms).find(({ asset }) => asset.chainId === chainId)?.feeCollector ?? terms.feeCollector
