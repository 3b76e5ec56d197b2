import type { ChainFamily } from '../../../src/wire/chain-facts.ts'
import type { Order } from '../../../src/wire/order.ts'
import type { Token } from '../../../server/chains/chain.ts'

/** What payers, miners and thieves do on a local chain. Each family has its own implementation, and scenarios know only this. */
export interface Network {
  readonly chainId: number
  readonly family: ChainFamily
  readonly tokens: readonly Token[]
  mine(blocks: number): Promise<void>
  /** Creates a payer with this money. Each is new, so that payments which run side by side do not depend on each other. */
  payerWith(money: Money): Promise<Payer>
  /** The network mines only on request while `run` lasts. */
  byHand<T>(run: (blocks: Blocks) => Promise<T>): Promise<T>
  /** The coin costs about 5 % less while `run` lasts. */
  withLowerPrice(run: () => Promise<void>): Promise<void>
  /** Returns somebody with the operator's key, who wants this part of the order's money. It is absent where nothing would stop them. */
  readonly thiefOf?: (order: Order, money: Money) => Thief
}

export interface Money {
  readonly chainId: number
  /** Null means the native coin. */
  readonly token: string | null
  readonly raw: bigint
}

export interface Payer {
  readonly address: string
  /** Sends the money, and resolves with the transaction's hash once the network has accepted it, before it is mined. */
  send(to: string): Promise<string>
  /** Replaces the transaction by one that pays a higher fee, and this address instead. It is absent where a waiting transaction stays. */
  readonly replace?: (to: string) => Promise<string>
}

export interface Blocks {
  mine(): Promise<void>
  /** Replaces the newest block by one without this transaction, as a reorganisation does. Its other transactions stay. */
  removeTransaction(hash: string): Promise<void>
  /** Lets the removed transaction into the next block again. */
  rebroadcast(): Promise<void>
  /** A removed transaction waits for a block again at once, as those of most networks do, instead of being forgotten. */
  readonly keepsRemoved: boolean
}

/** Somebody has copied the key that settles, and tries what it can do. */
export interface Thief {
  /** Tries to send the money to an address of the thief's own, by every call that the key may make, and returns how many were refused. */
  tryToTake(): Promise<number>
  /** Settles this much early, which the key may do: it goes to the merchant. */
  settleEarly(): Promise<string>
}
