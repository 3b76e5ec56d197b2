import type { ChainId } from '../../src/wire/chain.ts'
import type { FiatCurrency } from '../../src/wire/currency.ts'

/**
 * What the service needs from a chain. One suite (test/contracts/chain.ts) holds every implementation to it.
 *
 * Addresses are in the chain's canonical form (EVM: lower case). Native coin is `null`. Amounts are bigint in smallest units.
 * Every method that reaches out takes an AbortSignal and rejects with ChainUnavailable when the node does not answer;
 * nothing is retried inside: the caller owns back-off.
 */
export interface Chain {
  readonly id: ChainId
  readonly confirmations: number
  readonly tokens: readonly Token[]

  /** The address of an order: pure, the same on every EVM chain, derived from the order's id alone. */
  depositAddress(orderId: string): string

  /** The address as people should read it: its checksum lets a wallet catch a slip. */
  shown(address: string): string

  head(signal: AbortSignal): Promise<Block>
  /** The block of that number on the canonical chain now; undefined past the head. */
  block(number: number, signal: AbortSignal): Promise<Block | undefined>
  /**
   * Everything in [from, to]: one read of logs for all tokens, native coin from the blocks' transactions. `watched` narrows it to the
   * addresses that matter before single transactions are read; without it a busy block costs hundreds of reads.
   */
  scan(from: number, to: number, signal: AbortSignal, watched?: Watched): Promise<Scan>
  /**
   * Every transfer of one transaction that leaves a trace: configured tokens, and the native coin that it carries itself. Coin that a
   * contract forwards shows in balances only. Undefined if it is not mined.
   */
  transaction(hash: string, signal: AbortSignal): Promise<Scan | undefined>
  /** Balances at a block; `token` null asks for native coin. */
  balances(addresses: readonly string[], token: string | null, block: number, signal: AbortSignal): Promise<bigint[]>
  /** The present balance of every configured token that answers. */
  holdings(address: string, signal: AbortSignal): Promise<Holding[]>

  /** The present price of a unit of gas, in native coin. */
  gasPrice(signal: AbortSignal): Promise<bigint>

  /** The call that empties a deposit address into legs (and converts first, when asked). Pure encoding. */
  settlement(request: SettlementCall): Call
  /** What a mined settlement did, leg by leg, read from the receipt's logs. */
  settlementResult(receipt: Receipt): SettlementResult

  explorerTx(hash: string): string
}

export interface Token {
  readonly chainId: ChainId
  readonly address: string | null
  readonly symbol: string
  readonly name: string
  readonly decimals: number
  /** EIP-712 domain of an EIP-3009 token: x402 can offer it. */
  readonly eip3009?: { readonly name: string; readonly version: string }
  /** The fiat unit that one of it stands for; a price in that unit does not move while the market keeps it near. */
  readonly peg?: FiatCurrency
  /** The id by which the price provider knows it. */
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
  /** Unix seconds, the chain's clock. */
  readonly timestamp: number
}

export interface Scan {
  readonly blocks: readonly Block[]
  readonly transfers: readonly ChainTransfer[]
}

/** Filters addresses to those that are ours. */
export type Watched = (addresses: readonly string[]) => Promise<ReadonlySet<string>>

export interface ChainTransfer {
  readonly chainId: ChainId
  readonly txHash: string
  /** Index of the log in its block; -1 for native coin. */
  readonly logIndex: number
  readonly token: string | null
  readonly from: string
  readonly to: string
  readonly amount: bigint
  readonly block: number
  readonly blockHash: string
  readonly timestamp: number
}

export interface Leg {
  readonly to: string
  readonly amount: bigint
}

export interface SettlementCall {
  readonly orderId: string
  readonly token: string | null
  readonly legs: readonly Leg[]
  /** Convert before paying the legs: `amountIn` of `tokenIn` through an allow-listed router, at least `minOut` of `token` or nothing happens. */
  readonly swap?: {
    readonly tokenIn: string | null
    readonly amountIn: bigint
    readonly minOut: bigint
    readonly router: string
    readonly data: string
  }
}

export interface SettlementResult {
  /** One per leg, in order: whether the money moved. */
  readonly paid: readonly boolean[]
  /** The output of the conversion, if there was one. */
  readonly swapped?: bigint
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
  /** What the chain charged beside gas (publishing a rollup's data), where the receipt says so. */
  readonly extraFee?: bigint
  readonly logs: readonly {
    readonly address: string
    readonly topics: readonly string[]
    readonly data: string
    readonly logIndex: number
  }[]
}
