import { type ChainId, chains } from '../../../src/wire/chain.ts'
import { accept, type Command, type Decision, refuse } from './commands.ts'
import type { Fact } from './facts.ts'
import { quoteInForce } from './funding.ts'
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

/** The merchant gets a mail about each. */
const maxProposed = 5

/** Money of this order may have to go back on these chains, first on that of the payment. */
export const chainsToReturnOn = (order: Order): readonly ChainId[] => [
  quoteInForce(order).source.chainId,
  ...order.transfers.filter(({ state }) => state !== 'dropped').map(({ asset }) => asset.chainId),
]

/** Once money has been seen, the key can only propose an address, and only while there is none. */
export function giveRefundAddress(order: Order, { refundAddress, signed }: Extract<Command, { type: 'give_refund_address' }>): Decision {
  if (order.instructedAt === undefined && order.transfers.length === 0)
    return refuse('not_payable', 'Nothing has been asked for yet. Say in which currency the order will be paid, too.')
  const { address, chainId } = refundAddress
  const set = refundAddressFacts(order, refundAddress, signed)
  if (set) return accept(set)
  if (refundAddressOn(order, chainId) !== undefined) return refuse('refund_address_fixed', fixedMessage)
  const proposed = order.proposedAddresses ?? []
  if (proposed.some((other) => other.address === address && other.chainId === chainId)) return accept([])
  if (proposed.length >= maxProposed)
    return refuse('refund_address_fixed', `${maxProposed} addresses were proposed for this order. Only the merchant can decide now.`)
  return accept([{ type: 'refund_address_proposed', address, chainId }])
}

export const fixedMessage = 'The refund address can be changed only by the merchant once a payment has been seen.'

/** An address that had seemed to be a contract, because its chain did not answer, is set again. */
const isKnown = (order: Order, { address, chainId, isPlain }: GivenRefundAddress): boolean =>
  address === refundAddressOn(order, chainId) && (!isPlain || order.isRefundPlain === true)
