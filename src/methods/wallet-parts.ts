import type { MethodPart, RestPart } from './part.ts'
import { payBySignature } from './wallet/pay-by-signature.ts'
import { payByTransfer } from './wallet/pay-by-transfer.ts'
import { transferScreen } from './wallet/view/transfer-view.tsx'
import { walletScreen } from './wallet/view/wallet-view.tsx'

/** The build makes a piece of this file and its imports, so a page loads wallet code only when the payer chooses a wallet. */
export const methodPart: MethodPart = (start) => walletScreen(start(payBySignature))

export const restPart: RestPart = (start) => transferScreen(start(payByTransfer))
