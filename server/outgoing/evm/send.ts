import type { Sql } from 'postgres'
import type { Call } from '../../chains/chain.ts'
import type { Report, SendRequest } from '../../chains/sender.ts'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'

/** One row of the queue with every transaction that was signed for it. */
export interface Send extends Pick<SendRequest, 'id' | 'chainId' | 'purpose' | 'gasCap'> {
  readonly call: Call
  readonly state: 'queued' | 'signed' | 'broadcast' | 'mined' | 'confirmed' | 'refused'
  readonly slot: Slot | undefined
  readonly mined: Place | undefined
  /** Oldest first, also those of slots that it has given back. */
  readonly attempts: readonly Attempt[]
  /** Failures in a row, and whether it still waits after the last. */
  readonly failures: number
  readonly isBackingOff: boolean
  /** The last thing that stood in its way. */
  readonly problem: string | undefined
  /** How often nodes refused the bytes of this slot; how many slots it gave back because of that. */
  readonly refusals: number
  readonly slotsEmptied: number
  /** It reverted while this nonce of ours was not mined yet. */
  readonly waitsFor: number | undefined
}

export interface Slot {
  readonly operator: string
  readonly nonce: number
  /** The head when the slot was taken: before it nobody can have used the number. */
  readonly signedBlock: number
}

/** The newest bytes of the slot that it has now. */
export const lastAttempt = ({ slot, attempts }: Send): Attempt | undefined => attempts.findLast(({ nonce }) => nonce === slot?.nonce)

export interface Place {
  readonly txHash: string
  readonly block: number
  readonly blockHash: string
}

export interface Attempt {
  readonly txHash: string
  readonly nonce: number
  /** It does nothing but take the nonce, so that those behind it can be mined. */
  readonly isEmpty: boolean
  readonly raw: string
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly ageMs: number
}

/** What the steps of one chain's driver work with. */
export interface Driver {
  readonly sql: Sql
  readonly chain: EvmChain
  readonly report: Report
  /** What goes wrong beside a single send's fate: for the log. */
  readonly problem: (error: unknown) => void
  readonly maxInFlight: number
  /** When each hash was last given to the node by this process: not at every look again, and at once after a start. */
  readonly broadcastAt: Map<string, number>
}
