import type { Sql, TransactionSql } from 'postgres'
import type { AddressCodec } from '../../src/wire/addresses/codec.ts'
import type { ChainId } from '../../src/wire/chain.ts'
import type { FiatCurrency } from '../../src/wire/currency.ts'
import type { OrderTerms } from '../../src/wire/terms/order-terms.ts'
import type { Feed, NativeBalances } from './feed.ts'
import type { Moves } from './moves.ts'
import type { Payouts } from './payouts.ts'
import type { PriceFeeds } from './price-feeds.ts'
import type { Swap } from './swap.ts'
import type { WalletPayments } from './wallet-payments.ts'
import type { X402Scheme } from './x402.ts'

/**
 * Every family of chains implements this contract, and suites in test/contracts test each implementation.
 *
 * Addresses are in the chain's canonical form (EVM: lower case). Native coin is `null`. Amounts are bigint in smallest units.
 * Every method that reads the chain takes an AbortSignal and rejects with ChainUnavailable when the node does not answer.
 * No method retries a request that the node failed to answer, because the caller decides how to back off.
 */
export interface Chain {
  readonly id: ChainId
  readonly tokens: readonly Token[]

  readonly addresses: AddressCodec
  readonly deposits: DepositAddresses

  readonly feed: Feed
  /** This is absent where every payment shows as a transfer. */
  readonly nativeBalances?: NativeBalances
  /**
   * Reads the present balance of these or of all configured tokens, and leaves out tokens whose contract does not answer. It is absent where
   * the nodes know no balances of addresses.
   */
  readonly holdings?: (address: string, signal: AbortSignal, tokens?: readonly Token[]) => Promise<Holding[]>

  /** How money leaves the chain. */
  readonly payouts: Payouts
  /** How it leaves without the service. This is absent where only the service can move it. */
  readonly moves?: Moves

  /** Reads what the chain charges now, as a whole number that only its own `cost` interprets: the price of gas, or of a virtual byte. */
  feeRate(signal: AbortSignal): Promise<bigint>
  /** Returns what moving money costs at this fee rate, in the native coin's smallest units. It does not read the chain. */
  cost(what: CostOf, asset: ChainAsset, feeRate: bigint): bigint
  /** Returns the most that settling an order may use of what the chain meters, such as gas. Budgets are in that unit. */
  settlementGas(asset: ChainAsset): bigint
  /**
   * Returns what a settlement or refund of so many transfers keeps for its own fee, in the asset's smallest units, where transactions pay it from
   * the money that they move. Quotes plan for one transfer. While the fee rate is unknown, the operator's default counts. It is absent where the
   * operator's account pays.
   */
  readonly plannedFee?: (feeRate: bigint | undefined, transfers?: number) => bigint
  /** Returns the smallest amount that a leg to this address may have, in the asset's smallest units: dust or rent, where a chain has them. */
  leastLeg(asset: ChainAsset, to: string): bigint

  /** Returns whether a contract is at the address. It is absent where addresses have no code. */
  readonly hasCode?: (address: string, signal: AbortSignal) => Promise<boolean>

  /** Quotes conversions, where the chain has an exchange. */
  readonly swap?: Swap

  /** Reads the prices that are published on the chain, where there are any. */
  readonly priceFeeds?: PriceFeeds

  /** Builds what payers' wallets send, where they cannot be asked in plain words. */
  readonly walletPayments?: WalletPayments

  /** Payers may pay by a signature, where the chain has tokens that take one. */
  readonly x402?: X402Scheme
}

/** A chain that somebody has configured. */
export interface ConfiguredChain extends Chain {
  /** Rejects if the chain is not what the configuration says. A service does not start before it has resolved. */
  check(signal: AbortSignal): Promise<void>
}

export interface DepositAddresses {
  /**
   * Returns the canonical address at which this order takes money on every chain of the family, and the same one however often it is asked. A
   * family that cannot derive addresses takes one from its pool in the caller's transaction. Where a contract holds the address to the order's
   * terms, they are returned too, and every payout needs them.
   */
  reserve(sql: TransactionSql | Sql, ask: DepositAsk): Promise<Deposit>
  /** Makes what `reserve` will need, and is called again and again. Any process may. It is absent where addresses are derived. */
  readonly prepare?: (sql: Sql, signal: AbortSignal) => Promise<void>
}

export interface DepositAsk {
  readonly orderId: string
  /** The order may settle in these, in the merchant's order. Those of other families are left out. */
  readonly destinations: readonly [DepositDestination, ...DepositDestination[]]
  /** Signs for what the terms alone do not allow. */
  readonly guard?: string
  /** Unix seconds. */
  readonly releaseAt: number
}

export interface DepositDestination {
  readonly chainId: ChainId
  readonly token: string | null
  readonly recipient: string
  readonly feeCollector: string
  readonly maxFeeBps: number
  readonly maxFeeFlat: bigint
}

export interface Deposit {
  readonly address: string
  readonly terms?: OrderTerms
}

export function chainOf<C extends Pick<Chain, 'id'>>(chains: Iterable<C>, id: number): C {
  for (const chain of chains) if (chain.id === id) return chain
  throw new Error(`chain ${id} is not configured`)
}

export type CostOf =
  /** a whole settlement, which pays the recipient and the fee collector */
  | 'settle'
  /** a refund, which is a transaction of its own */
  | 'refund'
  /** the payer's own transfer from an ordinary wallet, which is only displayed */
  | 'receive'

/** `address` is null for the native coin. */
export type ChainAsset = Pick<Token, 'address'>

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
