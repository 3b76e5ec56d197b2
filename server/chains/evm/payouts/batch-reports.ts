import type { TransactionSql } from 'postgres'
import { transaction } from '../../../database/transaction.ts'
import type { Spent } from '../../payouts.ts'
import { failedOrders, payoutResult } from '../factory-events.ts'
import type { Receipt } from '../receipt.ts'
import {
  markBatchFailed,
  markMemberAnnounced,
  markMemberConfirmed,
  markMemberLeft,
  markMemberMined,
  markMemberUnmined,
  type Member,
  membersOf,
  takeBack,
} from './batch-queue.ts'
import { markConfirmed, markMined, markReported, markUnmined } from './send-states.ts'
import { type Driver, type Inclusion, reportOutcome, type Send } from './send.ts'

/**
 * What becomes of a batch is reported for each member, in a transaction of its own, so that an order whose report fails holds up no other. The
 * batch's own row follows when all have succeeded, so whatever was interrupted is repeated, and each member's mark says what it has had.
 */

export async function reportBatchBroadcast(driver: Driver, batch: Send, txHash: string): Promise<void> {
  await eachMember(await membersOf(driver.sql, batch), (member) => announce(driver, member, txHash))
  await transaction(driver.sql, (tx) => markReported(tx, batch, txHash))
}

export async function reportBatchUnmined(driver: Driver, batch: Send, mined: Inclusion): Promise<void> {
  await eachMember(await membersOf(driver.sql, batch), (member) =>
    reportOutcome(driver, member, { state: 'unmined', txHash: mined.txHash }, (tx) => markMemberUnmined(tx, member, mined)),
  )
  await transaction(driver.sql, async (tx) => {
    if (await markUnmined(tx, batch, mined.blockHash)) await takeBack(tx, batch)
  })
}

/** Nothing is reported of a member that the mined batch has not paid: unless a reorganisation pays it, it goes alone once that is final. */
export async function reportBatchMined(driver: Driver, batch: Send, receipt: Receipt, isFinal: () => Promise<boolean>): Promise<void> {
  const { sql } = driver
  const factory = batch.call.to
  const { txHash, block, gasUsed, gasPrice, extraFee = 0n } = receipt
  await transaction(sql, (tx) => markMined(tx, batch, receipt))
  const members = await membersOf(sql, batch)
  const failed = failedOrders(factory, receipt.logs)
  const isPaid = (place: number) => receipt.ok && !failed.has(place)
  const isOver = await isFinal()
  const shares = sharesOf({ gasUsed, fee: gasUsed * gasPrice + extraFee }, members.length)
  await eachMember(members, async (member, place) => {
    const share = shares[place]
    if (!member.isBatched || !share) return
    await announce(driver, member, txHash)
    if (isPaid(place) && member.minedBlockHash !== receipt.blockHash)
      await reportOutcome(driver, member, { state: 'mined', txHash, ok: true }, (tx) => markMemberMined(tx, member, receipt))
    if (!isOver) return
    const result = payoutResult(factory, member, receipt)
    if (!isPaid(place) || 'failure' in result) return markMemberLeft(sql, batch, member, receipt, share)
    await reportOutcome(driver, member, { state: 'confirmed', txHash, position: block, ...result, ...share }, (tx) =>
      markMemberConfirmed(tx, batch, member, receipt, share),
    )
  })
  await transaction(sql, (tx) => markReported(tx, batch, txHash))
  if (!isOver) return
  if (members.some((_, place) => isPaid(place))) await transaction(sql, (tx) => markConfirmed(tx, batch, receipt))
  else await markBatchFailed(sql, batch, receipt, 'It was mined and has paid nobody.')
  driver.wake()
}

/** Undoes a final batch in the caller's transaction, and returns the members whose outcome that changes. */
export async function undoFinalBatch(
  tx: TransactionSql,
  batch: Pick<Send, 'id' | 'chainId'>,
  place: Inclusion,
): Promise<readonly Member[]> {
  const undone: Member[] = []
  for (const member of await membersOf(tx, batch)) if (await markMemberUnmined(tx, member, place)) undone.push(member)
  await takeBack(tx, batch)
  return undone
}

async function announce(driver: Driver, member: Member, txHash: string): Promise<void> {
  if (!member.isBatched || member.announced.includes(txHash)) return
  await reportOutcome(driver, member, { state: 'broadcast', txHash }, (tx) => markMemberAnnounced(tx, member, txHash))
}

/** Throws the first error once all have had their turn. */
async function eachMember(members: readonly Member[], work: (member: Member, place: number) => Promise<void>): Promise<void> {
  const failures: unknown[] = []
  for (const [place, member] of members.entries()) {
    try {
      await work(member, place)
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw failures[0]
}

/** Divides the costs evenly. The first members pay what cannot be divided, so the shares add up. */
function sharesOf({ fee, gasUsed }: Spent, count: number): readonly Spent[] {
  const shareOf = (total: bigint, place: number) => total / BigInt(count) + (BigInt(place) < total % BigInt(count) ? 1n : 0n)
  return Array.from({ length: count }, (_, place) => ({ fee: shareOf(fee, place), gasUsed: shareOf(gasUsed, place) }))
}
