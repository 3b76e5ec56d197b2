import type { OrderRead } from '../wire/order-read.ts'
import { transfersOf, type Transfer } from './transfers.ts'

/** Returns the transfers in another token or on another network than was asked for, except those that went back. */
export const misdirectedOf = (order: OrderRead): readonly Transfer[] =>
  transfersOf(order).filter((transfer) => transfer.misdirected !== undefined && transfer.state !== 'back')
