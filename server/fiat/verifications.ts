import type * as z from 'zod/mini'
import type { OffRampVerification } from '../../src/wire/off-ramp.ts'
import type { Customer, IdentityCallback } from '../providers/identity.ts'
import type { Sql, Tx } from '../database/connect.ts'
import { decodeJson, toJsonb } from '../database/json.ts'

type Verification = z.infer<typeof OffRampVerification>

export interface Applicant {
  readonly organizationId: string
  readonly type: Verification['type']
  readonly email: string
}

/** E-mail addresses that differ only in case belong to the same person. */
export const foldEmail = (email: string): string => email.normalize('NFKC').toLowerCase()

export async function verificationOf(sql: Sql | Tx, { organizationId, type, email }: Applicant): Promise<Verification | undefined> {
  const [row] = await sql`
    select * from verifications where organization_id = ${organizationId} and type = ${type} and email_folded = ${foldEmail(email)}`
  return (
    row && {
      id: row.id,
      type: row.type,
      email: row.email,
      full_name: row.full_name ?? undefined,
      customer_id: row.customer_id,
      kyc_link: row.kyc_link,
      kyc_status: row.kyc_status,
      tos_link: row.tos_link,
      tos_status: row.tos_status,
      rejection_reasons: decodeJson<Verification['rejection_reasons']>(row.rejection_reasons),
      created_at: row.created_at.toISOString(),
    }
  )
}

/** Does nothing if the applicant or the customer id exists. Of two concurrent calls one inserts, and both callers then read that row. */
export async function insertVerification(
  tx: Tx,
  id: string,
  { organizationId, type, email }: Applicant,
  fullName: string | undefined,
  customer: Customer,
  now: Date,
): Promise<void> {
  await tx`insert into verifications ${tx({
    id,
    organization_id: organizationId,
    type,
    email,
    email_folded: foldEmail(email),
    full_name: fullName ?? null,
    ...customer,
    kyc_status: 'not_started',
    tos_status: 'pending',
    told_at: new Date(0),
    created_at: now,
  })} on conflict do nothing`
}

/** Ignores an update that is not newer than the stored state. Returns false if no customer has this id. */
export async function updateVerification(sql: Sql, update: IdentityCallback): Promise<boolean> {
  const at = new Date(update.at)
  const rows = await sql`
    update verifications set
      kyc_status = case when told_at < ${at} then ${update.kyc_status} else kyc_status end,
      tos_status = case when told_at < ${at} then ${update.tos_status} else tos_status end,
      rejection_reasons = case when told_at < ${at} then ${sql.json(toJsonb(update.rejection_reasons))} else rejection_reasons end,
      told_at = greatest(told_at, ${at})
    where customer_id = ${update.customer_id} returning id`
  return rows.length > 0
}
