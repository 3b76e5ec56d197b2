import type { Logger } from 'pino'
import type { ChainId } from '../../src/wire/chain.ts'
import type { Chain } from '../chains/chain.ts'
import type { Sender } from '../chains/sender.ts'
import type { Effects } from './effects.ts'
import type { Rules } from './model/commands.ts'
import type { Asset } from './model/asset.ts'
import type { Prices } from '../providers/prices.ts'
import type { CardDesk } from '../providers/card.ts'
import type { Swap } from '../providers/swap.ts'
import type { Sql } from '../database/connect.ts'

/** Everything that changes orders stands on: built once in main, handed to resources and jobs. */
export interface Engine {
  readonly sql: Sql
  readonly clock: () => number
  readonly chains: ReadonlyMap<ChainId, Chain>
  readonly sender: Sender
  readonly prices: Prices
  readonly swap: Swap
  /** Absent where nobody takes cards. */
  readonly card?: CardDesk
  readonly log: Logger
  readonly payUrl: string
  /** Policy, with today's costs of moving money. From memory: it is asked inside transactions. */
  readonly rules: Rules
  /** What its sender pays the network for a transfer of it now, in hundredths of a unit worth `unitUsd`, for display. From memory. */
  transferCents(asset: Asset, unitUsd: string): bigint | undefined
  /** The smallest sum of it that is worth settling, the same for a whole hour. From memory. */
  minimum(asset: Asset): bigint
  /** What operators may burn for one organisation on one chain in an hour, in units of gas: see gasBudget.ts. */
  readonly gasPerHour: bigint
  /** What facts oblige us to do, by subject. */
  readonly effects: readonly Effects[]
  /** Notifies every process that the log has grown. `record` calls it, after the commit. */
  ring(): void
}
