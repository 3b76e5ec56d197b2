import type { Block } from '../blocks/block.ts'

/**
 * How the family reads its chain, from a node of one's own (JSON-RPC) or from an Esplora server. Its answers are trusted no more than
 * necessary: blocks are hashed, and transactions in them are checked against the block's header. Every method rejects with ChainUnavailable when
 * nobody answers. Hashes are hex as people write them, and transactions are in the form in which they are relayed.
 */
export interface BitcoinSource {
  /** Its address without credentials, for messages. */
  readonly name: string
  /** Rejects with ChainMisconfigured unless the source is on this chain. */
  check(signal: AbortSignal): Promise<void>
  head(signal: AbortSignal): Promise<Block>
  /** Reads the block of the best chain at this height, or undefined above its head. */
  block(height: number, signal: AbortSignal): Promise<Block | undefined>
  rawBlock(hash: string, signal: AbortSignal): Promise<Uint8Array>
  /** Lists the transactions that wait for a block. */
  waiting(signal: AbortSignal): Promise<ReadonlySet<string>>
  /** Reads transactions that wait, and leaves out those that do not wait any more. */
  transactions(txids: readonly string[], signal: AbortSignal): Promise<ReadonlyMap<string, Uint8Array>>
  /** Returns which waiting transaction spends each of these outputs, if any. */
  spenders(outpoints: readonly string[], signal: AbortSignal): Promise<readonly (string | undefined)[]>
  /** Finds a transaction that waits or is in a block, as far as the source can. A pruned node finds only what still has an unspent output. */
  find(txid: string, signal: AbortSignal): Promise<FoundTransaction | undefined>
  /** Returns undefined if the source took the transaction or knows it already, and otherwise why it refuses it. */
  broadcast(raw: Uint8Array, signal: AbortSignal): Promise<Refused | undefined>
  /** In satoshis for a thousand virtual bytes: what gets a transaction into one of the next blocks, and the least that is relayed. */
  feeRates(signal: AbortSignal): Promise<{ readonly usual: bigint | undefined; readonly least: bigint }>
  /** Returns what unspent outputs an address has in blocks. It is absent where the source has no index of addresses. */
  readonly balance?: (address: string, signal: AbortSignal) => Promise<bigint>
}

export interface FoundTransaction {
  readonly raw: Uint8Array
  /** It is absent while the transaction waits for a block. */
  readonly at?: { readonly height: number; readonly hash: string }
}

export interface Refused {
  readonly why:
    /** It spends what does not exist or is spent already. */
    | 'missing_inputs'
    /** It pays less than the node relays, or too little to replace another. */
    | 'fee_too_low'
    | 'other'
  readonly message: string
}
