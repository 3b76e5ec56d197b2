import type { Sql, TransactionSql } from 'postgres'
import type { Call } from '../../chains/chain.ts'
import type { Report, SendRequest, SendOutcome } from '../../chains/sender.ts'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { keccak256, type Hex } from 'viem'
import type { Agreed } from '../second-node.ts'
import type { Fees } from './fees.ts'
import { transaction } from '../../database/transaction.ts'

/** A send is a row of the queue with every transaction that was signed for it. */
export interface Send extends Pick<SendRequest, 'id' | 'chainId' | 'purpose' | 'gasCap'> {
  readonly call: Call
  readonly state: 'queued' | 'signed' | 'broadcast' | 'mined' | 'confirmed' | 'refused'
  readonly slot: Slot | undefined
  readonly mined: Inclusion | undefined
  /** The attempts are sorted from oldest to newest, and include those at nonces that the send has given back. */
  readonly attempts: readonly Attempt[]
  /** Counts the failures since the last success. */
  readonly failures: number
  /** The send is postponed, and its time has not come yet. */
  readonly isBackingOff: boolean
  readonly lastProblem: string | undefined
  /** Nodes rejected the bytes at the present nonce this often since the last success. */
  readonly refusals: number
  /** Because of such rejections the send gave back this many nonces. */
  readonly slotsEmptied: number
  /** The simulation reverted, but may succeed once our transaction with this nonce is mined. */
  readonly waitsFor: number | undefined
}

export interface Slot {
  readonly operator: string
  readonly nonce: number
  /** The nonce was assigned at this head, so no block up to it can contain a transaction with that nonce. */
  readonly signedBlock: number
}

/** Returns the latest transaction that was signed at the send's present nonce. */
export const lastAttempt = ({ slot, attempts }: Send): Attempt | undefined => attempts.findLast(({ nonce }) => nonce === slot?.nonce)

export interface Inclusion {
  readonly txHash: string
  readonly block: number
  readonly blockHash: string
}

export interface Attempt {
  readonly txHash: string
  readonly nonce: number
  /** An empty transaction only uses up the nonce, so that later nonces can be mined. */
  readonly isEmpty: boolean
  readonly raw: string
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly ageMs: number
}

export interface Driver {
  readonly sql: Sql
  readonly chain: EvmChain
  readonly report: Report
  /** On a chain with several nodes, final receipts wait until two of them agree. */
  readonly agreed: Agreed | undefined
  /** Errors that are not a send's outcome are passed to this callback, which logs them. */
  readonly onProblem: (error: unknown) => void
  readonly maxInFlight: number
  /** The time of this process's last broadcast of each hash limits rebroadcasts. A new process knows none, so it broadcasts at once. */
  readonly broadcastAt: Map<string, number>
}

export async function sign(
  { chain }: Driver,
  { call }: Pick<Send, 'call'>,
  { nonce }: Pick<Slot, 'nonce'>,
  { gas, fees }: { readonly gas: bigint; readonly fees: Fees },
  signal: AbortSignal,
): Promise<Attempt> {
  const raw = await chain.signer.sign({ ...call, ...fees, chainId: chain.id, nonce, gas }, signal)
  return { txHash: keccak256(raw as Hex), nonce, isEmpty: false, raw, gas, ...fees, ageMs: 0 }
}

/** Marks an outcome and reports it in one transaction, so that neither happens without the other. */
export async function reportOutcome(
  { sql, report }: Driver,
  { id, chainId, purpose }: Send,
  outcome: SendOutcome,
  mark: (tx: TransactionSql) => Promise<boolean>,
): Promise<void> {
  await transaction(sql, async (tx) => {
    if (await mark(tx)) await report(tx, { id, chainId, purpose }, outcome)
  })
}
