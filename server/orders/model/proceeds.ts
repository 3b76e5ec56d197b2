import { sameAsset } from './asset.ts'
import type { Order, Settlement, Transfer } from './order.ts'

const yields = ({ swap, state, txHash, token }: Settlement, transfer: Pick<Transfer, 'asset' | 'txHash'>): boolean =>
  swap !== undefined && state === 'confirmed' && txHash === transfer.txHash && sameAsset(token, transfer.asset)

/** What a conversion sends back to the deposit address is no payment, because the settlement that converted has booked it. */
export const isProceeds = ({ settlements }: Order, transfer: Pick<Transfer, 'asset' | 'txHash'>): boolean =>
  settlements.some((settlement) => yields(settlement, transfer))
