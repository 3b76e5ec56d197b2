import type { ChainId } from '../../src/wire/chain.ts'
import type { FiatCurrency } from '../../src/wire/currency.ts'

/**
 * Every kind of chain implements this contract, and one suite (test/contracts/chain.ts) tests each implementation.
 *
 * Addresses are in the chain's canonical form (EVM: lower case). Native coin is `null`. Amounts are bigint in smallest units.
 * Every method that reads the chain takes an AbortSignal and rejects with ChainUnavailable when the node does not answer.
 * No method retries a request that the node failed to answer, because the caller decides how to back off.
 */
export interface Chain {
  readonly id: ChainId
  readonly confirmations: number
  readonly tokens: readonly Token[]

  /** Derives an order's deposit address from its id and our factory's address, offline. It is the same on every EVM chain. */
  depositAddress(orderId: string): string

  /** Returns the address in display form, whose checksum lets a wallet detect a mistyped character. */
  displayAddress(address: string): string

  head(signal: AbortSignal): Promise<Block>
  /** Reads the present canonical block of that number, or undefined past the head. */
  block(number: number, signal: AbortSignal): Promise<Block | undefined>
  /** Finds transfers of configured tokens and native coin in [from, to]. Without `filterOurs` a busy block costs hundreds of receipts. */
  scan(from: number, to: number, signal: AbortSignal, filterOurs?: FilterOurs): Promise<Scan>
  /** Returns undefined if the transaction is not mined. Coin that a contract forwards is not found, since it shows only in balances. */
  transaction(hash: string, signal: AbortSignal): Promise<Scan | undefined>
  balances(addresses: readonly string[], token: string | null, block: number, signal: AbortSignal): Promise<bigint[]>
  /** Reads the present balance of every configured token, and leaves out tokens whose contract does not answer. */
  holdings(address: string, signal: AbortSignal): Promise<Holding[]>

  /** Returns the seconds between two blocks, as far as the blocks that were read lately show them. It does not read the chain. */
  blockSeconds(): number

  gasPrice(signal: AbortSignal): Promise<bigint>

  /** Encodes the call that pays from a deposit address, and first converts if `swap` is set. It does not read the chain. */
  settlement(request: SettlementCall): Call
  /** Reads from the receipt's logs whether each leg of a mined settlement was paid. */
  settlementResult(receipt: Receipt): SettlementResult

  /** Asks two nodes about our mined receipts. It is absent with a single node, and rejects (ChainUnavailable) only if no node answers. */
  readonly compareNodes?: (receipts: readonly Receipt[], signal: AbortSignal) => Promise<NodeComparison>

  explorerTx(hash: string): string
}

export function chainOf<C extends Pick<Chain, 'id'>>(chains: Iterable<C>, id: number): C {
  for (const chain of chains) if (chain.id === id) return chain
  throw new Error(`chain ${id} is not configured`)
}

export const finalBlock = ({ confirmations }: Pick<Chain, 'confirmations'>, head: number): number => head - confirmations + 1

export interface Token {
  readonly chainId: ChainId
  readonly address: string | null
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** A token with this EIP-712 domain supports EIP-3009, so x402 can offer it. */
  readonly eip3009?: { readonly name: string; readonly version: string }
  /** One token is meant to be worth one of this fiat unit. A price in that unit stays fixed while the market price is close to it. */
  readonly peg?: FiatCurrency
  /** The price provider knows the token by this id. */
  readonly priceId: string
}

export interface Holding {
  readonly token: Token
  readonly amount: bigint
}

export interface Block {
  readonly number: number
  readonly hash: string
  readonly parentHash: string
  /** The chain's clock counts Unix seconds, and may differ from ours. */
  readonly timestamp: number
}

export interface Scan {
  readonly blocks: readonly Block[]
  readonly transfers: readonly ChainTransfer[]
}

export type FilterOurs = (addresses: readonly string[]) => Promise<ReadonlySet<string>>

export interface ChainTransfer {
  readonly chainId: ChainId
  readonly txHash: string
  /** The index counts the logs of the block. Native coin has no log, so its index is -1. */
  readonly logIndex: number
  readonly token: string | null
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly block: number
  readonly blockHash: string
  readonly timestamp: number
}

/** A leg is one payment of a settlement. */
export interface Leg {
  readonly to: string
  readonly amount: bigint
}

export interface SettlementCall {
  readonly orderId: string
  readonly token: string | null
  readonly legs: readonly Leg[]
  /** Before it pays the legs, the call converts `amountIn` of `tokenIn`. It reverts unless that yields at least `minOut` of `token`. */
  readonly swap?: {
    readonly tokenIn: string | null
    readonly amountIn: bigint
    readonly minOut: bigint
    readonly router: string
    readonly data: string
  }
}

export interface SettlementResult {
  /** For each leg, in order, this is true if its money moved. */
  readonly paid: readonly boolean[]
  /** If the call converted, this is the conversion's output. */
  readonly swapped?: bigint
}

/** A node that is behind does not know the receipt's block yet. One that differs has another block, or another outcome. */
export type NodeAnswer = 'agrees' | 'differs' | 'behind'

export interface NodeComparison {
  /** So many different nodes answered: one or two. */
  readonly nodes: number
  /** For each receipt, in order, this is what those nodes say together: they agree only if each of them does. */
  readonly answers: readonly NodeAnswer[]
}

export interface Call {
  readonly to: string
  readonly data: string
  readonly value: bigint
}

export interface Receipt {
  readonly txHash: string
  readonly block: number
  readonly blockHash: string
  readonly ok: boolean
  readonly gasUsed: bigint
  readonly gasPrice: bigint
  /** Some rollups also charge for publishing their data. The receipt then shows this fee apart from gas. */
  readonly extraFee?: bigint
  readonly logs: readonly {
    readonly address: string
    readonly topics: readonly string[]
    readonly data: string
    readonly logIndex: number
  }[]
}

export type ChainTrouble =
  /** The node does not respond, is too slow, or returns an error instead of data. */
  | 'chain_unavailable'
  /** Two answers contradict each other, because the chain was reorganised in between or the nodes behind one URL disagree. */
  | 'chain_inconsistent'

/** When a read of a chain fails with this error, nothing is known about the chain's state, and the caller retries later. */
export class ChainUnavailable extends Error {
  override readonly name = 'ChainUnavailable'

  constructor(
    readonly chainId: number,
    readonly code: ChainTrouble,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(`Chain ${chainId}: ${message}`, options)
  }
}
