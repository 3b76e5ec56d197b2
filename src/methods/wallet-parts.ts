import type { MethodPart, RestPart } from './part.ts'
import { payBySignature } from './wallet/pay-by-signature.ts'
import { payByTransfer } from './wallet/pay-by-transfer.ts'
import { transferScreen } from './wallet/view/transfer-view.tsx'
import { walletScreen } from './wallet/view/wallet-view.tsx'

/** The build bundles this file and its imports separately, so a page loads wallet code only when the payer wants to use a wallet. */
export const methodPart: MethodPart = (start) => walletScreen(start(payBySignature))

export const restPart: RestPart = (start) => transferScreen(start(payByTransfer))
