import type { Sql, TransactionSql } from 'postgres'
import type { Call } from '../../chains/chain.ts'
import type { Report, SendRequest, SendOutcome } from '../../chains/sender.ts'
import type { EvmChain } from '../../chains/evm/create-evm-chain.ts'
import { keccak256, type Hex } from 'viem'
import type { Fees } from './fees.ts'
import { transaction } from '../../database/transaction.ts'

/** A row of the queue with every transaction that was signed for it. */
export interface Send extends Pick<SendRequest, 'id' | 'chainId' | 'purpose' | 'gasCap'> {
  readonly call: Call
  readonly state: 'queued' | 'signed' | 'broadcast' | 'mined' | 'confirmed' | 'refused'
  readonly slot: Slot | undefined
  readonly mined: Inclusion | undefined
  /** Oldest first, including those of nonces that it has given back. */
  readonly attempts: readonly Attempt[]
  /** Consecutive failures, and whether it still waits after the last one. */
  readonly failures: number
  readonly isBackingOff: boolean
  readonly lastProblem: string | undefined
  /** How often nodes rejected the bytes at its present nonce; how many nonces it gave back because of that. */
  readonly refusals: number
  readonly slotsEmptied: number
  /** It reverted while our transaction with this nonce was not mined yet. */
  readonly waitsFor: number | undefined
}

export interface Slot {
  readonly operator: string
  readonly nonce: number
  /** The head when the nonce was assigned: before it nobody can have used that nonce. */
  readonly signedBlock: number
}

/** The latest transaction signed at its present nonce. */
export const lastAttempt = ({ slot, attempts }: Send): Attempt | undefined => attempts.findLast(({ nonce }) => nonce === slot?.nonce)

export interface Inclusion {
  readonly txHash: string
  readonly block: number
  readonly blockHash: string
}

export interface Attempt {
  readonly txHash: string
  readonly nonce: number
  /** It does nothing but use the nonce, so that those behind it can be mined. */
  readonly isEmpty: boolean
  readonly raw: string
  readonly gas: bigint
  readonly maxFeePerGas: bigint
  readonly maxPriorityFeePerGas: bigint
  readonly ageMs: number
}

/** What every step of one chain's queue works with. */
export interface Driver {
  readonly sql: Sql
  readonly chain: EvmChain
  readonly report: Report
  /** Called with problems that are no single send's outcome, for the log. */
  readonly onProblem: (error: unknown) => void
  readonly maxInFlight: number
  /** When this process last broadcast each hash: not again at every poll, but at once after a start. */
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
