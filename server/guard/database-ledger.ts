import type { Hex } from 'viem'
import type { Sql } from '../database/connect.ts'
import { transaction } from '../database/transaction.ts'
import { type GuardLedger, hourMs, isOver } from './ledger.ts'

const lockNumber = 7_455_519

/** Any number of processes may share the table: one lock lets one claim at a time count. */
export const databaseLedger = (sql: Sql): GuardLedger => ({
  async find({ chainId, terms, nonce }) {
    const [row] = await sql<{ move: Hex }[]>`
      select move from guard_moves where chain_id = ${chainId} and terms = ${terms} and nonce = ${nonce.toString()}`
    return row?.move
  },
  claim: ({ chainId, terms, nonce, move, organization, budget, atRisk, evidence, at }, limit) =>
    transaction(sql, async (tx) => {
      await tx`select pg_advisory_xact_lock(${lockNumber})`
      const [same] = await tx<{ move: Hex }[]>`
        select move from guard_moves where chain_id = ${chainId} and terms = ${terms} and nonce = ${nonce.toString()}`
      if (same) return same.move === move ? 'known' : 'another_move'
      const [used] = evidence === undefined ? [] : await tx`select 1 from guard_moves where evidence = ${evidence}`
      if (used) return 'evidence_used'
      const [sums] = await tx`
        select coalesce(sum(at_risk), 0)::text as in_all,
          coalesce(sum(at_risk) filter (where organization = ${organization}), 0)::text as own
        from guard_moves where budget = ${budget} and signed_at > ${at - hourMs}`
      if (isOver(limit, { own: BigInt(sums!.own) + atRisk, inAll: BigInt(sums!.in_all) + atRisk })) return 'over_the_limit'
      await tx`
        insert into guard_moves ${tx({
          chain_id: chainId,
          terms,
          nonce: nonce.toString(),
          move,
          organization,
          budget,
          at_risk: atRisk.toString(),
          evidence: evidence ?? null,
          signed_at: at,
        })}`
      return 'recorded'
    }),
})
