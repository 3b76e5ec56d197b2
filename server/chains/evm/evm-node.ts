import type { ChainId } from '../../../src/wire/chain.ts'
import type { Guard } from '../guard.ts'
import type { CompareNodes } from '../second-node.ts'
import type { EvmConfig } from './evm-config.ts'
import type { Receipt } from './receipt.ts'
import type { Rpc } from './rpc.ts'
import type { Signer } from './signer.ts'

/** Whatever writes to the chain, or asks it about a single transaction, needs no more than this. */
export interface EvmNode {
  readonly id: ChainId
  /** A transaction is final after this many blocks, including its own. */
  readonly confirmations: number
  readonly config: EvmConfig
  readonly rpc: Rpc
  readonly signer: Signer
  /** Signs for what the terms of an order do not allow. Without it, nothing of that is sent. */
  readonly guard?: Guard
  /** Asks two nodes about our mined receipts. It is absent with a single node. */
  readonly compareNodes?: CompareNodes<Receipt>
}
