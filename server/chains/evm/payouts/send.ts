import type { Sql, TransactionSql } from 'postgres'
import type { ChainId } from '../../../../src/wire/chain.ts'
import type { PayoutOutcome, Purpose, Report, Spent } from '../../payouts.ts'
import type { Call } from '../call.ts'
import type { UnsignedMove } from '../unsigned-move.ts'
import type { EvmNode } from '../evm-node.ts'
import type { Receipt } from '../receipt.ts'
import { keccak256, type Hex } from 'viem'
import type { Agreed } from '../../second-node.ts'
import type { Fees } from './fees.ts'
import { transaction } from '../../../database/transaction.ts'

/** A payout, or a call that a payer has authorised, becomes a send of this call. */
export interface SendRequest extends Call {
  readonly id: string
  readonly chainId: ChainId
  /** A call that needs more gas is refused before it gets a nonce. Without a cap the chain's own limit applies. */
  readonly gasCap?: bigint
  /** Lower numbers go first, regardless of age. The default is 0. */
  readonly priority?: number
  readonly purpose: Purpose
  /** The call moves money from the address of these terms. */
  readonly termsHash?: string
  /** The call is encoded once the guard has signed for this. */
  readonly move?: UnsignedMove
  readonly tenant?: string
  /** The call is a settlement, which may share a transaction with others of its tenant. */
  readonly mayShare?: boolean
}

/** A send is a row of the queue with every transaction that was signed for it. */
export interface Send extends Pick<SendRequest, 'id' | 'chainId' | 'purpose' | 'gasCap' | 'termsHash'> {
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
  readonly priority: number
  readonly tenant: string | undefined
  readonly mayShare: boolean
  /** Its share of a batch that has not paid it has cost this much. */
  readonly spentBefore: Spent
}

/** A batch is a send that stands for its members until its transaction is final. */
export const batchKind = 'batch'
export const isBatch = ({ purpose }: Pick<Send, 'purpose'>): boolean => purpose.kind === batchKind

/** Without the costs of a batch, a send that has failed before it was mined has cost nothing. */
export const spentInBatch = ({ spentBefore }: Send): { readonly spent?: Spent } => (spentBefore.gasUsed > 0n ? { spent: spentBefore } : {})

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
  readonly chain: EvmNode
  readonly report: Report
  /** On a chain with several nodes, final receipts wait until two of them agree. */
  readonly agreed: Agreed<Receipt> | undefined
  /** Errors that are not a send's outcome are passed to this callback, which logs them. */
  readonly onProblem: (error: unknown) => void
  /** Lets the queue go on before its next poll. */
  readonly wake: () => void
  /** The time of this process's last broadcast of each hash limits rebroadcasts. A new process knows none, so it broadcasts at once. */
  readonly broadcastAt: Map<string, number>
  /** At this block somebody else had used the guard's signature for a send, by its id. */
  readonly usedAt: Map<string, number>
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
  { id, chainId, purpose }: Pick<Send, 'id' | 'chainId' | 'purpose'>,
  outcome: PayoutOutcome,
  mark: (tx: TransactionSql) => Promise<boolean>,
): Promise<void> {
  await transaction(sql, async (tx) => {
    if (await mark(tx)) await report(tx, { id, chainId, purpose }, outcome)
  })
}
