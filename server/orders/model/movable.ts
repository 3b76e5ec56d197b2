import { type ChainId, chains, nativeAddress } from '../../../src/wire/chain-facts.ts'
import type { Order } from './order.ts'

/** On these chains a contract holds a deposit address to the terms of its order. */
export const isBound = (chainId: ChainId): boolean => chains[chainId].family === 'evm'

/** Where the terms bind an address, its money moves only by them. Orders of releases before 3.8 have none, and their money stays. */
export const isMovable = ({ depositTerms }: Pick<Order, 'depositTerms'>, chainId: ChainId): boolean =>
  !isBound(chainId) || depositTerms !== undefined

/** Where the terms bind an address, money is refunded or converted only if their guard signs for it. */
export const isRefundable = ({ depositTerms }: Pick<Order, 'depositTerms'>, chainId: ChainId): boolean =>
  !isBound(chainId) || (depositTerms !== undefined && depositTerms.guard !== nativeAddress)
