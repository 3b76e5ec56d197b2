import * as z from 'zod/mini'
import { DateTime, Email, Id, SecureUrl, text } from './scalars.ts'

export const VerificationType = z.enum(['individual', 'business'])
export const KycStatus = z.enum([
  'not_started',
  'incomplete',
  'awaiting_questionnaire',
  'awaiting_ubo',
  'under_review',
  'approved',
  'rejected',
  'paused',
  'offboarded',
])
export const TosStatus = z.enum(['pending', 'approved'])
export const Endorsement = z.enum(['base', 'cards', 'cop', 'faster_payments', 'pix', 'sepa', 'spei'])

export const OffRampVerification = z.object({
  id: z.string(),
  type: VerificationType,
  email: z.string(),
  full_name: z.optional(z.string()),
  customer_id: z.optional(z.string()),
  kyc_link: z.string(),
  kyc_status: KycStatus,
  tos_link: z.string(),
  tos_status: TosStatus,
  rejection_reasons: z.array(z.object({ developer_reason: z.string(), reason: z.string(), created_at: z.string() })),
  created_at: DateTime,
})

export const OffRampVerificationRequest = z.strictObject({
  email: Email,
  type: VerificationType,
  full_name: z.optional(text(200)),
  endorsements: z.optional(z.array(Endorsement).check(z.maxLength(7))),
  redirect_uri: z.optional(SecureUrl),
})

export const EmailChallengeRequest = z.strictObject({ email: Email })
/** This is a Till extension, with which the server that sent the code by e-mail checks what the person typed. */
export const EmailChallengeCheckRequest = z.strictObject({
  challenge_id: Id,
  code: z.string().check(z.regex(/^\d{6,10}$/, 'must be the digits of the code')),
})
export const EmailChallengeCheck = z.object({ verified: z.boolean(), attempts_left: z.int() })
export const EmailChallenge = z.object({ challenge_id: z.string(), code: z.string(), expires_in_seconds: z.int() })
