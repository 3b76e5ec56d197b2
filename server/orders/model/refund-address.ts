import { type ChainId, chains } from '../../../src/wire/chain.ts'
import type { Fact } from './facts.ts'
import type { Order } from './order.ts'

/** An address that a payer gives for one chain. */
export interface GivenRefundAddress {
  readonly address: string
  readonly chainId: ChainId
  /** It has no contract there. An ordinary account is the same on all chains of its family. */
  readonly isPlain: boolean
}

/**
 * Returns the address to which money on this chain goes back. A contract that exists on one chain may belong to nobody on another, where the
 * money is held instead. Older orders record no chain, and could be paid on that of their default alone.
 */
export function refundAddressOn({ refundAddress, refundChainId, isRefundPlain, terms }: Order, chainId: ChainId): string | undefined {
  const given = refundChainId ?? terms.asset.chainId
  const isSameFamily = chains[given].family === chains[chainId].family
  return given === chainId || (isRefundPlain && isSameFamily) ? refundAddress : undefined
}

/** Anyone with the publishable key may set the refund address until money is seen. After that a change needs the merchant's signature. */
export function refundAddressFacts(order: Order, given: GivenRefundAddress | undefined, signed: boolean): readonly Fact[] | undefined {
  if (!given || isKnown(order, given)) return []
  const moneySeen = order.transfers.some((transfer) => transfer.state !== 'dropped')
  return moneySeen && !signed ? undefined : [{ type: 'refund_address_set', ...given, signed }]
}

/** An address that had seemed to be a contract, because its chain did not answer, is set again. */
const isKnown = (order: Order, { address, chainId, isPlain }: GivenRefundAddress): boolean =>
  address === refundAddressOn(order, chainId) && (!isPlain || order.isRefundPlain === true)
