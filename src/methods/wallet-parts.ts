import type { MethodPart, RestPart } from './part.ts'
import { payBySignature } from './wallet/pay-by-signature.ts'
import { payByTransfer } from './wallet/pay-by-transfer.ts'
import { transferScreen } from './wallet/view/transfer-view.tsx'
import { walletScreen } from './wallet/view/wallet-view.tsx'

/** What the piece with wallets adds to the page. */
export const methodPart: MethodPart = (start) => walletScreen(start(payBySignature))

export const restPart: RestPart = (start) => transferScreen(start(payByTransfer))
