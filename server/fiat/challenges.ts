import type { Tx } from '../database/connect.ts'

export interface Challenge {
  readonly id: string
  readonly codeHash: Buffer
  readonly salt: Buffer
  readonly attempts: number
  readonly expiresAt: Date
  readonly voidedAt: Date | undefined
}

/** Locks the e-mail address until the transaction ends, so that concurrent calls cannot exceed the limit. The oldest time comes first. */
export async function challengesOfLastHour(tx: Tx, emailFolded: string, now: Date): Promise<Date[]> {
  await tx`select pg_advisory_xact_lock(hashtextextended(${`email challenge ${emailFolded}`}, 4020))`
  const rows = await tx`
    select created_at from email_challenges where email_folded = ${emailFolded} and created_at > ${new Date(now.getTime() - 3_600_000)} order by created_at`
  return rows.map((row) => row.created_at as Date)
}

/** Voids the e-mail address's earlier challenges, so that only the newest code works. */
export async function insertChallenge(
  tx: Tx,
  organizationId: string,
  emailFolded: string,
  challenge: Omit<Challenge, 'attempts' | 'voidedAt'>,
  now: Date,
): Promise<void> {
  await tx`update email_challenges set voided_at = ${now} where email_folded = ${emailFolded} and voided_at is null`
  await tx`insert into email_challenges ${tx({
    id: challenge.id,
    organization_id: organizationId,
    email_folded: emailFolded,
    code_hash: challenge.codeHash,
    salt: challenge.salt,
    expires_at: challenge.expiresAt,
    created_at: now,
  })}`
}

export async function lockChallenge(tx: Tx, organizationId: string, id: string): Promise<Challenge | undefined> {
  const [row] = await tx`select * from email_challenges where id = ${id} and organization_id = ${organizationId} for update`
  return (
    row && {
      id: row.id,
      codeHash: row.code_hash,
      salt: row.salt,
      attempts: row.attempts,
      expiresAt: row.expires_at,
      voidedAt: row.voided_at ?? undefined,
    }
  )
}

/** Counts an attempt. A correct code also voids the challenge, so that it works only once. */
export async function countAttempt(tx: Tx, id: string, isCorrect: boolean, now: Date): Promise<void> {
  await tx`update email_challenges set attempts = attempts + 1, voided_at = ${isCorrect ? now : null} where id = ${id}`
}
