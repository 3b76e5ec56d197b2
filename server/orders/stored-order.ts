import { decodeJson, encodeJson } from '../database/json.ts'
import { withDeposits } from './model/deposits.ts'
import type { Order } from './model/order.ts'

/** During an upgrade the previous release runs beside this one and reads `depositAddress`. The release after this one can leave it out. */
export const encodeOrder = (order: Order): string => encodeJson({ ...order, depositAddress: order.deposits.evm })

export const decodeOrder = (state: unknown): Order => withDeposits(decodeJson<Order>(state))
