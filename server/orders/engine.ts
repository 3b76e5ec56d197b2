import type { Logger } from 'pino'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Chain } from '../chains/chain.ts'
import type { Sender } from '../chains/sender.ts'
import type { Command, Policy } from './model/commands.ts'
import type { Fact } from './model/facts.ts'
import type { Order, Terms } from './model/order.ts'
import type { Asset } from './model/asset.ts'
import type { Prices } from '../providers/prices.ts'
import type { CardDesk } from '../providers/card.ts'
import type { Swap } from '../providers/swap.ts'
import type { Sql, Tx } from '../database/connect.ts'

/** What everything that changes orders depends on: built once in main, passed to routes and jobs. */
export interface Engine {
  readonly sql: Sql
  readonly clock: () => number
  readonly chains: ReadonlyMap<ChainId, Chain>
  readonly sender: Sender
  readonly prices: Prices
  readonly swap: Swap
  /** Absent where no card provider is configured. */
  readonly card?: CardDesk
  readonly log: Logger
  readonly payUrl: string
  /** Policy, with the present costs of moving money. Answers from memory: it is read inside transactions. */
  readonly policy: Policy
  /** The network fee of a transfer of this asset now, in hundredths of a unit worth `unitUsd`, for display. Answers from memory. */
  transferCents(asset: Asset, unitUsd: string): bigint | undefined
  /** The smallest amount of this asset that is worth settling; constant for a whole hour. Answers from memory. */
  minimum(asset: Asset): bigint
  /** The gas that operators may spend for one organisation on one chain in an hour: see gas-budget.ts. */
  readonly gasPerHour: bigint
  /** The effects of facts, by subject. */
  readonly effects: readonly Effects[]
  /** Notifies every process that the event log has grown. `record` calls it after the commit. */
  notifyLog(): void
}

export type FactOf<Type extends Fact['type']> = Extract<Fact, { type: Type }>

/** What an effect works with: the transaction of the change, and `record` for commands to other orders within it. */
export interface Change {
  readonly engine: Engine
  readonly tx: Tx
  record(order: Order | string, command: Command): Promise<unknown>
}

/** What must happen when a fact is recorded, beyond changing its order, in the same transaction. */
export interface Effect<Type extends Fact['type']> {
  /**
   * Whether it has anything to do for an order of these terms; always, if absent. Terms never change, so this can be asked before the
   * write.
   */
  concerns?(terms: Terms, fact: FactOf<Type>): boolean
  perform(change: Change, order: Order, fact: FactOf<Type>): Promise<void>
}

/** fact → effect. A fact that is not listed has none. */
export type Effects = { readonly [Type in Fact['type']]?: Effect<Type> }
