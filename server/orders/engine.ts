import type { Logger } from 'pino'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Chain } from '../chains/chain.ts'
import type { Guard } from '../chains/guard.ts'
import type { Organization } from '../organizations/organizations.ts'
import type { Command, Policy } from './model/commands.ts'
import type { Fact } from './model/facts.ts'
import type { Order, Terms } from './model/order.ts'
import type { Asset } from './model/asset.ts'
import type { Prices } from '../providers/prices.ts'
import type { CardProvider } from '../providers/card.ts'
import type { Swap } from '../chains/swap.ts'
import type { Sql, Tx } from '../database/connect.ts'

/** Everything that changes orders depends on this. server/compose/core.ts builds it once and passes it to routes and jobs. */
export interface Engine {
  readonly sql: Sql
  readonly clock: () => number
  readonly chains: ReadonlyMap<ChainId, Chain>
  readonly prices: Prices
  readonly swap: Swap
  /** This is absent when no card provider is configured. */
  readonly card?: CardProvider
  readonly log: Logger
  readonly payUrl: string
  /** Live organisations see no test networks, and others see nothing else. In local mode all see every chain. */
  sees(isLive: boolean, chainId: ChainId): boolean
  /** The policy includes the present costs of moving money. It answers from memory, because it is read inside transactions. */
  readonly policy: Policy
  transferCents(asset: Asset, unitUsd: string): bigint | undefined
  coinCents(chainId: ChainId, raw: bigint, unitUsd: string): bigint | undefined
  minimum(asset: Asset): bigint
  /** Returns what a settlement has to keep for its own fee (see Costs). */
  plannedFee(asset: Pick<Asset, 'chainId'>): bigint
  /** This much gas an hour is the budget of one organisation on one chain, for unsigned orders and wallet payments (see gas-budget.ts). */
  readonly gasPerHour: bigint
  /** Returns who signs for an organisation's refunds and conversions. Conversions are quoted only if it is a machine. */
  guardOf(organization: Pick<Organization, 'guard'>): Pick<Guard, 'address' | 'isMachine'> | undefined
  /** The money of an order may be released to its recipients this long after its creation. */
  readonly releaseAfterDays: number
  readonly effects: readonly Effects[]
  /** Notifies every process that the event log has grown. `record` calls it after the commit. */
  notifyLog(): void
}

export type FactOf<Type extends Fact['type']> = Extract<Fact, { type: Type }>

/** An effect works in the transaction of the change, and `record` sends commands to other orders within that transaction. */
export interface Change {
  readonly engine: Engine
  readonly tx: Tx
  record(order: Order | string, command: Command): Promise<unknown>
}

/** An effect is work beyond changing the order, such as enqueuing a send, that must commit together with the fact. */
export interface Effect<Type extends Fact['type']> {
  /** Returns whether the effect has work to do for an order with these terms, which never change. Without this function it always has. */
  concerns?(terms: Terms, fact: FactOf<Type>): boolean
  perform(change: Change, order: Order, fact: FactOf<Type>): Promise<void>
}

export type Effects = { readonly [Type in Fact['type']]?: Effect<Type> }
